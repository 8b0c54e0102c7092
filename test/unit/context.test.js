'use strict'

const assert = require('node:assert/strict')
const { AsyncLocalStorage } = require('node:async_hooks')
const { once } = require('node:events')
const { test } = require('node:test')

const { encodeChunked, encodeStream } = require('../..')
const { pixels } = require('./support/images')
const { turn } = require('./support/wait')

const storage = new AsyncLocalStorage()
const sample = pixels(300, 200)

test('callbacks run in the context of the call, with others beside them', async () => {
  const jobs = ['a', 'b', 'c'].map(name => storage.run(name, () => {
    const seen = new Set()
    return encodeChunked(sample, { level: 'stored', chunkSize: 4096 }, () => { seen.add(storage.getStore()) }).done.then(() => [...seen])
  }))
  assert.deepEqual(await Promise.all(jobs), [['a'], ['b'], ['c']])
})

test('whoever resumes or aborts does not lend the context', async () => {
  const seen = []
  const job = storage.run('call', () => encodeChunked(sample, 256, (error, chunk) => {
    seen.push([error?.code ?? chunk.length, storage.getStore()])
    return false
  }))
  while (seen.length === 0) await turn()
  storage.run('resume', () => job.resume())
  while (seen.length === 1) await turn()
  storage.run('abort', () => job.abort())
  await assert.rejects(job.done)
  assert.deepEqual(seen, [[256, 'call'], [256, 'call'], ['ABORT_ERR', 'call']])
})

test('events of a stream run in the context of the call', async () => {
  const seen = []
  const stream = storage.run('call', () => encodeStream(sample).on('format', () => seen.push(storage.getStore())))
  stream.resume()
  await once(stream, 'end')
  assert.deepEqual(seen, ['call'])
})
