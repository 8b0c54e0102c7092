'use strict'

// Who keeps what alive. Each case has a process of its own: what is to be shown is that it ends, or that nothing is left.

const assert = require('node:assert/strict')
const { test } = require('node:test')

const { run } = require('./support/child')

/** Runs script with gc(); left() resolves when no encode lives. Expects it to print what is given. */
async function expect (script, printed) {
  const { code, stdout, stderr } = await run(`
    const left = async () => {
      for (;;) {
        globalThis.gc()
        await turn()
        if ((await sluice.stats()).streams === 0) return
      }
    }
    const stored = { level: 'stored', reduce: false, chunkSize: 4096 }
    const started = async () => {
      while ((await sluice.stats()).parked === 0) await turn()
    }
    ${script}`, ['--expose-gc'])
  assert.equal(stderr, '')
  assert.equal(code, 0)
  assert.equal(stdout, printed)
}

test('a paused job that nobody holds is aborted', () => expect(`
  (async () => {
    sluice.encodeChunked(pixels(1000, 1000), stored, () => false)
    await started()
    await left()
    console.log('gone')
  })()`, 'gone\n'))

test('a paused job that somebody holds stays', () => expect(`
  (async () => {
    const job = sluice.encodeChunked(pixels(1000, 1000), stored, () => false)
    await started()
    for (let i = 0; i < 50; i++) { globalThis.gc(); await turn() }
    console.log((await sluice.stats()).streams)
    job.abort()
    await job.done.catch(error => console.log(error.code))
  })()`, '1\nABORT_ERR\n'))

test('a running job whose Job was not kept goes on', () => expect(`
  let bytes = 0
  sluice.encodeChunked(pixels(1000, 1000), stored, (error, chunk, last) => {
    if (bytes % 65536 === 0) globalThis.gc()
    bytes += chunk.length
    if (last) console.log(bytes > 4e6)
  })`, 'true\n'))

test('a long-lived signal does not keep a paused job', () => expect(`
  (async () => {
    const { signal } = new AbortController()
    sluice.encodeChunked(pixels(1000, 1000), { ...stored, signal }, () => false)
    await started()
    await left()
    const { getEventListeners } = require('node:events')
    while (getEventListeners(signal, 'abort').length > 0) { globalThis.gc(); await turn() }
    console.log('gone')
  })()`, 'gone\n'))

test('a followed writable keeps its job, and goes with it', () => expect(`
  (async () => {
    const { Writable } = require('node:stream')
    let slow = new Writable({ write () {} })
    sluice.encodeChunked(pixels(1000, 1000), stored, (error, chunk) => { slow?.write(chunk) }).follow(slow)
    await started()
    for (let i = 0; i < 50; i++) { globalThis.gc(); await turn() }
    console.log((await sluice.stats()).streams)
    slow = null
    await left()
    console.log('gone')
  })()`, '1\ngone\n'))

test('a stream that is not read and that nobody holds is aborted', () => expect(`
  (async () => {
    sluice.encodeStream(pixels(1000, 1000), stored).on('data', () => {}).pause()
    await started()
    await left()
    console.log('gone')
  })()`, 'gone\n'))

test('a source keeps the encode that waits for its parts', () => expect(`
  (async () => {
    const source = sluice.image({ width: 100, height: 100 })
    sluice.encodeChunked(source, stored, (error, chunk, last) => { if (last) console.log('last') })
    const { data } = pixels(100, 100)
    source.write(data.subarray(0, 20000))
    for (let i = 0; i < 50; i++) { globalThis.gc(); await turn() }
    source.write(data.subarray(20000))
    source.end()
  })()`, 'last\n'))

test('an encode whose source nobody holds is aborted', () => expect(`
  (async () => {
    sluice.image({ width: 100, height: 100 }).write(Buffer.alloc(400))
    ;(() => {
      const source = sluice.image({ width: 100, height: 100 })
      sluice.encodeChunked(source, stored, () => {})
      source.write(Buffer.alloc(400))
    })()
    await left()
    console.log('gone')
  })()`, 'gone\n'))

test('a job that ended does not keep its pixels', () => expect(`
  (async () => {
    const start = () => {
      const sample = pixels(1000, 1000)
      const jobs = [sluice.encodeChunked(sample, stored, () => {}), sluice.encodeStream(sample, stored).resume()]
      return { jobs, data: new WeakRef(sample.data.buffer) }
    }
    const { jobs, data } = start()
    await Promise.all([jobs[0].done, new Promise(resolve => jobs[1].on('close', resolve))])
    while (data.deref()) { await turn(); globalThis.gc(); await turn() } // deref() keeps it for the rest of a turn
    console.log('gone', jobs.length)
  })()`, 'gone 2\n'))

// ---- what keeps the process, and what does not

test('an encode keeps the process until its last callback', () => expect(`
  sluice.encodeChunked(pixels(1000, 1000), stored, (error, chunk, last) => { if (last) console.log('last') })`, 'last\n'))

