'use strict'

// What conformance suites look at in a WMS 1.3.0 and 1.1.1, in our words.

const assert = require('node:assert/strict')
const { test } = require('node:test')
const sharp = require('sharp')
const { codings, sharedServer, parseXml, list, address, get } = require('./support')

const server = sharedServer()

const map = {
  SERVICE: 'WMS', VERSION: '1.3.0', REQUEST: 'GetMap', LAYERS: 'map', STYLES: '', CRS: 'EPSG:3857', BBOX: '-1400000,4200000,4600000,8200000', WIDTH: '300', HEIGHT: '200', FORMAT: 'image/png'
}
const old = { VERSION: '1.1.1', CRS: undefined, SRS: 'EPSG:3857' }
const info = { REQUEST: 'GetFeatureInfo', LAYERS: 'countries,cities', QUERY_LAYERS: 'countries', INFO_FORMAT: 'application/json', I: '150', J: '100' }

const wms = (params) => get(address(`${server.base}/wms`, params))
const getMap = (changes) => wms({ ...map, ...changes })
const getInfo = (changes) => wms({ ...map, ...info, ...changes })
const capabilities = (params) => wms({ SERVICE: 'WMS', REQUEST: 'GetCapabilities', ...params })

// The pixels of an answer: {data: RGBA, width, height}
async function pixels ({ type, body, text }, wanted = 'image/png') {
  assert.equal(type, wanted, text.slice(0, 1000))
  const { data, info } = await sharp(body).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height }
}

async function assertException (answer, code, { status = 400, what = '' } = {}) {
  assert.equal(answer.status, status, `${what} ${answer.text.slice(0, 500)}`)
  assert.match(answer.type, /xml/)
  const { ServiceExceptionReport: report } = parseXml(answer.text)
  assert.equal(report.ServiceException['@code'], code, `${what} ${answer.text}`)
  assert.equal(answer.headers.get('cache-control'), 'no-store')
  assert.equal(answer.headers.get('etag'), null)
  return report
}

test('capabilities: the version is negotiated', async () => {
  const cases = [[undefined, '1.3.0'], ['1.3.0', '1.3.0'], ['1.1.1', '1.1.1'], ['0.0.0', '1.1.1'], ['1.0.0', '1.1.1'], ['1.2.0', '1.1.1'], ['100.0.0', '1.3.0']]
  for (const [VERSION, version] of cases) {
    const { text, type } = await capabilities({ VERSION })
    const document = parseXml(text)
    const content = document.WMS_Capabilities ?? document.WMT_MS_Capabilities
    assert.equal(content['@version'], version, VERSION)
    assert.equal(type, version === '1.3.0' ? 'text/xml' : 'application/vnd.ogc.wms_xml')
  }
  await assertException(await capabilities({ VERSION: 'one' }), 'InvalidParameterValue')
})

test('capabilities: parameter names in any case and order, unknown ones and unknown formats do not matter', async () => {
  const { text } = await capabilities()
  assert.equal((await wms({ request: 'GetCapabilities', Foo: 'bar', sErViCe: 'WMS', FORMAT: 'text/tea' })).text, text)
})

test('capabilities: UPDATESEQUENCE', async () => {
  const current = parseXml((await capabilities()).text).WMS_Capabilities['@updateSequence']
  await assertException(await capabilities({ UPDATESEQUENCE: current }), 'CurrentUpdateSequence')
  await assertException(await capabilities({ UPDATESEQUENCE: String(Number(current) + 1) }), 'InvalidUpdateSequence')
  assert.equal((await capabilities({ UPDATESEQUENCE: '0' })).status, 200)
})

