'use strict'

// What conformance suites look at in a WFS 2.0 of the class Simple, in our words.

const assert = require('node:assert/strict')
const { test } = require('node:test')
const arrow = require('apache-arrow')
const { check: checkGeoJson } = require('@placemarkio/check-geojson')
const { codings, sharedServer, parseXml, list, address, get } = require('./support')

const server = sharedServer()

const common = { SERVICE: 'WFS', VERSION: '2.0.0' }
const wfs = (params, options) => get(address(`${server.base}/wfs`, { ...common, ...params }), options)
const getFeature = (params, options) => wfs({ REQUEST: 'GetFeature', TYPENAMES: 'map:countries', ...params }, options)
const geojson = async (params) => JSON.parse((await getFeature({ OUTPUTFORMAT: 'application/geo+json', ...params })).text)
const collection = async (params) => parseXml((await getFeature(params)).text).FeatureCollection
const members = ({ member }) => list(member)

async function assertException (answer, code, { status = 400, locator, what = '' } = {}) {
  assert.equal(answer.status, status, `${what} ${answer.text.slice(0, 500)}`)
  assert.equal(answer.type, 'application/xml')
  const { ExceptionReport: report } = parseXml(answer.text)
  assert.equal(report.Exception['@exceptionCode'], code, `${what} ${answer.text}`)
  if (locator !== undefined) assert.equal(report.Exception['@locator'], locator, what)
  assert.equal(answer.headers.get('cache-control'), 'no-store')
}

test('capabilities: what the service is, promises and does not', async () => {
  const { text } = await wfs({ VERSION: undefined, REQUEST: 'GetCapabilities' })
  const { WFS_Capabilities: content } = parseXml(text)
  assert.equal(content['@version'], '2.0.0')
  assert.equal(content.ServiceIdentification.ServiceType, 'WFS')
  const promised = Object.fromEntries(content.OperationsMetadata.Constraint.map((one) => [one['@name'], one.DefaultValue]))
  assert.deepEqual(promised, {
    ImplementsSimpleWFS: 'TRUE',
    ImplementsBasicWFS: 'FALSE',
    ImplementsTransactionalWFS: 'FALSE',
    ImplementsLockingWFS: 'FALSE',
    KVPEncoding: 'TRUE',
    XMLEncoding: 'FALSE',
    SOAPEncoding: 'FALSE',
    ImplementsInheritance: 'FALSE',
    ImplementsRemoteResolve: 'FALSE',
    ImplementsResultPaging: 'TRUE',
    ImplementsStandardJoins: 'FALSE',
    ImplementsSpatialJoins: 'FALSE',
    ImplementsTemporalJoins: 'FALSE',
    ImplementsFeatureVersioning: 'FALSE',
    ManageStoredQueries: 'FALSE'
  })
  const operations = content.OperationsMetadata.Operation.map((one) => one['@name'])
  assert.deepEqual(operations, ['GetCapabilities', 'DescribeFeatureType', 'ListStoredQueries', 'DescribeStoredQueries', 'GetFeature'])
  for (const { DCP } of content.OperationsMetadata.Operation) assert.match(DCP.HTTP.Get['@href'], /\/wfs\?$/)
  assert.equal(content.FeatureTypeList.FeatureType.length, 6)
  for (const type of content.FeatureTypeList.FeatureType) assert.ok(type.Name.startsWith('map:') && type.DefaultCRS && type.WGS84BoundingBox.LowerCorner)
})

test('capabilities: versions are negotiated, parameter names come in any case', async () => {
  for (const ACCEPTVERSIONS of ['2.0.0', '1.1.0,2.0.0', '2.0.2']) assert.equal((await wfs({ VERSION: undefined, REQUEST: 'GetCapabilities', ACCEPTVERSIONS })).status, 200)
  await assertException(await wfs({ VERSION: undefined, REQUEST: 'GetCapabilities', ACCEPTVERSIONS: '1.0.0,1.1.0' }), 'VersionNegotiationFailed')
  const plain = await get(`${server.base}/wfs?service=wfs&request=getcapabilities&foo=bar`)
  assert.equal(plain.text, (await wfs({ REQUEST: 'GetCapabilities' })).text)
})

