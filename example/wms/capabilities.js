'use strict'

// GetCapabilities: what the server offers, as the XML of WMS 1.3.0 or 1.1.1.

const { xml } = require('../xml')
const crs = require('../crs')
const { layers, group, attribution } = require('../layers')
const { formats } = require('./formats')
const { infoFormats } = require('./feature-info')
const { maxSize, maxLayers } = require('./request')
const { exceptionFormats } = require('./exceptions')

const link = (href) => ({ '@xmlns:xlink': 'http://www.w3.org/1999/xlink', '@xlink:type': 'simple', '@xlink:href': href })

// base: the address of the service, up to and with its question mark. updateSequence: see updates().
function capabilities (version, base, updateSequence) {
  const modern = version === '1.3.0'
  const operation = (list) => ({ Format: list, DCPType: { HTTP: { Get: { OnlineResource: link(base) } } } })
  const service = {
    Name: modern ? 'WMS' : 'OGC:WMS',
    Title: group.title,
    Abstract: attribution,
    KeywordList: { Keyword: ['map', 'streaming'] },
    OnlineResource: link(base),
    Fees: 'none',
    AccessConstraints: 'none',
    ...(modern && { LayerLimit: maxLayers, MaxWidth: maxSize, MaxHeight: maxSize })
  }
  const content = {
    '@version': version,
    '@updateSequence': updateSequence,
    Service: service,
    Capability: {
      Request: {
        GetCapabilities: operation([modern ? 'text/xml' : 'application/vnd.ogc.wms_xml']),
        GetMap: operation(formats.map(({ title }) => title)),
        GetFeatureInfo: operation(infoFormats)
      },
      Exception: { Format: exceptionFormats[version] },
      ...(!modern && { UserDefinedSymbolization: { '@SupportSLD': 0, '@UserLayer': 0, '@UserStyle': 0, '@RemoteWFS': 0 } }),
      Layer: layerTree(version, base)
    }
  }
  if (!modern) return xml({ WMT_MS_Capabilities: content }, { doctype: { sysID: 'http://schemas.opengis.net/wms/1.1.1/WMS_MS_Capabilities.dtd' } })
  return xml({
    WMS_Capabilities: {
      '@xmlns': 'http://www.opengis.net/wms',
      '@xmlns:xsi': 'http://www.w3.org/2001/XMLSchema-instance',
      '@xsi:schemaLocation': 'http://www.opengis.net/wms http://schemas.opengis.net/wms/1.3.0/capabilities_1_3_0.xsd',
      ...content
    }
  })
}

function layerTree (version, base) {
  const key = version === '1.3.0' ? 'CRS' : 'SRS'
  const children = Object.entries(layers).map(([name, { title, bounds, columns }]) => ({
    '@queryable': columns ? 1 : 0,
    Name: name,
    Title: title,
    ...place(version, bounds),
    ...(version === '1.3.0' && { Attribution: { Title: attribution } }),
    Style: style(name, base)
  }))
  return {
    '@queryable': 0,
    Name: group.name,
    Title: group.title,
    Abstract: attribution,
    [key]: Object.keys(crs.wms[version]),
    ...place(version, [-180, -90, 180, 90]),
    Layer: children
  }
}

// The bounds of a layer in every CRS, in its order of axes.
function place (version, bounds) {
  const [west, south, east, north] = bounds
  const key = version === '1.3.0' ? '@CRS' : '@SRS'
  const box = ([minx, miny, maxx, maxy]) => ({ '@minx': minx, '@miny': miny, '@maxx': maxx, '@maxy': maxy })
  return {
    ...(version === '1.3.0'
      ? { EX_GeographicBoundingBox: { westBoundLongitude: west, eastBoundLongitude: east, southBoundLatitude: south, northBoundLatitude: north } }
      : { LatLonBoundingBox: box(bounds) }),
    BoundingBox: Object.entries(crs.wms[version]).map(([name, system]) => {
      const extent = crs.toSystem(bounds, system)
      return { [key]: name, ...box(system.latFirst ? crs.swap(extent) : extent) }
    })
  }
}

const style = (name, base) => ({
  Name: 'default',
  Title: 'Default',
  LegendURL: {
    '@width': 200,
    '@height': 20,
    Format: 'image/png',
    OnlineResource: link(`${base}SERVICE=WMS&VERSION=1.3.0&REQUEST=GetLegendGraphic&LAYER=${name}&FORMAT=image/png`)
  }
})

module.exports = { capabilities }