test('capabilities: every layer says where it is, and every address can take parameters', async () => {
  for (const [VERSION, key, names] of [['1.3.0', 'CRS', ['EPSG:3857', 'EPSG:4326', 'CRS:84']], ['1.1.1', 'SRS', ['EPSG:3857', 'EPSG:4326', 'EPSG:900913']]]) {
    const { text } = await capabilities({ VERSION })
    const document = parseXml(text)
    const { Capability, Service } = document.WMS_Capabilities ?? document.WMT_MS_Capabilities
    assert.equal(Service.Name, VERSION === '1.3.0' ? 'WMS' : 'OGC:WMS')
    assert.deepEqual(list(Capability.Layer[key]), names)
    const layers = [Capability.Layer, ...Capability.Layer.Layer]
    assert.ok(layers.length > 5)
    for (const layer of layers) {
      assert.ok(layer.Name && layer.Title)
      const bounds = VERSION === '1.3.0' ? layer.EX_GeographicBoundingBox : layer.LatLonBoundingBox
      assert.ok(Number(bounds.westBoundLongitude ?? bounds['@minx']) < Number(bounds.eastBoundLongitude ?? bounds['@maxx']))
      assert.deepEqual(list(layer.BoundingBox).map((box) => box[`@${key}`]), names)
      for (const box of layer.BoundingBox) {
        const of = (name) => Number(box[`@${name}`])
        assert.ok(of('minx') < of('maxx') && of('miny') < of('maxy'))
        if (box[`@${key}`] === 'EPSG:4326' && layer.Name === 'roads') assert.equal(Math.round(of('minx')), VERSION === '1.3.0' ? -35 : -56, 'latitude comes first in 1.3.0')
      }
    }
    for (const operation of ['GetCapabilities', 'GetMap', 'GetFeatureInfo']) {
      assert.match(Capability.Request[operation].DCPType.HTTP.Get.OnlineResource['@href'], /^http:\/\/127\.0\.0\.1:\d+\/wms\?$/)
    }
    for (const layer of Capability.Layer.Layer) {
      const url = layer.Style.LegendURL.OnlineResource['@href']
      assert.equal((await get(url)).type, 'image/png')
    }
  }
})

test('GetMap answers in every format that the capabilities list, in the size that was asked for', async () => {
  const { Capability } = parseXml((await capabilities()).text).WMS_Capabilities
  const formats = list(Capability.Request.GetMap.Format)
  assert.ok(formats.includes('image/png'))
  for (const FORMAT of formats) {
    const answer = await getMap({ FORMAT, WIDTH: '123', HEIGHT: '67' })
    assert.equal(answer.status, 200, answer.text.slice(0, 500))
    if (FORMAT !== 'image/vnd.jpeg-png') assert.equal(answer.type.split(';')[0], FORMAT.split(';')[0], FORMAT)
    if (answer.type.startsWith('image/bmp')) { // sharp reads none
      assert.deepEqual([answer.body.toString('latin1', 0, 2), answer.body.readInt32LE(18), Math.abs(answer.body.readInt32LE(22))], ['BM', 123, 67])
      continue
    }
    const { width, height } = await sharp(answer.body).metadata()
    assert.deepEqual([width, height], [123, 67], FORMAT)
  }
})