test('requests that are wrong are answered with the right code, and nothing leaks', async () => {
  const cases = [
    [{ SERVICE: undefined }, 'MissingParameterValue', 'service'],
    [{ SERVICE: 'WMS' }, 'InvalidParameterValue', 'service'],
    [{ REQUEST: undefined }, 'MissingParameterValue', 'request'],
    [{ REQUEST: 'GetTea' }, 'OperationNotSupported', 'request'],
    [{ REQUEST: 'constructor' }, 'OperationNotSupported', 'request'],
    [{ VERSION: '1.1.0' }, 'InvalidParameterValue', 'version'],
    [{ TYPENAMES: undefined }, 'MissingParameterValue', 'typenames'],
    [{ TYPENAMES: 'map:moon' }, 'InvalidParameterValue', 'typenames'],
    [{ TYPENAMES: 'map:ocean' }, 'InvalidParameterValue', 'typenames'],
    [{ TYPENAMES: 'constructor' }, 'InvalidParameterValue', 'typenames'],
    [{ TYPENAMES: 'countries"; drop table countries; --' }, 'InvalidParameterValue', 'typenames'],
    [{ TYPENAMES: 'map:countries,map:cities' }, 'InvalidParameterValue', 'typenames'],
    [{ COUNT: '-1' }, 'InvalidParameterValue', 'count'],
    [{ COUNT: '1 or 1=1' }, 'InvalidParameterValue', 'count'],
    [{ STARTINDEX: 'x' }, 'InvalidParameterValue', 'startindex'],
    [{ STARTINDEX: '99999999999999999999' }, 'InvalidParameterValue', 'startindex'],
    [{ RESULTTYPE: 'tea' }, 'InvalidParameterValue', 'resulttype'],
    [{ OUTPUTFORMAT: 'text/tea' }, 'InvalidParameterValue', 'outputformat'],
    [{ SRSNAME: 'EPSG:1' }, 'InvalidParameterValue', 'srsname'],
    [{ BBOX: '1,2,3' }, 'InvalidParameterValue', 'bbox'],
    [{ BBOX: '1,2,3,4,EPSG:1' }, 'InvalidParameterValue', 'bbox'],
    [{ BBOX: '1,2,3,4,EPSG:4326,x' }, 'InvalidParameterValue', 'bbox'],
    [{ BBOX: '9,2,3,4' }, 'InvalidParameterValue', 'bbox'],
    [{ BBOX: "1,2,3,4');--" }, 'InvalidParameterValue', 'bbox'],
    [{ BBOX: '1,2,3,4', RESOURCEID: 'countries.1' }, 'InvalidParameterValue', 'bbox'],
    [{ RESOURCEID: 'countries.1; drop table countries' }, 'InvalidParameterValue', 'resourceid'],
    [{ RESOURCEID: 'cities.1' }, 'InvalidParameterValue', 'resourceid'],
    [{ RESOURCEID: Array(1001).fill('countries.1').join() }, 'InvalidParameterValue', 'resourceid'],
    [{ PROPERTYNAME: 'name,tea' }, 'InvalidParameterValue', 'propertyname'],
    [{ PROPERTYNAME: 'name" from countries; --' }, 'InvalidParameterValue', 'propertyname'],
    [{ FILTER: '<Filter/>' }, 'OptionNotSupported', 'filter'],
    [{ FILTER: '<Tea/>' }, 'OperationParsingFailed', 'filter'],
    [{ FILTER: '<Filter' }, 'OperationParsingFailed', 'filter'],
    [{ FILTER: '<!DOCTYPE x [<!ENTITY a "a">]><Filter>&a;</Filter>' }, 'OperationParsingFailed', 'filter'],
    [{ FILTER: '<Filter><PropertyIsEqualTo><ValueReference>name</ValueReference><Literal>x</Literal></PropertyIsEqualTo></Filter>' }, 'OptionNotSupported', 'filter'],
    [{ FILTER: '<Filter><ResourceId rid="countries.1 or 1=1"/></Filter>' }, 'InvalidParameterValue', 'resourceid'],
    [{ CQL_FILTER: "name='x' or 1=1" }, 'OptionNotSupported', 'cql_filter'],
    [{ SORTBY: 'name' }, 'OptionNotSupported', 'sortby'],
    [{ STOREDQUERY_ID: 'urn:tea' }, 'InvalidParameterValue', 'storedquery_id']
  ]
  for (const [changes, code, locator] of cases) await assertException(await getFeature(changes), code, { locator, what: JSON.stringify(changes) })
  await assertException(await get(`${address(`${server.base}/wfs`, { ...common, REQUEST: 'GetFeature', TYPENAMES: 'map:countries' })}&typeNames=cities`), 'InvalidParameterValue', { locator: 'typenames' })
  for (const path of ['/wfs?service=WFS&request=GetFeature&typenames=countries&count=1', '/wfs?service=WFS&request=GetCapabilities']) assert.equal((await get(server.base + path)).status, 200, 'all is well afterwards')
})

