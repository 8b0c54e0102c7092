'use strict'

// Large maps in strips: the pixels of the map drawn at once, the first of them early. In this process, to see the order of
// events.

const assert = require('node:assert/strict')
const http = require('node:http')
const path = require('node:path')
const { once } = require('node:events')
const { test, before, after } = require('node:test')
const { root } = require('../tools')
const { waitFor } = require('./support')

const example = (name) => require(path.join(root, 'example', name))

const strips = example('render/strips')
const { drawStrip } = strips
let drawn = [] // the strips that were drawn, and what the client saw
strips.drawStrip = async (...args) => { // before the renderer takes it
  const pixels = await drawStrip(...args)
  drawn.push(`strip ${strips.plan(args[1].width, args[1].height).findIndex(({ y }) => y === args[2].y)}`)
  return pixels
}
const { Maps } = example('render/maps')
const { Reports } = example('reports')
const { createApp } = example('app')
const { openStore } = example('store')
const { layers } = example('layers')

let store
let server
let base

before(async () => {
  store = await openStore('')
  const { listener } = await createApp({ store, reports: new Reports(), log () {} })
  server = http.createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  base = `http://127.0.0.1:${server.address().port}`
})

after(async () => {
  server.closeAllConnections()
  server.close()
  await store.close()
})

test('the plan covers every row once, begins low, and leaves small maps whole', () => {
  assert.deepEqual(strips.plan(1000, 1000), [{ y: 0, rows: 1000 }])
  for (const [width, height] of [[6000, 4000], [8192, 8192], [1025, 1024], [8192, 129], [2000000, 1]]) {
    const plan = strips.plan(width, height)
    let y = 0
    for (const strip of plan) {
      assert.equal(strip.y, y)
      assert.ok(strip.rows >= 1 && strip.rows <= 512)
      y += strip.rows
    }
    assert.equal(y, height)
    assert.ok(plan[0].rows <= 64)
  }
})

// How two images differ: {share of pixels, levels at most}, colours as they show through their alpha.
function difference (a, b) {
  const shown = (pixels, i) => (i & 3) === 3 ? pixels[i] : pixels[i] * pixels[i | 3] / 255
  let pixels = 0
  let levels = 0
  for (let at = 0; at < a.length; at += 4) {
    let most = 0
    for (let i = at; i < at + 4; i++) most = Math.max(most, Math.round(Math.abs(shown(a, i) - shown(b, i))))
    if (most > 0) pixels++
    levels = Math.max(levels, most)
  }
  return { share: pixels / (a.length / 4), levels }
}

const names = Object.keys(layers)
// Lines that are longer than a strip and its margin are cut there, and rounded to 1/256 pixel: close up, some more pixels
// differ by a level or two.
const close = { share: 0.0006, levels: 3 }
const maps = {
  'streets with their names': { srs: 'epsg:3857', extent: [-6254000, -4149000, -6251000, -4146900], width: 1500, height: 1050 },
  'house numbers': { srs: 'epsg:3857', extent: [-6252800, -4148180, -6251720, -4147100], width: 1800, height: 1800, limit: close },
  'a continent in degrees': { srs: 'epsg:4326', extent: [-15, 33, 45, 63], width: 1600, height: 800 },
  'twice as dense': { srs: 'epsg:3857', extent: [-6254000, -4149000, -6252000, -4147600], width: 1500, height: 1050, scale: 2 }
}

for (const [name, { limit = { share: 0.0002, levels: 2 }, ...view }] of Object.entries(maps)) {
  for (const background of ['#ffffff', 'rgba(255,255,255,0)']) {
    test(`strips have the pixels of the map drawn at once: ${name}, ${background}`, async () => {
      const query = { layers: background === '#ffffff' ? names : ['landuse', 'roads', 'cities'], background, ...view }
      const { width, height } = query
      const whole = await new Maps((table) => store.source(table), 1).with(query.layers, (map) => drawStrip(map, query, { y: 0, rows: height }))
      const plan = strips.plan(width, height)
      assert.ok(plan.length > 2)
      const pieces = await new Maps((table) => store.source(table), 1).with(query.layers, async (map) => {
        const pieces = []
        for (const strip of plan) pieces.push(Buffer.from((await drawStrip(map, query, strip)).data))
        return pieces
      })
      const { share, levels } = difference(whole.data, Buffer.concat(pieces))
      assert.ok(new Set(whole.data).size > 50, 'there is something to see')
      assert.ok(share <= limit.share && levels <= limit.levels, `${(share * 100).toFixed(4)} % of pixels differ, by at most ${levels} levels`)
    })
  }
}

// Reads the image's data as it comes; resolves when some of it (not only a PNG's head) is there.
async function openMap () {
  const params = new URLSearchParams({
    SERVICE: 'WMS', VERSION: '1.3.0', REQUEST: 'GetMap', LAYERS: 'map', STYLES: '', CRS: 'EPSG:3857', BBOX: '-6260000,-4152000,-6248000,-4144000', WIDTH: 6000, HEIGHT: 4000, FORMAT: 'image/png'
  })
  const request = http.get(`${base}/wms?${params}`, { agent: false })
  request.on('error', () => {}) // destroyed by the test
  const [response] = await once(request, 'response')
  drawn.push('head')
  let bytes = Buffer.alloc(0)
  const data = new Promise((resolve) => response.on('data', (chunk) => {
    if (bytes.length > 1e6) return
    bytes = Buffer.concat([bytes, chunk])
    const at = bytes.indexOf('IDAT')
    if (at > 0 && bytes.length > at + 1000) resolve()
  }))
  await data
  drawn.push('data')
  return request
}

test('the first image data of 6000 x 4000 pixels are with the client before the third strip is drawn', async () => {
  drawn = []
  const request = await openMap()
  const seen = drawn.indexOf('data')
  assert.ok(seen > drawn.indexOf('strip 0') && drawn.indexOf('strip 0') < drawn.indexOf('head'), `the head waits for the first strip: ${drawn}`)
  assert.ok(!drawn.slice(0, seen).includes('strip 2'), String(drawn))
  await waitFor('the next strips', () => drawn.includes('strip 2'), 2000)

  // A client that leaves: what is being drawn is finished, and nothing is begun.
  request.destroy()
  await waitFor('drawing ends', async () => {
    const before = drawn.length
    await new Promise((resolve) => setTimeout(resolve, 1500))
    return drawn.length === before
  }, 20)
  assert.ok(drawn.filter((event) => event.startsWith('strip')).length < strips.plan(6000, 4000).length, String(drawn))
})
