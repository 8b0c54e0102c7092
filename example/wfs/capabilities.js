'use strict'

// GetCapabilities of WFS 2.0 (OGC 09-025r2).

const { xml } = require('../xml')
const { attribution, group } = require('../layers')
const { formats } = require('./formats')
const { countDefault } = require('./query')
const { prefix, namespace, layers, types } = require('./types')

// What the service promises (table 13) and what it does not.
const constraints = {
  ImplementsBasicWFS: false,
  ImplementsTransactionalWFS: false,
  ImplementsLockingWFS: false,
  KVPEncoding: true,
  XMLEncoding: false,
  SOAPEncoding: false,
  ImplementsInheritance: false,
  ImplementsRemoteResolve: false,
  ImplementsResultPaging: true,
  ImplementsStandardJoins: false,
  ImplementsSpatialJoins: false,
  ImplementsTemporalJoins: false,
  ImplementsFeatureVersioning: false,
  ManageStoredQueries: false
}

// Of filters (OGC 09-026r2, 7.13.2): RESOURCEID and BBOX.
const filterConstraints = {
  ImplementsQuery: true,
  ImplementsAdHocQuery: true,
  ImplementsFunctions: false,
  ImplementsResourceId: true,
  ImplementsMinStandardFilter: false,
  ImplementsStandardFilter: false,
  ImplementsMinSpatialFilter: true,
  ImplementsSpatialFilter: false,
  ImplementsMinTemporalFilter: false,
  ImplementsTemporalFilter: false,
  ImplementsVersionNav: false,
  ImplementsSorting: false,
  ImplementsExtendedOperators: false,
  ImplementsMinimumXPath: false,
  ImplementsSchemaElementFunc: false
}

const constraint = (tag) => ([name, value]) => ({ '@name': name, [`${tag}:NoValues`]: {}, [`${tag}:DefaultValue`]: value ? 'TRUE' : 'FALSE' })
const allowed = (name, values) => ({ '@name': name, 'ows:AllowedValues': { 'ows:Value': values } })

// base: the address of the service, up to and with its question mark.
function capabilities (base) {
  const operation = (name, parameters = {}) => ({
    '@name': name,
    'ows:DCP': { 'ows:HTTP': { 'ows:Get': { '@xlink:href': base } } },
    ...(Object.keys(parameters).length > 0 && { 'ows:Parameter': Object.entries(parameters).map(([key, values]) => allowed(key, values)) })
  })
  const outputFormat = formats.map(({ title }) => title)
  return xml({
    'wfs:WFS_Capabilities': {
      '@version': '2.0.0',
      '@xmlns:wfs': 'http://www.opengis.net/wfs/2.0',
      '@xmlns:ows': 'http://www.opengis.net/ows/1.1',
      '@xmlns:fes': 'http://www.opengis.net/fes/2.0',
      '@xmlns:xlink': 'http://www.w3.org/1999/xlink',
      '@xmlns:xsi': 'http://www.w3.org/2001/XMLSchema-instance',
      [`@xmlns:${prefix}`]: namespace,
      '@xsi:schemaLocation': 'http://www.opengis.net/wfs/2.0 http://schemas.opengis.net/wfs/2.0/wfs.xsd',
      'ows:ServiceIdentification': {
        'ows:Title': group.title,
        'ows:Abstract': attribution,
        'ows:ServiceType': 'WFS',
        'ows:ServiceTypeVersion': '2.0.0',
        'ows:Fees': 'none',
        'ows:AccessConstraints': 'none'
      },
      'ows:ServiceProvider': { 'ows:ProviderName': 'sluice example', 'ows:ServiceContact': {} },
      'ows:OperationsMetadata': {
        'ows:Operation': [
          operation('GetCapabilities', { AcceptVersions: ['2.0.0'], AcceptFormats: ['text/xml'] }),
          operation('DescribeFeatureType', { outputFormat: ['application/gml+xml; version=3.2'] }),
          operation('ListStoredQueries'),
          operation('DescribeStoredQueries'),
          { ...operation('GetFeature', { outputFormat, resultType: ['results', 'hits'] }), 'ows:Constraint': { '@name': 'CountDefault', 'ows:NoValues': {}, 'ows:DefaultValue': countDefault } }
        ],
        'ows:Parameter': [allowed('version', ['2.0.0'])],
        'ows:Constraint': Object.entries({ ImplementsSimpleWFS: true, ...constraints }).map(constraint('ows'))
      },
      'wfs:FeatureTypeList': {
        'wfs:FeatureType': types.map((name) => ({
          'wfs:Name': `${prefix}:${name}`,
          'wfs:Title': layers[name].title,
          'wfs:DefaultCRS': 'urn:ogc:def:crs:EPSG::4326',
          'wfs:OtherCRS': ['urn:ogc:def:crs:EPSG::3857', 'urn:ogc:def:crs:OGC:1.3:CRS84'],
          'wfs:OutputFormats': { 'wfs:Format': outputFormat },
          'ows:WGS84BoundingBox': {
            'ows:LowerCorner': layers[name].bounds.slice(0, 2).join(' '),
            'ows:UpperCorner': layers[name].bounds.slice(2).join(' ')
          }
        }))
      },
      'fes:Filter_Capabilities': {
        'fes:Conformance': { 'fes:Constraint': Object.entries(filterConstraints).map(constraint('ows')) },
        'fes:Id_Capabilities': { 'fes:ResourceIdentifier': { '@name': 'fes:ResourceId' } },
        'fes:Spatial_Capabilities': {
          'fes:GeometryOperands': { 'fes:GeometryOperand': { '@name': 'gml:Envelope', '@xmlns:gml': 'http://www.opengis.net/gml/3.2' } },
          'fes:SpatialOperators': { 'fes:SpatialOperator': { '@name': 'BBOX' } }
        }
      }
    }
  })
}

module.exports = { capabilities }