test('DescribeFeatureType: all types, some, and none of that name', async () => {
  const all = await wfs({ REQUEST: 'DescribeFeatureType' })
  assert.equal(all.type, 'application/gml+xml; version=3.2')
  assert.deepEqual(list(parseXml(all.text).schema.element).map((one) => one['@name']), ['countries', 'landuse', 'buildings', 'roads', 'addresses', 'cities'])
  const { schema } = parseXml((await wfs({ REQUEST: 'DescribeFeatureType', TYPENAMES: 'map:roads' })).text)
  assert.deepEqual(schema.complexType.complexContent.extension.sequence.element.map((one) => one['@name']), ['geom', 'fid', 'highway', 'name', 'surface', 'maxspeed'])
  await assertException(await wfs({ REQUEST: 'DescribeFeatureType', TYPENAMES: 'map:roads,map:moon' }), 'InvalidParameterValue', { locator: 'typenames' })
})

test('stored queries: listed, described, and the feature alone or a 404', async () => {
  const [stored] = list(parseXml((await wfs({ REQUEST: 'ListStoredQueries' })).text).ListStoredQueriesResponse.StoredQuery)
  assert.equal(stored['@id'], 'urn:ogc:def:query:OGC-WFS::GetFeatureById')
  const described = parseXml((await wfs({ REQUEST: 'DescribeStoredQueries' })).text).DescribeStoredQueriesResponse.StoredQueryDescription
  assert.deepEqual([described['@id'], described.Parameter['@name']], [stored['@id'], 'ID'])
  const byId = (ID) => getFeature({ TYPENAMES: undefined, STOREDQUERY_ID: stored['@id'], ID })
  const { text } = await byId('cities.1')
  const root = parseXml(text)
  assert.deepEqual(Object.keys(root).filter((name) => name !== '?xml'), ['cities'], 'no collection around it')
  assert.equal(root.cities['@id'], 'cities.1')
  assert.match(text, /xmlns:map="http:\/\/example.org\/map"/)
  for (const id of ['cities.999999999', 'moon.1', 'cities', 'constructor.1', "cities.1' or 1=1"]) await assertException(await byId(id), 'NotFound', { status: 404, what: id })
  await assertException(await byId(undefined), 'MissingParameterValue', { locator: 'id' })
})

test('GML: members, counts, positions with latitude first', async () => {
  const answer = await getFeature({ TYPENAMES: 'map:cities', COUNT: '3' })
  assert.equal(answer.type, 'application/gml+xml; version=3.2')
  const content = parseXml(answer.text).FeatureCollection
  assert.deepEqual([content['@numberReturned'], members(content).length], ['3', 3])
  assert.ok(Number(content['@numberMatched']) > 130000)
  const [{ cities }] = members(content)
  assert.deepEqual([cities['@id'], cities.fid, cities.name], ['cities.1', '1', 'Shanghai'])
  assert.equal(cities.geom.Point['@srsName'], 'urn:ogc:def:crs:EPSG::4326')
  assert.deepEqual((cities.geom.Point.pos['#text'] ?? cities.geom.Point.pos).split(' ').map(Math.round), [31, 121])
})

