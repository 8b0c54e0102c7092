'use strict'

const fs = require('node:fs/promises')
const os = require('node:os')
const path = require('node:path')
const { randomUUID } = require('node:crypto')

const IN_MEMORY = 1024 * 1024 // bytes of output that a File keeps before it makes one
const BLOCK = 64 * 1024 // bytes that are read at once

/** What a strategy holds back: output, in memory. */
class Memory {
  bytes = 0
  chunks = []

  /** True: more may come. Memory is never full: an encode that waits for credit would never reach its end. */
  push (chunk) {
    this.chunks.push(chunk)
    this.bytes += chunk.length
    return true
  }

  /** How many bytes lie elsewhere than in chunks, before them. */
  get stored () { return 0 }

  /** Yields them. */
  async * read () {}

  /** The chunks, which are then nobody's. */
  take () {
    const chunks = this.chunks
    this.chunks = []
    return chunks
  }

  async discard () {
    this.chunks = []
  }
}

/**
 * The same, spilled to a temporary file when it becomes large. The file has no name once it is open, so nothing is left behind
 * by a process that dies. It is full while more waits for the disk than would be kept in memory.
 */
class File extends Memory {
  stored = 0 // bytes written, or being written
  #waiting = 0 // bytes in chunks
  #handle = null
  #spilling = null // a promise while chunks are being written
  #discarded = false
  #onReady
  #onError

  constructor (onReady, onError) {
    super()
    this.#onReady = onReady
    this.#onError = onError
  }

  push (chunk) {
    super.push(chunk)
    this.#waiting += chunk.length
    if (this.#waiting <= IN_MEMORY) return true
    if (this.#spilling === null) {
      this.#spilling = this.#spill().finally(() => { this.#spilling = null }).then(this.#onReady, this.#onError)
      return true
    }
    return false
  }

  async #spill () {
    if (this.#handle === null) {
      const name = path.join(os.tmpdir(), `sluice-${randomUUID()}`)
      this.#handle = await fs.open(name, 'wx+', 0o600)
      await fs.unlink(name)
    }
    while (this.#waiting > IN_MEMORY && !this.#discarded) {
      const chunks = this.take()
      const length = this.#waiting
      this.#waiting = 0
      await writeAll(this.#handle, chunks, this.stored)
      this.stored += length
    }
  }

  /** What was written, once all writing is done. Each block is a Buffer of its own. */
  async * read () {
    await this.#spilling
    for (let at = 0; at < this.stored;) {
      const block = Buffer.allocUnsafeSlow(Math.min(BLOCK, this.stored - at))
      const { bytesRead } = await this.#handle.read(block, 0, block.length, at)
      if (bytesRead === 0) throw new Error(`Expected ${this.stored} bytes in the temporary file, got ${at}`)
      at += bytesRead
      yield block.subarray(0, bytesRead)
    }
  }

  async discard () {
    this.#discarded = true
    this.chunks = []
    await this.#spilling
    const handle = this.#handle
    this.#handle = null
    await handle?.close()
  }
}

/** A disk may take less than it is given. */
async function writeAll (handle, chunks, at) {
  const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
  let written = (await handle.writev(chunks, at)).bytesWritten
  const rest = written < length ? Buffer.concat(chunks) : null
  while (written < length) written += (await handle.write(rest, written, length - written, at + written)).bytesWritten
}

module.exports = { Memory, File }
