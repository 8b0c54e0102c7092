'use strict'

// Programs that others wrote, against the example server.

const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { test, after } = require('node:test')
const sharp = require('sharp')
const { execFile, temporary, pngcheck } = require('../tools')
const { sharedServer, address, get } = require('./support')

const server = sharedServer()
const file = temporary(after)

// node-mapnik's projection data are another version's than GDAL's: neither may lead the other astray.
const run = async (program, args) => (await execFile(program, args, { maxBuffer: 1 << 26, env: { ...process.env, GDAL_HTTP_TIMEOUT: '60' } })).stdout
const python = (script, ...args) => run('/usr/bin/python3', ['-c', script, ...args])

const map = {
  SERVICE: 'WMS', VERSION: '1.3.0', REQUEST: 'GetMap', LAYERS: 'map', STYLES: '', CRS: 'EPSG:3857', BBOX: '-1400000,4200000,4600000,8200000', WIDTH: '300', HEIGHT: '200', FORMAT: 'image/png'
}

async function rgb (input) {
  const { data, info } = await sharp(input).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height }
}

// The share of pixels that differ by more than some levels.
function different (a, b, levels = 8) {
  assert.deepEqual([a.width, a.height], [b.width, b.height])
  let count = 0
  for (let at = 0; at < a.data.length; at += 3) {
    if ([0, 1, 2].some((i) => Math.abs(a.data[at + i] - b.data[at + i]) > levels)) count++
  }
  return count / (a.data.length / 3)
}

// OGC's schemas, as Debian's MapProxy brings them.
const schemas = '/usr/share/python3-mapproxy/test/schemas'

test('capabilities are valid against the schema of WMS 1.3.0 and the DTD of 1.1.1', async () => {
  fs.writeFileSync(file('wms130.xml'), (await get(address(`${server.base}/wms`, { SERVICE: 'WMS', REQUEST: 'GetCapabilities' }))).body)
  const modern = (await get(address(`${server.base}/wms`, { ...map, LAYERS: 'moon' }))).body
  fs.writeFileSync(file('exception130.xml'), modern)
  fs.writeFileSync(file('catalog.xml'), `<?xml version="1.0"?>
<catalog xmlns="urn:oasis:names:tc:entity:xmlns:xml:catalog">
  <rewriteSystem systemIdStartString="http://schemas.opengis.net/" rewritePrefix="file://${schemas}/"/>
  <rewriteURI uriStartString="http://schemas.opengis.net/" rewritePrefix="file://${schemas}/"/>
  <rewriteSystem systemIdStartString="http://www.w3.org/1999/xlink.xsd" rewritePrefix="file://${schemas}/xlink/1.0.0/xlinks.xsd"/>
</catalog>`)
  const env = { ...process.env, XML_CATALOG_FILES: file('catalog.xml') }
  const validate = (...args) => execFile('xmllint', ['--noout', '--nonet', ...args], { env })
  await validate('--schema', path.join(schemas, 'wms/1.3.0/capabilities_1_3_0.xsd'), file('wms130.xml'))
  await validate('--schema', path.join(schemas, 'wms/1.3.0/exceptions_1_3_0.xsd'), file('exception130.xml'))
  fs.writeFileSync(file('wms111.xml'), (await get(address(`${server.base}/wms`, { SERVICE: 'WMS', VERSION: '1.1.1', REQUEST: 'GetCapabilities' }))).body)
  await validate('--dtdvalid', path.join(schemas, 'wms/1.1.1/WMS_MS_Capabilities.dtd'), file('wms111.xml'))
  fs.writeFileSync(file('broken.xml'), fs.readFileSync(file('wms130.xml'), 'utf8').replace('<Title>', '<Titel>').replace('</Title>', '</Titel>'))
  await assert.rejects(validate('--schema', path.join(schemas, 'wms/1.3.0/capabilities_1_3_0.xsd'), file('broken.xml')), 'it does look')
})

test('GDAL reads the WMS', async () => {
  assert.match(await run('gdalinfo', [`WMS:${server.base}/wms`]), /SUBDATASET_1_NAME=WMS:/)
  fs.writeFileSync(file('wms.xml'), `<GDAL_WMS><Service name="WMS"><Version>1.3.0</Version><ServerUrl>${server.base}/wms?</ServerUrl><Layers>map</Layers><CRS>EPSG:3857</CRS><ImageFormat>image/png</ImageFormat></Service>
<DataWindow><UpperLeftX>-1400000</UpperLeftX><UpperLeftY>8200000</UpperLeftY><LowerRightX>4600000</LowerRightX><LowerRightY>4200000</LowerRightY><SizeX>300</SizeX><SizeY>200</SizeY></DataWindow>
<Projection>EPSG:3857</Projection><BandsCount>3</BandsCount><BlockSizeX>300</BlockSizeX><BlockSizeY>200</BlockSizeY></GDAL_WMS>`)
  await run('gdal_translate', ['-q', '-of', 'PNG', file('wms.xml'), file('gdal.png')])
  const direct = await rgb((await get(address(`${server.base}/wms`, map))).body)
  assert.equal(different(await rgb(file('gdal.png')), direct, 0), 0)
})