test('GetMap: wrong parameters are answered with the right code', async () => {
  const cases = [
    [{ VERSION: undefined }, 'MissingParameterValue'],
    [{ REQUEST: undefined }, 'MissingParameterValue'],
    [{ LAYERS: undefined }, 'MissingParameterValue'],
    [{ CRS: undefined }, 'MissingParameterValue'],
    [{ BBOX: undefined }, 'MissingParameterValue'],
    [{ WIDTH: undefined }, 'MissingParameterValue'],
    [{ HEIGHT: '' }, 'MissingParameterValue'],
    [{ FORMAT: undefined }, 'MissingParameterValue'],
    [{ REQUEST: 'GetTea' }, 'OperationNotSupported'],
    [{ REQUEST: '__proto__' }, 'OperationNotSupported'],
    [{ SERVICE: 'WFS' }, 'InvalidParameterValue'],
    [{ FORMAT: 'image/<tea>' }, 'InvalidFormat'],
    [{ CRS: 'EPSG:1' }, 'InvalidCRS'],
    [{ CRS: 'constructor' }, 'InvalidCRS'],
    [{ ...old, SRS: 'CRS:84' }, 'InvalidSRS'],
    [{ LAYERS: 'moon' }, 'LayerNotDefined'],
    [{ LAYERS: 'cities,moon', STYLES: ',' }, 'LayerNotDefined'],
    [{ LAYERS: 'moon,cities', STYLES: ',' }, 'LayerNotDefined'],
    [{ LAYERS: 'constructor' }, 'LayerNotDefined'],
    [{ LAYERS: "cities' or 1=1 --" }, 'LayerNotDefined'],
    [{ STYLES: 'pretty' }, 'StyleNotDefined'],
    [{ LAYERS: 'countries,cities', STYLES: 'default,pretty' }, 'StyleNotDefined'],
    [{ LAYERS: 'countries,cities', STYLES: 'pretty,' }, 'StyleNotDefined'],
    [{ LAYERS: 'countries,cities', STYLES: ',,' }, 'InvalidParameterValue'],
    [{ LAYERS: Array(40).fill('cities').join() }, 'InvalidParameterValue'],
    [{ BBOX: '1,2,3' }, 'InvalidParameterValue'],
    [{ BBOX: '1,2,3,' }, 'InvalidParameterValue'],
    [{ BBOX: '1,2,3,4,5' }, 'InvalidParameterValue'],
    [{ BBOX: '1,2,x,4' }, 'InvalidParameterValue'],
    [{ BBOX: '1,2,0x9,4' }, 'InvalidParameterValue'],
    [{ BBOX: '0,0,Infinity,9' }, 'InvalidParameterValue'],
    [{ BBOX: '0,0,1e999,9' }, 'InvalidParameterValue'],
    [{ BBOX: '5,0,5,9' }, 'InvalidParameterValue'],
    [{ BBOX: '0,9,5,1' }, 'InvalidParameterValue'],
    [{ WIDTH: '0' }, 'InvalidParameterValue'],
    [{ WIDTH: '8193' }, 'InvalidParameterValue'],
    [{ WIDTH: '99999999999999999999' }, 'InvalidParameterValue'],
    [{ HEIGHT: '2.5' }, 'InvalidParameterValue'],
    [{ HEIGHT: '-1' }, 'InvalidParameterValue'],
    [{ BGCOLOR: 'red' }, 'InvalidParameterValue'],
    [{ TRANSPARENT: 'maybe' }, 'InvalidParameterValue'],
    [{ DPI: '0' }, 'InvalidParameterValue'],
    [{ DPI: '1e9' }, 'InvalidParameterValue']
  ]
  for (const [changes, code] of cases) await assertException(await getMap(changes), code, { what: JSON.stringify(changes) })
  const twice = await get(`${address(`${server.base}/wms`, map)}&layers=cities`)
  assert.equal((await assertException(twice, 'InvalidParameterValue')).ServiceException['@locator'], 'layers')
  assert.equal((await get(`${address(`${server.base}/wms`, map)}&layers=map`)).status, 200, 'the same value twice is no contradiction')
})

test('exceptions: XML of the version, with words of clients that stay words', async () => {
  const { text } = await getMap({ LAYERS: '<script>&"\u0001\uD800' })
  const report = parseXml(text).ServiceExceptionReport
  assert.equal(report['@version'], '1.3.0')
  assert.ok(!text.includes('<script>') && !text.includes('\u0001'))
  const answer = await getMap({ ...old, LAYERS: 'moon', EXCEPTIONS: 'application/vnd.ogc.se_xml' })
  assert.equal(answer.type, 'application/vnd.ogc.se_xml')
  assert.match(answer.text, /<!DOCTYPE ServiceExceptionReport SYSTEM/)
  assert.equal(parseXml(answer.text).ServiceExceptionReport['@version'], '1.1.1')
})

test('exceptions: INIMAGE and BLANK are images of the size and format that were asked for', async () => {
  for (const [version, prefix] of [[{}, ''], [old, 'application/vnd.ogc.se_']]) {
    const inImage = await pixels(await getMap({ ...version, LAYERS: 'moon', EXCEPTIONS: `${prefix}INIMAGE`.replace(/se_.*/, (text) => text.toLowerCase()) }))
    assert.deepEqual([inImage.width, inImage.height], [300, 200])
    assert.ok(inImage.data.some((sample) => sample < 128), 'there is a message on it')
    const blank = await pixels(await getMap({ ...version, LAYERS: 'moon', BGCOLOR: '0x102030', EXCEPTIONS: `${prefix}BLANK`.replace(/se_.*/, (text) => text.toLowerCase()) }))
    for (let at = 0; at < blank.data.length; at += 4) assert.deepEqual([...blank.data.subarray(at, at + 4)], [0x10, 0x20, 0x30, 255])
  }
  const clear = await pixels(await getMap({ CRS: 'EPSG:1', TRANSPARENT: 'TRUE', EXCEPTIONS: 'BLANK' }))
  assert.ok(clear.data.every((sample, i) => i % 4 !== 3 || sample === 0))
})

