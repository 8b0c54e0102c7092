'use strict'

const { SluiceError } = require('./errors')

const EMPTY = Buffer.alloc(0)

// The class that Buffers are instances of. Made directly, a view costs a third of what slab.subarray() takes.
const View = Buffer[Symbol.species]

/** The slabs that Go gave up and whose bytes the consumer has not got. Subclasses make chunks of them. */
class Outbox {
  constructor (size) {
    this.size = size // of a chunk, bytes
    this.slabs = [] // {slab, used, last}
    this.offset = 0 // bytes of the first slab that were delivered
    this.complete = false // the last slab came
    this.delivered = false // the last chunk was delivered
    this.chunks = 0 // delivered
    this.bytes = 0 // delivered
    this.firstAt = 0 // when the first chunk was delivered, by performance.now()
  }

  /** Takes a slab whose first used bytes are output. A slab of null ends the output without bytes. */
  push (slab, used, last) {
    this.complete = last
    if (used > 0) this.slabs.push({ slab: used * 2 < slab.length ? exactCopy(slab, used) : slab, used, last })
    else if (this.slabs.length > 0) this.slabs[this.slabs.length - 1].last = last
    else if (last && this.bytes === 0) this.slabs.push({ slab: EMPTY, used: 0, last })
  }

  clear () {
    this.slabs = []
  }

  hasReceived () {
    return this.bytes > 0 || this.slabs.length > 0
  }

  isEmpty () {
    return this.slabs.length === 0
  }

  shift () {
    this.slabs.shift()
    this.offset = 0
  }
}

/** Delivers views of the slabs: no copy, and no allocation but the view. Chunks do not cross slabs. */
class Views extends Outbox {
  /** Whether all that came before was passed on. */
  isTaken () {
    return this.slabs.length === 0
  }

  get taken () {
    return this.bytes
  }

  /** The hot loop: it runs for every chunk. consumer.chunk may block or abort the stream at any turn. */
  deliver (stream, consumer) {
    const size = this.size
    while (this.slabs.length > 0) {
      const { slab, used, last } = this.slabs[0]
      const { buffer, byteOffset } = slab
      do {
        if (stream.blocked !== 0) return
        const start = this.offset
        const end = start + size < used ? start + size : used
        if (slab.length < end) return stream.fail(gone())
        if (this.chunks++ === 0) this.firstAt = performance.now()
        this.offset = end
        this.bytes += end - start
        const final = last && end === used
        if (final) this.delivered = true
        consumer.chunk(new View(buffer, byteOffset + start, end - start), final)
      } while (this.offset < used)
      if (stream.failure !== null) return // and the slabs are gone
      this.shift()
    }
  }
}

/** Puts chunks together that are larger than slabs, each by one copy when all its bytes are there. */
class Gathered extends Outbox {
  constructor (size) {
    super(size)
    this.received = 0 // bytes
  }

  push (slab, used, last) {
    super.push(slab, used, last)
    this.received += used
  }

  isTaken () {
    return true
  }

  get taken () {
    return this.received
  }

  deliver (stream, consumer) {
    while (stream.blocked === 0) {
      const ready = this.received - this.bytes
      if (ready <= this.size && !(this.complete && this.slabs.length > 0)) return // one byte more shows that a chunk is not the last
      const length = Math.min(this.size, ready)
      let chunk
      try {
        chunk = this.gather(length)
      } catch (error) {
        return stream.fail(error) // no such Buffer: 4 GiB are the limit in Node 20
      }
      if (this.chunks++ === 0) this.firstAt = performance.now()
      this.bytes += length
      const final = this.complete && length === ready
      if (final) this.delivered = true
      consumer.chunk(chunk, final)
    }
  }

  /** The next length bytes: a view where that wastes at most a fifth of its memory. */
  gather (length) {
    const { slab, used } = this.slabs[0]
    if (this.offset === 0 && used === length && length * 5 >= slab.length * 4) {
      this.shift()
      return slab.subarray(0, length)
    }
    const chunk = Buffer.allocUnsafeSlow(length)
    let at = 0
    while (at < length) {
      const { slab, used } = this.slabs[0]
      const end = Math.min(used, this.offset + length - at)
      at += slab.copy(chunk, at, this.offset, end)
      this.offset = end
      if (end === used) this.shift()
    }
    return chunk
  }
}

function exactCopy (slab, used) {
  const copy = Buffer.allocUnsafeSlow(used)
  slab.copy(copy, 0, 0, used)
  return copy
}

function gone () {
  return new SluiceError('ERR_SLUICE_ARGUMENT', 'Expected chunks to stay in place while their neighbours are delivered: copy what is to be transferred')
}

module.exports = { Views, Gathered }