test('GDAL finds the GeoTIFF where it belongs', async () => {
  fs.writeFileSync(file('map.tif'), (await get(address(`${server.base}/wms`, { ...map, FORMAT: 'image/geotiff' }))).body)
  const { cornerCoordinates, stac } = JSON.parse(await run('gdalinfo', ['-json', file('map.tif')]))
  assert.deepEqual([cornerCoordinates.upperLeft, cornerCoordinates.lowerRight, stac['proj:epsg']], [[-1400000, 8200000], [4600000, 4200000], 3857])
})

test('OGR reads the WFS: layers, types, extents, features by id and box', async () => {
  const source = `WFS:${server.base}/wfs`
  const summary = await run('ogrinfo', ['-ro', source])
  for (const name of ['countries', 'landuse', 'buildings', 'roads', 'addresses', 'cities']) assert.ok(summary.includes(`map:${name}`), summary)
  const roads = await run('ogrinfo', ['-ro', '-so', source, 'map:roads'])
  assert.match(roads, /Feature Count: 13\d\d\d/)
  assert.match(roads, /highway: String/)
  const box = await run('ogrinfo', ['-ro', '-q', source, 'map:cities', '-spat', '2.2', '48.8', '2.5', '48.9'])
  assert.match(box, /name \(String\) = Paris\n/)
  assert.match(box, /POINT \(2\.\d+ 48\.\d+\)/)
})

test('ogr2ogr copies the WFS into a GeoPackage with as many features as the server has', async () => {
  for (const name of ['countries', 'roads', 'addresses']) {
    await run('ogr2ogr', ['-f', 'GPKG', ...(fs.existsSync(file('copy.gpkg')) ? ['-update'] : []), file('copy.gpkg'), `WFS:${server.base}/wfs`, `map:${name}`, '-nln', name])
    const hits = (await get(address(`${server.base}/wfs`, { SERVICE: 'WFS', VERSION: '2.0.0', REQUEST: 'GetFeature', TYPENAMES: name, RESULTTYPE: 'hits' }))).text
    const copied = await run('ogrinfo', ['-ro', '-so', file('copy.gpkg'), name])
    assert.equal(copied.match(/Feature Count: (\d+)/)[1], hits.match(/numberMatched="(\d+)"/)[1], name)
    assert.ok(Number(hits.match(/numberMatched="(\d+)"/)[1]) > 200)
  }
  const named = await run('ogrinfo', ['-ro', '-q', file('copy.gpkg'), '-sql', "select name, fid from countries where name = 'Brazil'"])
  assert.match(named, /name \(String\) = Brazil/)
})

test('OGR reads the GeoJSON and the CSV of GetFeature', async () => {
  const request = { SERVICE: 'WFS', VERSION: '2.0.0', REQUEST: 'GetFeature', TYPENAMES: 'map:roads', COUNT: '500' }
  for (const [format, name] of [['application/geo+json', 'roads.geojson'], ['text/csv', 'roads.csv']]) {
    fs.writeFileSync(file(name), (await get(address(`${server.base}/wfs`, { ...request, OUTPUTFORMAT: format }))).body)
    assert.match(await run('ogrinfo', ['-ro', '-so', '-al', '-oo', 'GEOM_POSSIBLE_NAMES=geom', file(name)]), /Geometry: (Line String|Unknown)[^]*Feature Count: 500/)
  }
})

test('OWSLib reads both capabilities, a map and features', async () => {
  const script = `
import sys, json
from owslib.wms import WebMapService
from owslib.wfs import WebFeatureService
base = sys.argv[1]
result = {}
for version in ('1.1.1', '1.3.0'):
    wms = WebMapService(base + '/wms', version=version)
    image = wms.getmap(layers=['countries', 'cities'], styles=['', ''], srs='EPSG:4326', bbox=(-10, 35, 30, 65), size=(200, 150), format='image/png', transparent=True)
    info = wms.getfeatureinfo(layers=['countries'], query_layers=['countries'], srs='EPSG:4326', bbox=(-10, 35, 30, 65), size=(200, 150), format='image/png', info_format='application/json', xy=(60, 80))
    result[version] = {'layers': sorted(wms.contents), 'bytes': image.read().hex()[:16], 'info': json.loads(info.read()), 'title': wms.identification.title}
wfs = WebFeatureService(base + '/wfs', version='2.0.0')
result['types'] = sorted(wfs.contents)
result['schema'] = wfs.get_schema('map:roads')['properties']
result['features'] = json.loads(wfs.getfeature(typename='map:cities', maxfeatures=5, outputFormat='application/geo+json').read())
result['queries'] = [query.id for query in wfs.storedqueries]
print(json.dumps(result))
`
  const result = JSON.parse(await python(script, server.base))
  for (const version of ['1.1.1', '1.3.0']) {
    assert.deepEqual(result[version].layers, ['addresses', 'buildings', 'cities', 'countries', 'landuse', 'map', 'ocean', 'roads'])
    assert.equal(result[version].bytes, '89504e470d0a1a0a')
    assert.equal(result[version].info.features[0].properties.name, 'France', version)
  }
  assert.deepEqual(result.types, ['map:addresses', 'map:buildings', 'map:cities', 'map:countries', 'map:landuse', 'map:roads'])
  assert.deepEqual(Object.keys(result.schema).sort(), ['fid', 'geom', 'highway', 'maxspeed', 'name', 'surface'])
  assert.equal(result.features.features.length, 5)
  assert.deepEqual(result.queries, ['urn:ogc:def:query:OGC-WFS::GetFeatureById'])
})