test('BBOX has its axes in the order of the CRS and the version, and takes exponents', async () => {
  const lonLat = await getMap({ CRS: 'CRS:84', BBOX: '-10,35,30,65' })
  assert.equal(lonLat.type, 'image/png')
  const same = [{ CRS: 'EPSG:4326', BBOX: '35,-10,65,30' }, { ...old, SRS: 'EPSG:4326', BBOX: '-10,35,30,65' }, { CRS: 'CRS:84', BBOX: '-1e1,3.5E+1,300e-1,65.' }]
  for (const changes of same) assert.ok(lonLat.body.equals((await getMap(changes)).body), JSON.stringify(changes))
})

test('a BBOX outside of the data is an empty map; one of another shape stretches it', async () => {
  const empty = await pixels(await getMap({ LAYERS: 'roads', BBOX: '0,0,1000,1000' }))
  assert.ok(empty.data.every((sample) => sample === 255))
  const beyond = await pixels(await getMap({ LAYERS: 'countries', CRS: 'CRS:84', BBOX: '200,100,240,140' }))
  assert.ok(beyond.data.every((sample) => sample === 255))
  // Half as wide: what is at (x, y) of the one is at (x / 2, y) of the other.
  const area = { LAYERS: 'ocean', BBOX: '-21000000,-1000000,-19000000,1000000', HEIGHT: '100' }
  const [wide, narrow] = [await pixels(await getMap({ ...area, WIDTH: '200' })), await pixels(await getMap({ ...area, WIDTH: '100' }))]
  const edge = ({ data, width }) => { // column where the ocean begins, at a row without a graticule
    for (let x = 0; x < width; x++) if (data[(10 * width + x) * 4] < 230) return x / width
  }
  assert.ok(Math.abs(edge(wide) - edge(narrow)) < 0.02, `${edge(wide)} ${edge(narrow)}`)
})

test('the background: white, BGCOLOR, or nothing', async () => {
  const pixel = async (changes) => [...(await pixels(await getMap({ LAYERS: 'roads', WIDTH: '8', HEIGHT: '8', ...changes }))).data.subarray(0, 4)]
  assert.deepEqual(await pixel({}), [255, 255, 255, 255])
  assert.deepEqual(await pixel({ BGCOLOR: '0x102030' }), [0x10, 0x20, 0x30, 255])
  assert.deepEqual(await pixel({ TRANSPARENT: 'FALSE', BGCOLOR: '0xFF0000' }), [255, 0, 0, 255])
  assert.equal((await pixel({ TRANSPARENT: 'TRUE' }))[3], 0)
  const { data } = await pixels(await getMap({ LAYERS: 'countries' }))
  assert.ok(data.every((sample, i) => i % 4 !== 3 || sample === 255), 'without TRANSPARENT all is opaque')
  const half = await pixels(await getMap({ LAYERS: 'countries', TRANSPARENT: 'true' }))
  const alphas = new Set(half.data.filter((_, i) => i % 4 === 3))
  assert.ok(alphas.has(0) && alphas.has(255))
})

test('the first layer lies below the others', async () => {
  const layers = { BBOX: '0,5000000,600000,5600000', WIDTH: '60', HEIGHT: '60' }
  const [above, alone, below] = await Promise.all(['ocean,countries', 'ocean', 'countries,ocean'].map(async (LAYERS) => pixels(await getMap({ ...layers, LAYERS }))))
  assert.ok(!above.data.equals(alone.data))
  assert.ok(below.data.equals(alone.data), 'the ocean hides the countries')
})

