'use strict'

// FILTER (OGC 09-026r2) as far as clients of a Simple WFS send one: a single BBOX, or ResourceIds.

const { convert } = require('xmlbuilder2')
const { ServiceError } = require('../errors')
const { geometryName, prefix } = require('./types')

const longest = 20000 // characters

// -> {bbox: the text of a BBOX parameter} or {ids: that of RESOURCEID}
function readFilter (text) {
  const filter = parse(text)
  const names = Object.keys(filter).filter((name) => !name.startsWith('@'))
  if (names.length === 1 && names[0] === 'BBOX') return { bbox: boxOf(filter.BBOX) }
  if (names.length === 1 && names[0] === 'ResourceId') return { ids: [filter.ResourceId].flat().map((id) => id['@rid']).join() }
  throw new ServiceError('OptionNotSupported', 'Expected a FILTER of one BBOX or of ResourceIds', { locator: 'filter' })
}

// Elements by their names without prefixes. A document type is refused: entities may grow without end.
function parse (text) {
  let root
  try {
    if (text.length > longest || text.includes('<!')) throw new Error('too long, or with a document type')
    root = local(convert(text, { format: 'object' }))
  } catch {
    throw new ServiceError('OperationParsingFailed', 'Expected FILTER to be well-formed XML', { locator: 'filter' })
  }
  if (typeof root.Filter !== 'object') throw new ServiceError('OperationParsingFailed', 'Expected FILTER to be a fes:Filter', { locator: 'filter' })
  return root.Filter
}

function local (node) {
  if (Array.isArray(node)) return node.map(local)
  if (typeof node !== 'object' || node === null) return node
  return Object.fromEntries(Object.entries(node).map(([name, value]) => [name.replace(/^[^:@]*:/, ''), local(value)]))
}

const textOf = (node) => String(node?.['#'] ?? node ?? '').trim()

function boxOf ({ ValueReference: reference, Envelope: envelope }) {
  const name = textOf(reference)
  const corners = [envelope?.lowerCorner, envelope?.upperCorner].map((corner) => textOf(corner).split(/\s+/))
  if (![geometryName, `${prefix}:${geometryName}`, ''].includes(name) || corners.some((corner) => corner.length !== 2)) {
    throw new ServiceError('InvalidParameterValue', `Expected the BBOX of FILTER to be of ${geometryName}, with an Envelope of two corners`, { locator: 'filter' })
  }
  return [...corners.flat(), ...(envelope['@srsName'] ? [envelope['@srsName']] : [])].join()
}

module.exports = { readFilter }
