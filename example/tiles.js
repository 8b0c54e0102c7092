'use strict'

// XYZ tiles: /tiles/{layer}/{z}/{x}/{y}.{png|jpg|webp}, Web Mercator, 256 pixels; @2x: 512 for dense screens.

const { ServiceError } = require('./errors')
const { expand } = require('./layers')
const { edge, wms } = require('./crs')
const { formats } = require('./wms/formats')
const { sendMap } = require('./wms')

const tilePixels = 256
const deepest = 22
const types = { png: 'image/png', jpg: 'image/jpeg', webp: 'image/webp' }
const pattern = /^\/tiles\/(\w+)\/(\d{1,2})\/(\d{1,8})\/(\d{1,8})(@2x)?\.(\w+)$/

async function serveTile (exchange, { renderer, store }) {
  try {
    const query = tileQuery(exchange.url.pathname)
    if (await exchange.answeredFromCache(store.version && `${store.version} ${exchange.url.pathname}`)) return
    await sendMap(exchange, query, renderer, (err) => exchange.plainError(err))
  } catch (err) {
    await exchange.document(exchange.plainError(err))
  }
}

function tileQuery (pathname) {
  const [, layer, ...rest] = pattern.exec(pathname) ?? []
  const [z, x, y] = rest.slice(0, 3).map(Number)
  const [dense, extension] = rest.slice(3)
  const format = formats.find(({ name }) => Object.hasOwn(types, extension ?? '') && name === types[extension])
  const layers = layer && expand(layer)
  const count = 2 ** z
  if (!layers || format === undefined || z > deepest || x >= count || y >= count) {
    throw new ServiceError('NotFound', 'Expected /tiles/{layer}/{z}/{x}/{y}.png of the pyramid of Web Mercator', { status: 404 })
  }
  const side = 2 * edge / count
  const extent = [x * side - edge, edge - (y + 1) * side, (x + 1) * side - edge, edge - y * side]
  const scale = dense ? 2 : 1
  const system = wms['1.3.0']['EPSG:3857']
  return {
    layers, system, srs: system.srs, extent, width: tilePixels * scale, height: tilePixels * scale, scale, format, transparent: false, background: '#ffffff'
  }
}

module.exports = { serveTile }