test('STYLES: empty, absent, default and mixed are all the same', async () => {
  const LAYERS = 'countries,cities'
  const bodies = await Promise.all(['', undefined, 'default,default', ',default', ','].map(async (STYLES) => (await getMap({ LAYERS, STYLES })).body))
  for (const body of bodies) assert.ok(body.equals(bodies[0]))
})

test('DPI draws symbols larger, however it is spelled', async () => {
  const area = { LAYERS: 'roads', BBOX: '-6254000,-4149000,-6252000,-4147667' }
  const dark = async (changes) => (await pixels(await getMap({ ...area, ...changes }))).data.filter((sample, i) => i % 4 === 0 && sample < 200).length
  const plain = await dark({})
  const fine = await dark({ DPI: '272' })
  assert.ok(fine > plain * 1.5, `${plain} ${fine}`)
  for (const spelled of [{ MAP_RESOLUTION: '272' }, { FORMAT_OPTIONS: 'dpi:272' }]) assert.equal(await dark(spelled), fine)
})

test('GetFeatureInfo: JSON and text', async () => {
  const json = await getInfo({ I: '25', J: '180', QUERY_LAYERS: 'countries,cities' })
  assert.equal(json.type, 'application/json')
  const { type, features } = JSON.parse(json.text)
  assert.equal(type, 'FeatureCollection')
  const [feature] = features
  assert.deepEqual([feature.type, feature.id.split('.')[0], feature.geometry, feature.properties.name], ['Feature', 'countries', null, 'Portugal'])
  const text = await getInfo({ INFO_FORMAT: undefined, I: '25', J: '180' })
  assert.equal(text.type, 'text/plain; charset=utf-8')
  assert.match(text.text, /^countries\.\d+\n {2}iso = 620\n {2}name = Portugal\n/)
  const older = await getInfo({ ...old, I: undefined, J: undefined, X: '25', Y: '180' })
  assert.equal(JSON.parse(older.text).features[0].properties.name, 'Portugal')
  assert.deepEqual(JSON.parse((await getInfo({ I: '2', J: '100' })).text).features, [], 'the sea')
})

test('GetFeatureInfo: FEATURE_COUNT is 1 unless it is said otherwise; lines and points are found near by', async () => {
  const city = { LAYERS: 'roads,addresses', QUERY_LAYERS: 'addresses', BBOX: '-6253000,-4149000,-6252000,-4148000', WIDTH: '250', HEIGHT: '250', I: '125', J: '125' }
  const one = JSON.parse((await getInfo(city)).text).features
  assert.equal(one.length, 1)
  const many = JSON.parse((await getInfo({ ...city, FEATURE_COUNT: '50' })).text).features
  assert.ok(many.length > 1 && many.length <= 50)
  assert.deepEqual(many[0], one[0])
  await assertException(await getInfo({ ...city, FEATURE_COUNT: '0' }), 'InvalidParameterValue')
})

test('GetFeatureInfo: wrong parameters are answered with the right code', async () => {
  const cases = [
    [{ I: '300' }, 'InvalidPoint'], [{ J: '-1' }, 'InvalidPoint'], [{ I: '1.5' }, 'InvalidPoint'], [{ I: undefined }, 'MissingParameterValue'],
    [{ INFO_FORMAT: 'text/tea' }, 'InvalidFormat'], [{ QUERY_LAYERS: undefined }, 'MissingParameterValue'], [{ QUERY_LAYERS: 'moon' }, 'LayerNotDefined'],
    [{ LAYERS: 'map', QUERY_LAYERS: 'map' }, 'LayerNotQueryable'], [{ LAYERS: 'ocean', QUERY_LAYERS: 'ocean' }, 'LayerNotQueryable'],
    [{ QUERY_LAYERS: 'roads' }, 'LayerNotDefined'], [{ CRS: 'EPSG:1' }, 'InvalidCRS'], [{ VERSION: undefined }, 'MissingParameterValue']
  ]
  for (const [changes, code] of cases) await assertException(await getInfo(changes), code, { what: JSON.stringify(changes) })
})

