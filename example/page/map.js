'use strict'

const attributions = 'Made with Natural Earth. Cities: <a href="https://www.geonames.org/">GeoNames</a>, CC BY 4.0. Montevideo: © <a href="https://www.openstreetmap.org/copyright">OpenStreetMap</a> contributors'
const params = { LAYERS: 'map', STYLES: '', FORMAT: 'image/png', VERSION: '1.3.0' }

const image = new ol.layer.Image({
  source: new ol.source.ImageWMS({ url: 'wms', params, attributions, ratio: 1, hidpi: false })
})
const tiles = new ol.layer.Tile({
  source: new ol.source.XYZ({ url: 'tiles/map/{z}/{x}/{y}.png', attributions, maxZoom: 20 }), visible: false
})
const features = new ol.layer.Vector({
  source: new ol.source.Vector({
    format: new ol.format.GeoJSON(),
    strategy: ol.loadingstrategy.bbox,
    url: (extent) => `wfs?SERVICE=WFS&VERSION=2.0.0&REQUEST=GetFeature&TYPENAMES=map:roads&OUTPUTFORMAT=application/json&SRSNAME=EPSG:3857&BBOX=${extent.join(',')},EPSG:3857`
  }),
  style: new ol.style.Style({ stroke: new ol.style.Stroke({ color: 'rgba(200, 40, 90, .7)', width: 2 }) }),
  minZoom: 11,
  visible: false
})

// #zoom/longitude/latitude, for links
const [zoom, longitude, latitude] = location.hash.slice(1).split('/').map(Number)
const view = new ol.View({
  center: ol.proj.fromLonLat(Number.isFinite(latitude) ? [longitude, latitude] : [12, 30]), zoom: Number.isFinite(latitude) ? zoom : 3, minZoom: 1, maxZoom: 20
})
const map = new ol.Map({ target: 'map', layers: [image, tiles, features], view })

const element = (id) => document.getElementById(id)

for (const input of document.querySelectorAll('input[name=base]')) {
  input.addEventListener('change', () => {
    image.setVisible(input.value === 'image')
    tiles.setVisible(input.value === 'tiles')
  })
}
element('features').addEventListener('change', ({ target }) => features.setVisible(target.checked))
element('world').addEventListener('click', () => view.animate({ center: ol.proj.fromLonLat([12, 30]), zoom: 3 }))
element('montevideo').addEventListener('click', () => view.animate({ center: ol.proj.fromLonLat([-56.185, -34.9]), zoom: 14 }))

// The formats that the server has.
fetch('wms?SERVICE=WMS&REQUEST=GetCapabilities').then((answer) => answer.text()).then((text) => {
  const capabilities = new ol.format.WMSCapabilities().read(text)
  for (const format of capabilities.Capability.Request.GetMap.Format) element('format').add(new Option(format))
  element('format').addEventListener('change', ({ target }) => image.getSource().updateParams({ FORMAT: target.value }))
})

map.on('singleclick', async ({ coordinate }) => {
  const url = image.getSource().getFeatureInfoUrl(coordinate, view.getResolution(), 'EPSG:3857', {
    INFO_FORMAT: 'application/json', QUERY_LAYERS: 'cities,addresses,roads,buildings,landuse,countries', FEATURE_COUNT: 1
  })
  const { features } = await (await fetch(url)).json()
  element('info').textContent = features.map(({ id, properties }) => `${id.split('.')[0]}: ${properties.name ?? properties.housenumber ?? properties.kind ?? ''}`).join('\n')
})
