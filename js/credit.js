'use strict'

const FIRST = 16 * 1024 // bytes
const FULL = 64 * 1024 // bytes
const MOST = 8 // slabs

/**
 * How much one stream may have in flight. Slabs are the credit. A stream starts with a small one; while its consumer keeps
 * up, slabs become larger, then more: 512 KiB at most.
 */
class Credit {
  constructor (cut) {
    this.size = multiple(cut, FIRST) // of the next slab, bytes
    this.full = multiple(cut, FULL)
    this.target = 1 // slabs that may be granted at once
    this.granted = 0 // slabs that Go has
  }

  grow () {
    if (this.size < this.full) this.size = this.full
    else if (this.target < MOST) this.target *= 2
  }

  shrink () {
    this.target = 1
  }
}

/** The largest multiple of cut up to most, or one cut. */
function multiple (cut, most) {
  return Math.max(cut, most - most % cut)
}

module.exports = { Credit, FULL }