test('GetLegendGraphic', async () => {
  const legend = (changes) => wms({ SERVICE: 'WMS', VERSION: '1.3.0', REQUEST: 'GetLegendGraphic', LAYER: 'roads', FORMAT: 'image/png', ...changes })
  const roads = await pixels(await legend())
  const all = await pixels(await legend({ LAYER: 'map' }))
  assert.ok(all.height > roads.height && roads.data.some((sample) => sample < 128))
  await assertException(await legend({ LAYER: 'moon' }), 'LayerNotDefined')
  await assertException(await legend({ FORMAT: 'text/tea' }), 'InvalidFormat')
  await assertException(await legend({ LAYER: undefined }), 'MissingParameterValue')
})

test('caches: a tag, how long, and 304 without a body; errors and HEAD', async () => {
  for (const params of [map, { SERVICE: 'WMS', REQUEST: 'GetCapabilities' }, { ...map, ...info }]) {
    const first = await wms(params)
    const etag = first.headers.get('etag')
    assert.match(etag, /^W\/"[\w-]+"$/)
    assert.match(first.headers.get('cache-control'), /^public, max-age=\d+$/)
    assert.match(first.headers.get('vary'), /accept-encoding/i)
    for (const tag of [etag, etag.slice(2), `"other", ${etag}`, '*']) {
      const again = await get(address(`${server.base}/wms`, params), { headers: { 'if-none-match': tag } })
      assert.deepEqual([again.status, again.body.length, again.headers.get('etag')], [304, 0, etag])
    }
    assert.equal((await get(address(`${server.base}/wms`, params), { headers: { 'if-none-match': '"other"' } })).status, 200)
    const head = await get(address(`${server.base}/wms`, params), { method: 'HEAD' })
    assert.deepEqual([head.status, head.type, head.headers.get('etag'), head.body.length], [200, first.type, etag, 0])
  }
  const other = await getMap({ WIDTH: '301' })
  assert.notEqual(other.headers.get('etag'), (await getMap({})).headers.get('etag'))
  assert.equal((await get(address(`${server.base}/wms`, { ...map, BBOX: undefined }), { method: 'HEAD' })).status, 400)
})

test('codings: documents are compressed as the client likes it, PNG never is', async () => {
  const plain = await capabilities()
  for (const coding of codings.filter((name) => name !== 'zstd')) { // which this fetch may not read
    const coded = await get(address(`${server.base}/wms`, { SERVICE: 'WMS', REQUEST: 'GetCapabilities' }), { headers: { 'accept-encoding': coding } })
    assert.equal(coded.headers.get('content-encoding'), coding)
    assert.equal(coded.text, plain.text)
  }
  const png = await get(address(`${server.base}/wms`, map), { headers: { 'accept-encoding': 'gzip' } })
  assert.equal(png.headers.get('content-encoding'), null)
})

test('pages of other origins may ask', async () => {
  const answer = await get(address(`${server.base}/wms`, map), { headers: { origin: 'http://example.org' } })
  assert.equal(answer.headers.get('access-control-allow-origin'), '*')
  const preflight = await get(`${server.base}/wms`, { method: 'OPTIONS', headers: { origin: 'http://example.org', 'access-control-request-method': 'GET' } })
  assert.equal(preflight.status, 204)
  assert.match(preflight.headers.get('access-control-allow-methods'), /GET/)
  assert.equal((await getMap({ LAYERS: 'moon' })).headers.get('access-control-allow-origin'), '*', 'errors can be read, too')
})

test('tiles join the map of WMS; what is no tile is not found', async () => {
  const tile = await pixels(await get(`${server.base}/tiles/map/3/4/2.png`))
  assert.deepEqual([tile.width, tile.height], [256, 256])
  const side = 2 * Math.PI * 6378137 / 8
  const same = await getMap({ BBOX: [0, side, side, 2 * side].join(), WIDTH: '256', HEIGHT: '256' })
  assert.ok(tile.data.equals((await pixels(same)).data))
  assert.equal((await pixels(await get(`${server.base}/tiles/map/3/4/2@2x.png`))).width, 512)
  for (const name of ['map/3/8/0.png', 'moon/0/0/0.png', 'map/0/0/0.tea', 'map/99/0/0.png', 'map/0/0/-1.png', '../server.js', 'constructor/0/0/0.png', 'map/0/0/0.constructor']) {
    assert.equal((await get(`${server.base}/tiles/${name}`)).status, 404, name)
  }
})
