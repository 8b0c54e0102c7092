'use strict'

const FIRST = 16 * 1024 // bytes
const FULL = 64 * 1024 // bytes
const MOST = 8 // slabs
const PACED = 2 // slabs

/**
 * How much one stream may have in flight. Slabs are the credit. A stream starts with a small one; while its consumer keeps
 * up, slabs become larger and more: 512 KiB at most, 128 KiB where somebody's link sets the pace, because that keeps up only
 * until the kernel's buffers are full, and what was granted by then stays for as long as the client takes. One whose output is
 * collected in any case starts with two large ones: waiting for a slab takes longer than encoding what it holds.
 */
class Credit {
  constructor (cut, collects) {
    this.full = multiple(cut, FULL)
    this.size = collects ? this.full : multiple(cut, FIRST) // of the next slab, bytes
    this.target = collects ? 2 : 1 // slabs that may be granted at once
    this.most = MOST
    this.granted = 0 // slabs that Go has
  }

  pace () {
    this.most = PACED
    this.target = Math.min(this.target, PACED)
  }

  grow () {
    this.size = this.full
    this.target = Math.min(this.target * 4, this.most)
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
