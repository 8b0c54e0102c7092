'use strict'

// The small documents of WFS: schemas, stored queries, exceptions.

const { xml } = require('../xml')
const { publicError } = require('../errors')
const { prefix, namespace, geometryName, storedQuery, geometryTypes, columnTypes, layers, types } = require('./types')

const gmlType = 'application/gml+xml; version=3.2'

// DescribeFeatureType: the XML Schema of some types.
function schema (names) {
  return xml({
    'xs:schema': {
      '@xmlns:xs': 'http://www.w3.org/2001/XMLSchema',
      '@xmlns:gml': 'http://www.opengis.net/gml/3.2',
      [`@xmlns:${prefix}`]: namespace,
      '@targetNamespace': namespace,
      '@elementFormDefault': 'qualified',
      'xs:import': { '@namespace': 'http://www.opengis.net/gml/3.2', '@schemaLocation': 'http://schemas.opengis.net/gml/3.2.1/gml.xsd' },
      'xs:complexType': names.map((name) => ({
        '@name': `${name}Type`,
        'xs:complexContent': { 'xs:extension': { '@base': 'gml:AbstractFeatureType', 'xs:sequence': { 'xs:element': properties(layers[name]) } } }
      })),
      'xs:element': names.map((name) => ({ '@name': name, '@type': `${prefix}:${name}Type`, '@substitutionGroup': 'gml:AbstractFeature' }))
    }
  })
}

// In the order in which GetFeature writes them.
function properties ({ geometry, columns }) {
  const optional = { '@minOccurs': 0, '@nillable': 'true' }
  return [
    { '@name': geometryName, '@type': `gml:${geometryTypes[geometry]}`, ...optional },
    { '@name': 'fid', '@type': 'xs:int' },
    ...Object.entries(columns).map(([name, type]) => ({ '@name': name, '@type': `xs:${columnTypes[type]}`, ...optional }))
  ]
}

const wfs = { '@xmlns:wfs': 'http://www.opengis.net/wfs/2.0', [`@xmlns:${prefix}`]: namespace }

const listStoredQueries = () => xml({
  'wfs:ListStoredQueriesResponse': {
    ...wfs,
    'wfs:StoredQuery': { '@id': storedQuery, 'wfs:Title': 'The feature with an id', 'wfs:ReturnFeatureType': types.map((name) => `${prefix}:${name}`) }
  }
})

const describeStoredQueries = () => xml({
  'wfs:DescribeStoredQueriesResponse': {
    ...wfs,
    '@xmlns:xs': 'http://www.w3.org/2001/XMLSchema',
    'wfs:StoredQueryDescription': {
      '@id': storedQuery,
      'wfs:Title': 'The feature with an id',
      'wfs:Parameter': { '@name': 'ID', '@type': 'xs:string' },
      'wfs:QueryExpressionText': {
        '@returnFeatureTypes': types.map((name) => `${prefix}:${name}`).join(' '), '@language': 'urn:ogc:def:queryLanguage:OGC-WFS::WFSQueryExpression', '@isPrivate': 'true'
      }
    }
  }
})

// An error. -> {status, type, headers, body}
function exceptionDocument (err) {
  const { code, message, locator, status, retryAfter } = publicError(err)
  const type = 'application/xml'
  return {
    status,
    type,
    headers: { 'content-type': type, 'cache-control': 'no-store', ...(retryAfter && { 'retry-after': String(retryAfter) }) },
    body: xml({
      'ows:ExceptionReport': {
        '@xmlns:ows': 'http://www.opengis.net/ows/1.1',
        '@xmlns:xsi': 'http://www.w3.org/2001/XMLSchema-instance',
        '@xsi:schemaLocation': 'http://www.opengis.net/ows/1.1 http://schemas.opengis.net/ows/1.1.0/owsExceptionReport.xsd',
        '@version': '2.0.0',
        'ows:Exception': { '@exceptionCode': code, '@locator': locator, 'ows:ExceptionText': message }
      }
    })
  }
}

module.exports = { schema, listStoredQueries, describeStoredQueries, exceptionDocument, gmlType }
