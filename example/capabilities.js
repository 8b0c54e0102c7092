'use strict'

// GetCapabilities: what the server offers, as the XML of WMS 1.3.0 or 1.1.1.

const { escape, layer, maxSize, systems, crsNames } = require('./wms')

const title = 'Countries and cities of the world'
const abstract = 'Made with Natural Earth. Cities: GeoNames, CC BY 4.0.'

// base: the address of the service, up to and with its question mark.
function capabilities (base, version) {
  return version === '1.3.0' ? capabilities130(escape(base)) : capabilities111(escape(base))
}

const operation = (name, format, href) => `
      <${name}>
        <Format>${format}</Format>
        <DCPType><HTTP><Get><OnlineResource xmlns:xlink="http://www.w3.org/1999/xlink" xlink:type="simple" xlink:href="${href}"/></Get></HTTP></DCPType>
      </${name}>`

const service = (name, href, limits) => `<Service>
    <Name>${name}</Name>
    <Title>${title}</Title>
    <Abstract>${abstract}</Abstract>
    <OnlineResource xmlns:xlink="http://www.w3.org/1999/xlink" xlink:type="simple" xlink:href="${href}"/>${limits}
  </Service>`

const boundingBoxes = (version, key) => crsNames(version).map((name) => {
  const { bounds: [west, south, east, north], latFirst } = systems[name]
  const [minx, miny, maxx, maxy] = latFirst && version === '1.3.0' ? [south, west, north, east] : [west, south, east, north]
  return `
      <BoundingBox ${key}="${name}" minx="${minx}" miny="${miny}" maxx="${maxx}" maxy="${maxy}"/>`
}).join('')

const capabilities130 = (href) => `<?xml version="1.0" encoding="UTF-8"?>
<WMS_Capabilities version="1.3.0" xmlns="http://www.opengis.net/wms">
  ${service('WMS', href, `
    <MaxWidth>${maxSize}</MaxWidth>
    <MaxHeight>${maxSize}</MaxHeight>`)}
  <Capability>
    <Request>${operation('GetCapabilities', 'text/xml', href)}${operation('GetMap', 'image/png', href)}
    </Request>
    <Exception><Format>XML</Format></Exception>
    <Layer opaque="1">
      <Name>${layer}</Name>
      <Title>${title}</Title>${crsNames('1.3.0').map((name) => `
      <CRS>${name}</CRS>`).join('')}
      <EX_GeographicBoundingBox>
        <westBoundLongitude>-180</westBoundLongitude>
        <eastBoundLongitude>180</eastBoundLongitude>
        <southBoundLatitude>-90</southBoundLatitude>
        <northBoundLatitude>90</northBoundLatitude>
      </EX_GeographicBoundingBox>${boundingBoxes('1.3.0', 'CRS')}
    </Layer>
  </Capability>
</WMS_Capabilities>
`

const capabilities111 = (href) => `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE WMT_MS_Capabilities SYSTEM "http://schemas.opengis.net/wms/1.1.1/WMS_MS_Capabilities.dtd">
<WMT_MS_Capabilities version="1.1.1">
  ${service('OGC:WMS', href, '')}
  <Capability>
    <Request>${operation('GetCapabilities', 'application/vnd.ogc.wms_xml', href)}${operation('GetMap', 'image/png', href)}
    </Request>
    <Exception><Format>application/vnd.ogc.se_xml</Format></Exception>
    <Layer opaque="1">
      <Name>${layer}</Name>
      <Title>${title}</Title>${crsNames('1.1.1').map((name) => `
      <SRS>${name}</SRS>`).join('')}
      <LatLonBoundingBox minx="-180" miny="-90" maxx="180" maxy="90"/>${boundingBoxes('1.1.1', 'SRS')}
    </Layer>
  </Capability>
</WMT_MS_Capabilities>
`

module.exports = { capabilities }