test('srsName is honoured, and says what the coordinates are', async () => {
  const position = async (SRSNAME) => {
    const [{ cities }] = members(await collection({ TYPENAMES: 'cities', COUNT: '1', SRSNAME }))
    assert.equal(cities.geom.Point['@srsName'], SRSNAME)
    return (cities.geom.Point.pos['#text'] ?? cities.geom.Point.pos).split(' ').map(Number)
  }
  const [latitude, longitude] = await position('urn:ogc:def:crs:EPSG::4326')
  assert.deepEqual(await position('EPSG:4326'), [longitude, latitude])
  assert.deepEqual(await position('urn:ogc:def:crs:OGC:1.3:CRS84'), [longitude, latitude])
  const [x, y] = await position('urn:ogc:def:crs:EPSG::3857')
  assert.ok(Math.abs(x - longitude * 111319.490793) < 0.1 && Math.abs(y - Math.log(Math.tan(Math.PI / 4 + latitude * Math.PI / 360)) * 6378137) < 0.1)
  const metres = await geojson({ TYPENAMES: 'cities', COUNT: '1', SRSNAME: 'EPSG:3857' })
  assert.deepEqual(metres.features[0].geometry.coordinates.map(Math.round), [Math.round(x), Math.round(y)])
  assert.match(JSON.stringify(metres.crs), /3857/)
})

test('GeoJSON is valid, in degrees, and has the features of the GML', async () => {
  const { text, type } = await getFeature({ OUTPUTFORMAT: 'application/json' })
  assert.equal(type, 'application/geo+json')
  const content = checkGeoJson(text)
  assert.equal(content.crs, undefined)
  const gml = members(await collection())
  assert.ok(content.features.length > 200)
  assert.equal(content.features.length, gml.length)
  content.features.forEach(({ properties, geometry }, i) => {
    assert.deepEqual([properties.name, properties.fid], [gml[i].countries.name, Number(gml[i].countries.fid)])
    assert.equal(geometry.type, 'MultiPolygon')
  })
})

