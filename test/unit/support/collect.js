'use strict'

const { encodeChunked } = require('../../..')

/** Encodes and resolves to what the callback got: {chunks, lasts (the indices of chunks that came with last), report}. */
async function collect (source, options) {
  const chunks = []
  const lasts = []
  const job = encodeChunked(source, options, (error, chunk, last) => {
    if (error) return
    if (last) lasts.push(chunks.length)
    chunks.push(chunk)
  })
  const report = await job.done
  return { chunks, lasts, report }
}

module.exports = { collect }
