'use strict'

const { isUint8Array, isUint8ClampedArray } = require('node:util').types

const { SluiceError } = require('./errors')

/**
 * One write, as the addon takes it: bytes and what describes them. The bytes are the user's and lent until DRAIN, unless
 * copied is true.
 */
class Part {
  /** copied: the bytes are nobody else's already. */
  constructor (buffers, meta, copied = false) {
    this.buffers = buffers
    this.meta = meta // an object or null
    this.bytes = sizeOf(buffers)
    this.copied = copied
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

function isBytes (value) {
  return isUint8Array(value) || isUint8ClampedArray(value)
}

/** The error for data whose memory was taken away before the call, or null. */
function detached ({ buffer, byteLength }) {
  if (byteLength > 0) return null
  try {
    buffer.slice(0, 0) // throws if it is detached
    return null
  } catch {
    return new SluiceError('ERR_SLUICE_INPUT', 'Expected data that can be read, but its memory was transferred or detached')
  }
}

module.exports = { Part, bytesOf, detached, isBytes }
