'use strict'

/**
 * One write, as the addon takes it: bytes and what describes them. The bytes are the user's and lent until DRAIN, unless
 * copied is true.
 */
class Part {
  constructor (buffers, meta) {
    this.buffers = buffers
    this.meta = meta // an object or null
    this.bytes = sizeOf(buffers)
    this.copied = false
  }

  /** Takes a snapshot if it must, or if the memory could shrink under Go's hands. */
  own (must) {
    if (this.copied || !(must || this.buffers.some(isResizable))) return
    this.buffers = this.buffers.map(bytes => Uint8Array.prototype.slice.call(bytes))
    this.bytes = sizeOf(this.buffers)
    this.copied = true
  }

  /** False when lent bytes were transferred or detached since. */
  isIntact () {
    return this.copied || sizeOf(this.buffers) === this.bytes
  }
}

function sizeOf (buffers) {
  let bytes = 0
  for (const buffer of buffers) bytes += buffer.byteLength
  return bytes
}

function isResizable ({ buffer }) {
  return buffer.resizable === true || buffer.growable === true
}

/** The same memory as a Uint8Array; none when it is detached. */
function bytesOf (view) {
  if (view.byteLength === 0) return new Uint8Array(0)
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength)
}

module.exports = { Part, bytesOf }
