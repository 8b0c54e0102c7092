'use strict'

// GetLegendGraphic (SLD profile of WMS, OGC 05-078r4, 11): the symbols of one layer, or of all of them.

const { ServiceError } = require('../errors')
const { expand, layers } = require('../layers')
const { drawLegend } = require('../render/text')
const { formats } = require('./formats')

// -> {pixels, format}
async function legend (params) {
  const name = params.required('layer')
  const names = expand(name)
  if (names === undefined) throw new ServiceError('LayerNotDefined', `Expected LAYER to name a layer of the capabilities, got "${name.slice(0, 100)}"`, { locator: 'layer' })
  const style = params.get('style')
  if (style !== undefined && style !== 'default') throw params.invalid('style', 'empty or "default"', 'StyleNotDefined')
  const asked = (params.get('format') ?? formats[0].title).toLowerCase().replaceAll(' ', '')
  const format = formats.find(({ name }) => name === asked)
  if (format === undefined) throw params.invalid('format', `one of ${formats.map(({ title }) => title).join(', ')}`, 'InvalidFormat')
  const transparent = /^true$/i.test(params.get('transparent') ?? '') && !format.opaque
  return { pixels: await drawLegend(names.flatMap((one) => layers[one].legend), transparent ? 'rgba(255,255,255,0)' : '#ffffff'), format }
}

module.exports = { legend }
