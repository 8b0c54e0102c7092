'use strict'

// A map server: node-mapnik renders, sluice sends what it encodes while it encodes.
//   PORT           where to listen, default 8080; 0: any free port
//   HOST           default 127.0.0.1
//   DATABASE_URL   PostGIS instead of the embedded data: postgres://user@host/name
//   PUBLIC_URL     what clients call this server, without a slash at its end; default: what they say in Host
//   GRACE          seconds that answers get to finish after SIGTERM, default 30

const http = require('node:http')
const { createApp } = require('./app')
const { logTo } = require('./log')
const { Reports } = require('./reports')
const { openStore } = require('./store')

// The number in an environment variable.
function numberOf (name, standard, max) {
  const text = process.env[name] ?? String(standard)
  if (/^\d{1,6}$/.test(text) && Number(text) <= max) return Number(text)
  console.error(`Expected ${name} to be a number from 0 to ${max}, got "${text}"`)
  process.exit(1)
}

// Starts a server. Resolves, when it listens, to {server, events, stop}: stop() finishes the answers that are under way and resolves.
async function start ({ port, host, grace, ...app }) {
  const store = await openStore()
  let draining = false
  const { listener, events } = await createApp({ store, ...app, isDraining: () => draining })
  const server = http.createServer((request, response) => {
    if (draining) response.setHeader('connection', 'close')
    listener(request, response)
  })
  server.keepAliveTimeout = 75000 // ms; longer than nginx keeps idle connections to us, or it would meet closed ones
  await new Promise((resolve, reject) => server.once('error', reject).listen(port, host, resolve))

  async function stop () {
    if (draining) return
    draining = true
    events.close()
    // close() waits for idle connections too, and new ones become idle as their answers end.
    const idle = setInterval(() => server.closeIdleConnections(), 100)
    const late = setTimeout(() => server.closeAllConnections(), grace * 1000)
    await new Promise((resolve) => server.close(resolve))
    clearInterval(idle)
    clearTimeout(late)
    await store.close()
  }
  return { server, events, stop }
}

const urlOf = ({ address, port }) => `http://${address.includes(':') ? `[${address}]` : address}:${port}/`

function settings () {
  return {
    port: numberOf('PORT', 8080, 65535),
    host: process.env.HOST ?? '127.0.0.1',
    grace: numberOf('GRACE', 30, 86400),
    publicUrl: process.env.PUBLIC_URL,
    reports: new Reports(),
    log: logTo((line) => process.stdout.write(line))
  }
}

async function main () {
  try {
    const { server, stop } = await start(settings())
    console.log(`Map server at ${urlOf(server.address())}`)
    for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, stop)
  } catch (err) {
    console.error(err.code === 'EADDRINUSE' ? `Port ${err.port} is taken: choose another with PORT=...` : err.message)
    process.exit(1)
  }
}

if (require.main === module) main()

module.exports = { start, settings, numberOf, urlOf }
