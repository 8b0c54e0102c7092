'use strict'

const params = { LAYERS: 'map', STYLES: '', FORMAT: 'image/png', VERSION: '1.3.0' }
const attributions = 'Made with Natural Earth. Cities: <a href="https://www.geonames.org/">GeoNames</a>, CC BY 4.0'

const image = new ol.layer.Image({
  source: new ol.source.ImageWMS({ url: 'wms', params, attributions, ratio: 1, hidpi: false })
})
const tiles = new ol.layer.Tile({
  source: new ol.source.TileWMS({ url: 'wms', params, attributions }), visible: false
})

const map = new ol.Map({
  target: 'map',
  layers: [image, tiles],
  view: new ol.View({ center: ol.proj.fromLonLat([12, 30]), zoom: 3, minZoom: 1, maxZoom: 10 })
})

const switcher = document.getElementById('tiled')
switcher.addEventListener('change', () => {
  tiles.setVisible(switcher.checked)
  image.setVisible(!switcher.checked)
})

const ms = (value) => value === undefined ? '…' : value.toFixed(1)

function row ({ width, height, renderMs, firstByteMs, totalMs, bytes, chunks, error }) {
  const cells = [`${width}×${height}`, ms(renderMs)]
  if (error === undefined) cells.push(ms(firstByteMs), ms(totalMs), bytes === undefined ? '…' : (bytes / 1000).toFixed(1), chunks ?? '…')
  const tr = document.createElement('tr')
  for (const cell of cells) tr.insertCell().textContent = cell
  if (error !== undefined) {
    const td = tr.insertCell()
    td.textContent = error
    td.colSpan = 4
    td.className = 'error'
  }
  return tr
}

map.on('rendercomplete', async () => {
  const reports = await (await fetch('reports.json')).json()
  document.getElementById('reports').replaceChildren(...reports.slice(0, 12).map(row))
})