test('MapProxy cascades the WMS', async () => {
  fs.writeFileSync(file('mapproxy.yaml'), `
services: {wms: {srs: ['EPSG:3857'], image_formats: ['image/png']}}
layers: [{name: cascade, title: cascade, sources: [ours]}]
sources:
  ours:
    type: wms
    supported_srs: ['EPSG:3857']
    req: {url: '${server.base}/wms', layers: map}
    wms_opts: {version: 1.3.0, featureinfo: true}
globals: {image: {paletted: false}, cache: {base_dir: '${file('cache')}'}}
`)
  const script = `
import sys
from mapproxy.wsgiapp import make_wsgi_app
from io import BytesIO
app = make_wsgi_app(sys.argv[1])
def start(status, headers, exc_info=None): print(status, file=sys.stderr)
body = b''.join(app({'REQUEST_METHOD': 'GET', 'PATH_INFO': '/service', 'SCRIPT_NAME': '', 'QUERY_STRING': sys.argv[2], 'SERVER_NAME': 'localhost', 'SERVER_PORT': '80', 'wsgi.url_scheme': 'http', 'wsgi.input': BytesIO(b''), 'wsgi.errors': sys.stderr, 'HTTP_HOST': 'localhost'}, start))
open(sys.argv[3], 'wb').write(body)
`
  const { search } = new URL(address('http://localhost/', { ...map, LAYERS: 'cascade' }))
  await python(script, file('mapproxy.yaml'), search.slice(1), file('cascade.png'))
  await pngcheck(file('cascade.png'))
  const direct = await rgb((await get(address(`${server.base}/wms`, map))).body)
  assert.ok(different(await rgb(file('cascade.png')), direct) < 0.001)
})

test('OpenLayers in Chromium shows the map, tiles and features, and what they cost', async () => {
  const { chromium } = require('playwright-core')
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
  try {
    const page = await browser.newPage({ viewport: { width: 900, height: 600 } })
    const errors = []
    page.on('pageerror', (err) => errors.push(err.message))
    page.on('console', (message) => { if (message.type() === 'error') errors.push(message.text()) })
    await page.goto(`${server.base}/#14/-56.185/-34.9`)
    const shot = async () => {
      await page.waitForFunction(() => new Promise((resolve) => {
        map.once('rendercomplete', () => resolve(true))
        map.render()
      }))
      await page.addStyleTag({ content: '#panel, #layers, .ol-control { visibility: hidden }' })
      return rgb(await page.screenshot({ type: 'png' }))
    }
    // What the page should show is what the server draws of its extent.
    const extent = await page.evaluate(() => map.getView().calculateExtent(map.getSize()))
    const wanted = await rgb((await get(address(`${server.base}/wms`, { ...map, BBOX: extent.join(), WIDTH: '900', HEIGHT: '600' }))).body)
    assert.ok(new Set(wanted.data).size > 50)
    const image = await shot()
    assert.ok(different(image, wanted, 24) < 0.01, `${different(image, wanted, 24)} of the pixels of one image`)

    await page.evaluate(() => document.querySelector('input[value=tiles]').click())
    const tiled = await shot()
    // Labels are placed anew in each tile.
    assert.ok(different(tiled, wanted, 64) < 0.12, `${different(tiled, wanted, 64)} of the pixels of tiles`)

    await page.evaluate(() => document.getElementById('features').click())
    await page.waitForFunction(() => map.getLayers().item(2).getSource().getFeatures().length > 100)
    const overlay = await shot()
    assert.ok(different(overlay, tiled, 24) > 0.01, 'roads are drawn over it')

    await page.waitForFunction(() => document.querySelectorAll('#reports .bar b').length >= 12)
    assert.deepEqual(errors, [])
  } finally {
    await browser.close()
  }
})
