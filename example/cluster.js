'use strict'

// Several processes on one machine, by node:cluster: the same settings as server.js, and
//   WORKERS   how many, default: one for each processor
//
// Signals to this process: SIGTERM or SIGINT lets workers finish their answers, then ends; SIGHUP restarts them one after the
// other, each when its successor listens, so that no request is refused. A worker that dies is replaced.

const cluster = require('node:cluster')
const os = require('node:os')
const { once } = require('node:events')
const { setTimeout: sleep } = require('node:timers/promises')
const { AggregatorRegistry } = require('prom-client')
const { prepare } = require('./build')
const { numberOf, settings, start, urlOf } = require('./server')

// Workers accept connections themselves. Those that the first process hands out are lost with a worker that dies before it
// has taken them: their clients would wait for ever.
cluster.schedulingPolicy = cluster.SCHED_NONE

const leastLife = 1000 // ms; workers that die younger are replaced no faster than that

function runPrimary () {
  const workers = numberOf('WORKERS', os.availableParallelism(), 256) || 1
  const registry = new AggregatorRegistry()
  let stopping = false
  let port // once the first worker listens

  function fork () {
    const worker = cluster.fork() // PORT=0 is the same free port for all
    worker.born = Date.now()
    return worker
  }

  cluster.on('listening', (worker, address) => {
    if (port !== undefined) return
    port = address.port
    console.log(`Map server at ${urlOf({ address: address.address ?? '0.0.0.0', port })}`)
    for (let i = 1; i < workers; i++) fork()
  })

  cluster.on('exit', async (worker, code, signal) => {
    if (stopping) {
      if (Object.keys(cluster.workers).length === 0) process.exit(0)
      return
    }
    if (port === undefined) process.exit(1) // it could not listen, and said why
    if (worker.replaced) return
    console.error(`Worker ${worker.process.pid} ended (${signal ?? code}); another takes its place`)
    await sleep(Math.max(0, worker.born + leastLife - Date.now()))
    if (!stopping) fork()
  })

  // Reports go to the pages of all workers; metrics are asked for by one and are those of all.
  // Messages of ours are in map: prom-client sends some as well.
  cluster.on('message', async (worker, { map: { report, question } = {} }) => {
    if (report) {
      for (const other of Object.values(cluster.workers)) if (other !== worker) tell(other, { report })
    } else if (question !== undefined) {
      const text = await registry.clusterMetrics().catch((err) => `# ${err.message}\n`)
      tell(worker, { question, text })
    }
  })

  const tell = (worker, map) => worker.isConnected() && worker.send({ map })
  const drain = (worker) => tell(worker, { drain: true })

  async function restart () {
    for (const worker of Object.values(cluster.workers)) {
      if (stopping) return
      await once(fork(), 'listening')
      worker.replaced = true
      const gone = once(worker, 'exit')
      drain(worker)
      await gone
    }
    console.error('All workers were restarted')
  }

  let restarting = Promise.resolve()
  process.on('SIGHUP', () => { restarting = restarting.then(restart) })
  for (const signal of ['SIGTERM', 'SIGINT']) {
    process.on(signal, () => {
      if (stopping) return
      stopping = true
      Object.values(cluster.workers).forEach(drain)
    })
  }
  fork()
}

async function runWorker () {
  // A terminal sends signals to all processes: only the first decides.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => {})
  new AggregatorRegistry() // eslint-disable-line no-new -- answers the first process with this one's metrics
  const asked = new Map() // requests for metrics that wait
  let number = 0
  const metricsText = () => new Promise((resolve) => {
    asked.set(++number, resolve)
    process.send({ map: { question: number } })
  })
  const { stop, events } = await start({ ...settings(), metricsText })
  events.on('own', (report) => process.connected && process.send({ map: { report } }))
  process.on('message', async ({ map: { drain, report, question, text } = {} }) => {
    if (report) events.show(report)
    asked.get(question)?.(text)
    asked.delete(question)
    if (!drain) return
    await stop()
    process.exit(0)
  })
  process.once('disconnect', () => stop().then(() => process.exit(0))) // the first process is gone
}

async function main () {
  if (!cluster.isPrimary) return runWorker()
  if (!process.env.DATABASE_URL) await prepare() // once, not in every worker
  runPrimary()
}

main().catch((err) => {
  console.error(err.code === 'EADDRINUSE' ? `Port ${err.port} is taken: choose another with PORT=...` : err.message)
  process.exit(1)
})
