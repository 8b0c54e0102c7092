'use strict'

// Draws maps, as many strips at a time as the machine has processors.

const os = require('node:os')
const { Maps } = require('./maps')
const { plan, drawStrip } = require('./strips')
const { Busy } = require('../errors')

const mostWaiting = 256 // strips; a server that has more to do says so instead of piling it up

class Renderer {
  #maps
  #free
  #waiting = []
  #ahead

  // source: from a table's name to the parameters of mapnik's data source.
  constructor (source, { processors = os.availableParallelism() } = {}) {
    this.#free = processors
    this.#ahead = Math.min(2, processors)
    this.#maps = new Maps(source, processors)
  }

  // The strips of a map, from top to bottom. query: {layers, srs, extent, width, height, background, scale}: names of
  // layers; mapnik's name of the CRS; [minx, miny, maxx, maxy], x east and y north; pixels; a CSS colour; pixels of 0.28 mm
  // a pixel. Strip 0 is drawn alone, then the next ones side by side. Leaving the loop drops what was not begun.
  async * strips (query, { signal } = {}) {
    const strips = plan(query.width, query.height)
    const first = await this.#draw(query, strips[0], signal)
    yield first
    const drawing = []
    try {
      for (let next = 1; next < strips.length || drawing.length > 0;) {
        while (drawing.length < this.#ahead && next < strips.length) {
          const strip = this.#draw(query, strips[next++], signal)
          strip.catch(() => {}) // it is awaited below, or the loop was left
          drawing.push(strip)
        }
        yield await drawing.shift()
      }
    } finally {
      await Promise.allSettled(drawing)
    }
  }

  async #draw (query, strip, signal) {
    await this.#enter()
    try {
      signal?.throwIfAborted() // mapnik cannot be interrupted, but need not begin
      return await this.#maps.with(query.layers, (map) => drawStrip(map, query, strip))
    } finally {
      this.#leave()
    }
  }

  async #enter () {
    if (this.#free > 0) {
      this.#free--
      return
    }
    if (this.#waiting.length >= mostWaiting) throw new Busy()
    await new Promise((resolve) => this.#waiting.push(resolve))
  }

  #leave () {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#free++
  }
}

module.exports = { Renderer }
