'use strict'

const assert = require('node:assert/strict')
const http = require('node:http')
const { once } = require('node:events')
const { test } = require('node:test')

const { features, send } = require('../..')

const failure = new Error('the database left')
const many = { geometry: { x: new Float64Array(5000).fill(1), y: new Float64Array(5000).fill(2) } }

/** What a client gets of a source that fails after its first part, and the report: {status, text, cut, report}. */
async function answer (description, options, part) {
  let report
  const server = http.createServer((request, response) => {
    const source = features({ typeName: 'place', ...description })
    report = send(request, response, source, options)
    source.write(part)
    setTimeout(() => source.fail(failure), 50)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const [response] = await once(http.get({ port: server.address().port, agent: false }), 'response')
  let text = ''
  let cut = false
  try {
    for await (const chunk of response.setEncoding('utf8')) text += chunk
  } catch {
    cut = true
  }
  server.close()
  return { status: response.statusCode, text, cut, report: await report }
}

test('send ends a WFS response by telling why, once its beginning was sent', async () => {
  for (const strategy of ['speed', 'partial']) {
    const { status, text, cut, report } = await answer({ format: 'gml32' }, { strategy, coding: 'identity' }, many)
    assert.deepEqual([status, cut], [200, false], strategy)
    assert.match(text, /<wfs:truncatedResponse>.*the database left.*<\/wfs:truncatedResponse>\n<\/wfs:FeatureCollection>\n$/)
    assert.equal(text.match(/<\/wfs:member>/g).length, 5000)
    assert.equal(report.error, failure)
    assert.equal(report.committed, true)
  }
})

test('send cuts what has no words for it, and explains where nothing was sent', async () => {
  const geojson = await answer({ format: 'geojson' }, { strategy: 'speed', coding: 'identity' }, many)
  assert.deepEqual([geojson.status, geojson.cut, geojson.report.error], [200, true, failure])
  const small = { geometry: { x: new Float64Array(1), y: new Float64Array(1) } }
  const held = await answer({ format: 'gml32' }, { strategy: 'buffer', coding: 'identity' }, small)
  assert.deepEqual([held.status, held.cut, held.report.error], [500, false, failure])
  const broken = { geometry: { wkb: { offsets: new Int32Array([0, 1]), data: new Uint8Array(1) } } }
  const fault = await answer({ format: 'gml32' }, { strategy: 'partial', coding: 'identity' }, broken)
  assert.deepEqual([fault.status, fault.cut, fault.report.error.code], [500, false, 'ERR_SLUICE_INPUT'])
})
