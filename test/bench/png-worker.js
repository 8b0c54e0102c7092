'use strict'

// Measures all encoders on one image: the child of png.js that runs on the processors it may use. Takes
// {folder, entry, rounds, slowRounds, cores, chunkSize} as JSON on standard input, gives {name: {bytes, indexed, encodes: [{ms,
// cpuMs}], chunked: [{first, total}]}} on standard output: wall and processor time of each encode, milliseconds to the chunks.

const { json } = require('node:stream/consumers')
const { read } = require('./images')
const { encoders, verify } = require('./png-encoders')
const { shuffled } = require('./measure')

const colorType = 25 // offset in a PNG: signature, length and type of IHDR, width, height, bit depth
const indexed = 3

async function main () {
  const { folder, entry, rounds, slowRounds, cores, chunkSize } = await json(process.stdin)
  const { all, straight } = await encoders(read(folder, entry), cores)
  const results = {}
  const cases = {}
  for (const [name, encoder] of Object.entries(all)) {
    const png = await encoder.encode()
    await verify(png, straight, encoder).catch((err) => { throw new Error(`${entry.name}, ${name}: ${err.message}`) })
    const result = results[name] = { bytes: png.length, indexed: png[colorType] === indexed, encodes: [] }
    await warmUp(encoder.encode)
    const every = encoder.slow ? rounds / slowRounds : 1
    cases[name] = { every, run: async () => result.encodes.push(await times(encoder.encode)) }
    if (encoder.chunked === undefined) continue
    result.chunked = []
    await warmUp(() => encoder.chunked(chunkSize))
    cases[`${name}, chunked`] = { every, run: async () => result.chunked.push(await encoder.chunked(chunkSize)) }
  }
  for (let round = 0; round < rounds; round++) {
    for (const name of shuffled(Object.keys(cases))) {
      const { every, run } = cases[name]
      if (Math.floor(round / every) === Math.floor((round - 1) / every)) continue
      await run()
    }
  }
  process.stdout.write(JSON.stringify(results))
}

// A server's encoder has run before: its JavaScript is compiled, its memory is there.
async function warmUp (encode) {
  for (const end = performance.now() + 60; performance.now() < end;) await encode()
}

async function times (encode) {
  const cpu = process.cpuUsage()
  const start = performance.now()
  await encode()
  const ms = performance.now() - start
  const { user, system } = process.cpuUsage(cpu)
  return { ms, cpuMs: (user + system) / 1000 }
}

main()
