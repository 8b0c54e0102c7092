// What other runtimes are held to: encode in every form, an abort, a slow reader, and an end of the process by itself.

import assert from 'node:assert/strict'
import { createRequire } from 'node:module'

const sluice = createRequire(import.meta.url)('../../js/index.js')
const pixels = { data: new Uint8Array(4 * 600 * 400).map((_, i) => (i * 7) % 251), width: 600, height: 400 }
const works = async (what, body) => {
  await body()
  console.log(`ok ${what}`)
}

const whole = await sluice.encode(pixels)
await works('encode', () => assert.equal(whole.subarray(1, 4).toString(), 'PNG'))

await works('encodeChunked', async () => {
  const chunks = []
  await sluice.encodeChunked(pixels, 1000, (error, chunk) => { if (!error) chunks.push(Buffer.from(chunk)) }).done
  assert.ok(chunks.slice(0, -1).every(chunk => chunk.length === 1000))
  assert.ok(Buffer.concat(chunks).equals(whole))
})

await works('encodeStream', async () => {
  const chunks = []
  for await (const chunk of sluice.encodeStream(pixels)) chunks.push(Buffer.from(chunk))
  assert.ok(Buffer.concat(chunks).equals(whole))
})

await works('rows that are pushed', async () => {
  const source = sluice.image({ width: 600, height: 400 })
  const output = sluice.encode(source)
  for (let y = 0; y < 400; y += 100) await source.write(pixels.data.subarray(y * 2400, (y + 100) * 2400))
  source.end()
  assert.equal((await output).subarray(1, 4).toString(), 'PNG')
})

await works('abort', async () => {
  const job = sluice.encodeChunked(pixels, 256, () => {})
  job.abort()
  await assert.rejects(job.done, { name: 'AbortError' })
})

await works('pause and resume', async () => {
  let chunks = 0
  const job = sluice.encodeChunked(pixels, 256, () => { if (++chunks === 1) { setTimeout(() => job.resume(), 20); return false } })
  await job.done
  assert.equal(chunks, Math.ceil(whole.length / 256))
})
