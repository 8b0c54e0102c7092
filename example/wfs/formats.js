'use strict'

// The output formats of GetFeature. format: sluice's name, or arrow; spelled: other names that clients know them by.

const formats = [
  { title: 'application/gml+xml; version=3.2', format: 'gml32', spelled: ['gml32', 'gml3.2', 'text/xml; subtype=gml/3.2', 'text/xml; subtype=gml/3.2.1', 'application/gml+xml', 'text/xml'] },
  { title: 'application/geo+json', format: 'geojson', spelled: ['application/json', 'json', 'geojson', 'application/vnd.geo+json'] },
  { title: 'text/csv', format: 'csv', spelled: ['csv'] },
  { title: 'application/vnd.apache.arrow.stream', format: 'arrow', spelled: ['arrow'] }
]

// A plus that was not escaped comes as a space, so neither counts.
const plain = (name) => name.toLowerCase().replace(/[+\s]/g, '')

function formatOf (params) {
  const text = params.get('outputformat')
  if (text === undefined) return formats[0]
  const found = formats.find(({ title, spelled }) => [title, ...spelled].some((name) => plain(name) === plain(text)))
  if (found === undefined) throw params.invalid('outputformat', `one of ${formats.map(({ title }) => title).join(', ')}`)
  return found
}

module.exports = { formats, formatOf }
