'use strict'

// Pushes parts into a source as fast as it takes them: the next one is asked for once the one before has been read.
async function push (source, first, rest) {
  try {
    let written = source.write(first)
    for await (const part of rest) {
      await written
      written = source.write(part)
    }
    source.end()
  } catch (err) {
    source.fail(err) // or the client is gone, and it knows
  }
}

module.exports = { push }
