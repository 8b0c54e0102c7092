'use strict'

// What the latest answers cost, for the page's panel: a ring of the last `limit` reports.
class Reports {
  constructor (limit) {
    this.limit = limit
    this.entries = []
  }

  // about: what is known of the request; done: the promise of a sluice Job.
  async add (about, done) {
    const entry = { id: (this.entries.at(-1)?.id ?? 0) + 1, ...about }
    this.entries.push(entry)
    if (this.entries.length > this.limit) this.entries.shift()
    try {
      const { bytes, chunks, firstByteMs, totalMs } = await done
      Object.assign(entry, { bytes, chunks, firstByteMs, totalMs })
    } catch (err) {
      entry.error = err.message
    }
  }

  // Latest first.
  list () {
    return this.entries.toReversed()
  }
}

module.exports = { Reports }
