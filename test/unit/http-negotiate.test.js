'use strict'

const assert = require('node:assert/strict')
const { test } = require('node:test')

const { negotiate } = require('../..')

const of = (field, options, more) => negotiate({ headers: field === undefined ? {} : { 'accept-encoding': field }, ...more }, options)?.coding ?? null

test('Accept-Encoding', () => {
  const cases = [
    [undefined, 'identity'],
    ['', 'identity'],
    ['  ', 'identity'],
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['x-gzip', 'gzip'],
    ['gzip, deflate, br', 'br'],
    ['gzip, deflate, br, zstd', 'zstd'],
    ['deflate', 'deflate'],
    ['compress', 'identity'],
    ['*', 'zstd'],
    ['identity', 'identity'],
    ['zstd, *;q=0', 'zstd'],
    ['gzip;q=0, *', 'zstd'],
    ['gzip;q=0', 'identity'],
    ['*;q=0', null],
    ['identity;q=0', 'zstd'],
    ['identity;q=0, compress', 'zstd'],
    ['identity;q=0, zstd;q=0', 'br'],
    ['identity;q=0, zstd;q=0, br;q=0, gzip;q=0, deflate;q=0', null],
    ['*;q=0, identity', 'identity'],
    ['identity, *;q=0', 'identity'],
    ['zstd;q=1.0, gzip;q=0.5, br;q=0.8, identity;q=0', 'zstd'],
    ['br;q=1.0, gzip;q=0.8, *;q=0.1', 'br'],
    ['gzip;q=0.5, *;q=1', 'zstd'],
    ['identity;q=1, zstd;q=0.5', 'identity'],
    ['identity;q=0.5, zstd;q=0.5', 'zstd'],
    ['gzip;foo=bar;q=0.5, zstd;q=0.4', 'gzip'],
    ['gzip ; q=0.2 , zstd ; q=0.3', 'zstd'],
    ['gzip;Q=0.001', 'gzip'],
    ['gzip;q=0.000', 'identity'],
    [',,gzip,', 'gzip'],
    // A weight that is none: the item does not count, and nothing crashes.
    ['gzip;q=abc', 'identity'],
    ['gzip;q=', 'identity'],
    ['gzip;q', 'identity'],
    ['gzip;q=-1', 'identity'],
    ['gzip;q=1.001', 'identity'],
    ['gzip;q=0.1234', 'identity'],
    ['gzip;q=NaN, br', 'br'],
    ['gzip;q=1;q=0', 'gzip'],
    [';', 'identity'],
    [';q=1', 'identity'],
    ['gzip;'.repeat(5000), 'gzip'],
    ['__proto__', 'identity'],
    ['\u0000', 'identity']
  ]
  for (const [field, expected] of cases) assert.equal(of(field), expected, JSON.stringify(field)?.slice(0, 60))
})

test('codings on offer, in the order of the server', () => {
  assert.equal(of('gzip, br, zstd', { codings: ['gzip', 'br'] }), 'gzip')
  assert.equal(of('zstd', { codings: ['gzip'] }), 'identity')
  assert.equal(of('identity;q=0, zstd', { codings: ['gzip'] }), 'gzip')
  assert.equal(of('*', { codings: [] }), 'identity')
  assert.equal(of('*;q=0', { codings: [] }), null)
  assert.equal(of('gzip', { codings: ['identity', 'GZIP'] }), 'gzip')
  assert.equal(of('dcb, gzip', { codings: ['dcb'] }), 'dcb')
})

test('what is compressed is not coded', () => {
  for (const type of ['image/png', 'IMAGE/JPEG', 'image/webp; a=b', 'image/gif', 'image/avif', 'video/mp4', 'application/zip', 'application/gzip', 'font/woff2', 'application/vnd.google-earth.kmz', 'application/x+zip']) {
    assert.equal(of('gzip, zstd', { type }), 'identity', type)
    assert.equal(of('*;q=0', { type }), null, type)
  }
  for (const type of ['text/xml; charset=utf-8', 'application/gml+xml', 'application/geo+json', 'image/svg+xml', 'image/bmp', 'application/vnd.apache.arrow.stream', 'application/octet-stream', '', undefined]) {
    assert.equal(of('gzip, zstd', { type }), 'zstd', type)
  }
})

test('what is not sent whole is not coded', () => {
  assert.equal(of('gzip', {}, { method: 'HEAD' }), 'identity')
  assert.equal(negotiate({ headers: { 'accept-encoding': 'gzip', range: 'bytes=0-9' } }).coding, 'identity')
})

test('the fields of the answer', () => {
  assert.deepEqual(negotiate({ headers: { 'accept-encoding': 'br' } }), { coding: 'br', headers: { vary: 'Accept-Encoding', 'content-encoding': 'br' } })
  assert.deepEqual(negotiate({ headers: {} }), { coding: 'identity', headers: { vary: 'Accept-Encoding' } })
})

test('anything with headers', () => {
  const forms = [
    { headers: { 'accept-encoding': 'gzip' } },
    { headers: { 'Accept-Encoding': 'gzip' } },
    { headers: { 'ACCEPT-ENCODING': ['br;q=0', 'gzip'] } },
    { headers: new Headers({ 'Accept-Encoding': 'gzip' }) },
    { headers: new Map([['accept-encoding', 'gzip']]) },
    new Request('http://localhost', { headers: { 'accept-encoding': 'gzip' } }),
    { headers: Object.assign(Object.create(null), { 'accept-encoding': 'gzip' }) }
  ]
  for (const form of forms) assert.equal(negotiate(form).coding, 'gzip')
})

test('wrong types throw', () => {
  for (const args of [[], [null], [{}], [{ headers: null }], [{ headers: 'gzip' }], [{ headers: {} }, null], [{ headers: {} }, { type: 5 }], [{ headers: {} }, { codings: 'gzip' }], [{ headers: {} }, { codings: [5] }]]) {
    assert.throws(() => negotiate(...args), { code: 'ERR_SLUICE_ARGUMENT' })
  }
})
