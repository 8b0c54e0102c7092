'use strict'

const { create } = require('xmlbuilder2')

// An object as an XML document: '@name' is an attribute, '#' text, a list repeats its element, undefined is left out.
// doctype: {sysID}, if there is one.
function xml (root, { doctype } = {}) {
  const document = create({ version: '1.0', encoding: 'UTF-8' }, clean(root))
  if (doctype) document.dtd(doctype)
  return `${document.end({ prettyPrint: true })}\n`
}

// Clients' words come back in error messages, and XML 1.0 has no control characters (2.2) and no halves of surrogates.
const illegal = /[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu

function clean (value) {
  if (Array.isArray(value)) return value.map(clean)
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).filter(([, part]) => part !== undefined).map(([name, part]) => [name, clean(part)]))
  }
  return String(value).replace(illegal, '\uFFFD')
}

module.exports = { xml }