test('an encode that ends in an error keeps the process until then', () => expect(`
  sluice.encodeChunked(pixels(10, 10), { format: 'nope' }, error => console.log(error.code))
  sluice.encode(sluice.image({ width: 0, height: 1 })).catch(error => console.log(error.code))
  sluice.encode(pixels(1000, 1000), { signal: AbortSignal.abort() }).catch(error => console.log(error.code))`,
'ABORT_ERR\nERR_SLUICE_FORMAT\nERR_SLUICE_LIMIT\n'))

test('a paused job does not keep the process', () => expect(`
  globalThis.job = sluice.encodeChunked(pixels(1000, 1000), stored, () => { console.log('one'); return false })`, 'one\n'))

test('a stream that is not read does not keep the process', () => expect(`
  globalThis.stream = sluice.encodeStream(pixels(1000, 1000), stored).on('format', () => console.log('format'))`, 'format\n'))

test('an encode that waits for parts does not keep the process', () => expect(`
  const source = globalThis.source = sluice.image({ width: 100, height: 100 })
  sluice.encodeChunked(source, stored, () => {})
  source.write(Buffer.alloc(400)).then(() => console.log('written'))`, 'written\n'))

test('an encode that waits for its first part does not keep the process', () => expect(`
  globalThis.source = sluice.image({ width: 100, height: 100 })
  sluice.encodeChunked(globalThis.source, stored, () => {})
  process.on('exit', () => console.log('exit'))`, 'exit\n'))

test('what was written keeps the process until it has left', () => expect(`
  (async () => {
    const source = globalThis.source = sluice.image({ width: 1000, height: 1000 })
    let bytes = 0
    sluice.encodeChunked(source, { level: 'stored', chunkSize: 256 }, (error, chunk) => { bytes += chunk.length })
    await source.write(pixels(1000, 500).data)
    process.on('exit', () => console.log(bytes > 1e6))
  })()`, 'true\n'))

test('the module alone does not keep the process', () => expect("console.log('here')", 'here\n'))

test('process.exit() in the middle of everything', () => expect(`
  for (let i = 0; i < 20; i++) {
    sluice.encodeChunked(pixels(500, 500), 256, () => {})
    const source = sluice.image({ width: 500, height: 500 })
    sluice.encodeStream(source)
    source.write(pixels(500, 250).data)
  }
  setImmediate(() => process.exit(0))`, ''))

test('worker.terminate() in the middle of everything', () => expect(`
  const { Worker } = require('node:worker_threads')
  const worker = new Worker(\`
    const sluice = require(\${JSON.stringify(home)})
    const sample = { data: Buffer.alloc(1000 * 1000 * 4), width: 1000, height: 1000 }
    for (let i = 0; i < 5; i++) sluice.encodeChunked(sample, { level: 'stored', chunkSize: 256 }, () => {})
    require('node:worker_threads').parentPort.postMessage('running')
  \`, { eval: true })
  worker.on('message', async () => {
    await worker.terminate()
    while ((await sluice.stats()).streams > 0) await turn()
    console.log('terminated')
  })`, 'terminated\n'))

test('worker.terminate() in the middle of Arrow and features', () => expect(`
  const { Worker } = require('node:worker_threads')
  const arrow = require('apache-arrow')
  const table = new arrow.Table({ n: arrow.vectorFromArray(Array.from({ length: 20_000 }, (_, i) => i * 7919 % 10007), new arrow.Int32()) })
  const stream = arrow.tableToIPC(table, 'stream')
  const interrupt = async i => {
    const worker = new Worker(\`
      const sluice = require(\${JSON.stringify(home)})
      const { parentPort, workerData: stream } = require('node:worker_threads')
      const x = new Float64Array(100_000)
      const push = async (source, parts) => {
        sluice.encodeChunked(source, { chunkSize: 4096 }, () => {})
        for (let i = 0; ; i++) await source.write(parts[Math.min(i, parts.length - 1)])
      }
      const schema = new DataView(stream.buffer, stream.byteOffset).getInt32(4, true) + 8
      for (const codec of ['zstd', 'lz4', 'none']) push(sluice.arrow({ codec }), [stream.subarray(0, schema), stream.subarray(schema, -8)]).catch(() => {})
      for (const format of ['gml32', 'geojson', 'csv']) push(sluice.features({ format, typeName: 'a' }), [{ geometry: { x, y: x } }]).catch(() => {})
      setTimeout(() => parentPort.postMessage('running'), \${i})
    \`, { eval: true, workerData: stream })
    await new Promise((resolve, reject) => worker.on('message', resolve).on('error', reject))
    if (i === 0) while ((await sluice.stats()).streams < 6) await turn()
    await worker.terminate()
  }
  const main = async () => {
    for (let i = 0; i < 12; i++) await interrupt(i)
    while ((await sluice.stats()).streams > 0) await turn()
    console.log('terminated')
  }
  main()`, 'terminated\n'))