test('CSV has a line for each feature', async () => {
  const csv = await getFeature({ TYPENAMES: 'roads', COUNT: '2500', OUTPUTFORMAT: 'csv' })
  assert.equal(csv.type.split(';')[0], 'text/csv')
  const lines = csv.text.trimEnd().split('\r\n')
  assert.equal(lines[0], 'geom,fid,highway,name,surface,maxspeed')
  assert.equal(lines.length, 2501)
  assert.match(lines[1], /^"?LINESTRING/)
})

test('paging is stable, and pages lead to each other', async () => {
  const whole = await geojson({ PROPERTYNAME: 'name' })
  const ids = []
  let url = address(`${server.base}/wfs`, { ...common, REQUEST: 'GetFeature', TYPENAMES: 'map:countries', COUNT: '100' })
  const pages = []
  while (url !== undefined) {
    const page = parseXml((await get(url)).text).FeatureCollection
    pages.push(page)
    ids.push(...members(page).map(({ countries }) => Number(countries.fid)))
    assert.equal(page['@numberMatched'], String(whole.features.length))
    url = page['@next']?.replaceAll('&amp;', '&')
  }
  assert.deepEqual(ids, whole.features.map(({ properties }) => properties.fid))
  assert.equal(pages[0]['@previous'], undefined)
  const previous = parseXml((await get(pages[2]['@previous'].replaceAll('&amp;', '&'))).text).FeatureCollection
  assert.deepEqual(members(previous).map(({ countries }) => countries.fid), members(pages[1]).map(({ countries }) => countries.fid))
  const beyond = await collection({ STARTINDEX: '100000' })
  assert.deepEqual([beyond['@numberReturned'], members(beyond).length], ['0', 0])
  const none = await collection({ COUNT: '0' })
  assert.deepEqual([none['@numberReturned'], none['@numberMatched'], none['@next']], ['0', String(whole.features.length), undefined])
})

test('hits count, and lead to the first page', async () => {
  const hits = await collection({ RESULTTYPE: 'hits', COUNT: '10' })
  assert.deepEqual([hits['@numberReturned'], members(hits).length], ['0', 0])
  const page = parseXml((await get(hits['@next'].replaceAll('&amp;', '&'))).text).FeatureCollection
  assert.deepEqual([page['@numberReturned'], page['@numberMatched']], ['10', hits['@numberMatched']])
})

test('BBOX in the axes of its CRS', async () => {
  const ids = async (BBOX) => (await geojson({ TYPENAMES: 'roads', BBOX })).features.map(({ properties }) => properties.fid)
  const wanted = await ids('-34.91,-56.19,-34.90,-56.18') // EPSG:4326 as its authority has it
  assert.ok(wanted.length > 50)
  assert.deepEqual(await ids('-34.91,-56.19,-34.90,-56.18,urn:ogc:def:crs:EPSG::4326'), wanted)
  assert.deepEqual(await ids('-56.19,-34.91,-56.18,-34.90,EPSG:4326'), wanted)
  const metres = (longitude, latitude) => [longitude * 111319.49079327358, Math.log(Math.tan(Math.PI / 4 + latitude * Math.PI / 360)) * 6378137]
  assert.deepEqual(await ids([...metres(-56.19, -34.91), ...metres(-56.18, -34.9), 'urn:ogc:def:crs:EPSG::3857'].join()), wanted)
  assert.equal((await collection({ TYPENAMES: 'roads', BBOX: '-34.91,-56.19,-34.90,-56.18' }))['@numberMatched'], String(wanted.length))
  assert.deepEqual(await ids('10,10,11,11'), [])
  const FILTER = '<fes:Filter xmlns:fes="http://www.opengis.net/fes/2.0" xmlns:gml="http://www.opengis.net/gml/3.2"><fes:BBOX><fes:ValueReference>geom</fes:ValueReference><gml:Envelope srsName="urn:ogc:def:crs:EPSG::4326"><gml:lowerCorner>-34.91 -56.19</gml:lowerCorner><gml:upperCorner>-34.90 -56.18</gml:upperCorner></gml:Envelope></fes:BBOX></fes:Filter>'
  assert.deepEqual((await geojson({ TYPENAMES: 'roads', FILTER })).features.map(({ properties }) => properties.fid), wanted)
})

test('ResourceId and propertyName', async () => {
  const { features } = await geojson({ TYPENAMES: undefined, RESOURCEID: 'countries.5,countries.2' })
  assert.deepEqual(features.map(({ properties }) => properties.fid).sort(), [2, 5])
  assert.equal((await geojson({ RESOURCEID: 'countries.999999' })).features.length, 0)
  const few = await geojson({ PROPERTYNAME: 'name', COUNT: '1' })
  assert.deepEqual(Object.keys(few.features[0].properties), ['fid', 'name'])
  assert.equal(few.features[0].geometry, null)
  const [{ countries }] = members(await collection({ PROPERTYNAME: 'map:geom,map:iso', COUNT: '1' }))
  assert.deepEqual(Object.keys(countries).sort(), ['@id', 'fid', 'geom', 'iso'])
})

test('caches, codings and HEAD', async () => {
  const params = { COUNT: '20' }
  const first = await getFeature(params)
  const etag = first.headers.get('etag')
  assert.match(etag, /^W\//)
  assert.deepEqual([(await getFeature(params, { headers: { 'if-none-match': etag } })).status, (await getFeature({ COUNT: '21' })).headers.get('etag') === etag], [304, false])
  for (const coding of codings.filter((name) => name !== 'zstd')) { // which this fetch may not read
    const coded = await getFeature(params, { headers: { 'accept-encoding': coding } })
    assert.equal(coded.headers.get('content-encoding'), coding)
    assert.equal(coded.text.replace(/timeStamp="[^"]*"/, ''), first.text.replace(/timeStamp="[^"]*"/, ''))
  }
  assert.equal((await getFeature(params, { headers: { 'accept-encoding': '*;q=0' } })).status, 406)
  const head = await getFeature(params, { method: 'HEAD' })
  assert.deepEqual([head.status, head.type, head.body.length], [200, first.type, 0])
})

test('Arrow is read by apache-arrow', async () => {
  const answer = await getFeature({ TYPENAMES: 'addresses', COUNT: '5000', OUTPUTFORMAT: 'arrow' }, { headers: { 'accept-encoding': 'identity' } })
  assert.equal(answer.type.split(';')[0], 'application/vnd.apache.arrow.stream')
  const table = arrow.tableFromIPC(answer.body)
  assert.equal(table.numRows, 5000)
  assert.deepEqual(table.schema.fields.map(({ name }) => name), ['fid', 'geom', 'housenumber', 'street'])
  const { features } = await geojson({ TYPENAMES: 'addresses', COUNT: '5000' })
  features.forEach(({ properties }, i) => {
    const row = table.get(i)
    assert.deepEqual([row.fid, row.housenumber, row.street], [properties.fid, properties.housenumber, properties.street])
  })
})
