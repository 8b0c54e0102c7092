'use strict'

// Two network namespaces, one for a server and one for clients, joined by pairs of virtual interfaces. Each pair is a link of its own, which a
// token bucket shapes in both directions. No route leads out. Needs root and iproute2.

const { execFileSync, spawn } = require('node:child_process')

/** A bucket holds a millisecond of its rate: a larger one would fill up while an image is encoded, and so hide that time. */
const burst = mbit => Math.max(3100, mbit * 125) // bytes

/** How long a link has to rest until its bucket is full again, in milliseconds. */
const restMs = mbit => mbit === 0 ? 2 : Math.max(8, Math.ceil(2 * burst(mbit) / (mbit * 125)) + 5)

class Links {
  #server = `sluice-server-${process.pid}`
  #client = `sluice-client-${process.pid}`
  #processes = new Set()
  #count = 0

  constructor () {
    if (process.platform !== 'linux' || process.getuid() !== 0) throw new Error('Expected to be run by root on Linux: it makes network namespaces')
    process.once('exit', () => this.close())
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))
    for (const name of [this.#server, this.#client]) {
      ip(['netns', 'add', name])
      ip(['-n', name, 'link', 'set', 'lo', 'up'])
    }
  }

  /** Adds links of a rate in Mbit/s, 0 for one that is not shaped. Returns the server's address on each. */
  add (mbit, count = 1) {
    const links = []
    const shapes = []
    const hosts = Array.from({ length: count }, () => {
      const i = this.#count++
      const net = `10.99.${i >> 6}.${(i & 63) * 4}`.split('.')
      const address = last => [...net.slice(0, 3), Number(net[3]) + last].join('.')
      links.push(`link add s${i} netns ${this.#server} type veth peer name c${i} netns ${this.#client}`)
      shapes.push({ end: `s${i}`, address: address(1) }, { end: `c${i}`, address: address(2) })
      return address(1)
    })
    ip(['-batch', '-'], links)
    for (const [name, side] of [[this.#server, 's'], [this.#client, 'c']]) {
      const ends = shapes.filter(({ end }) => end[0] === side)
      ip(['-n', name, '-batch', '-'], ends.flatMap(({ end, address }) => [`addr add ${address}/30 dev ${end}`, `link set ${end} up`]))
      if (mbit > 0) execFileSync('tc', ['-n', name, '-batch', '-'], { input: lines(ends.map(({ end }) => `qdisc add dev ${end} root tbf rate ${mbit}mbit burst ${burst(mbit)} latency 100ms`)) })
    }
    return hosts
  }

  /** Starts a program of Node on a side, 'server' or 'client'. */
  start (side, args, { stdio = ['pipe', 'pipe', 'inherit'] } = {}) {
    const name = side === 'server' ? this.#server : this.#client
    const child = spawn('ip', ['netns', 'exec', name, process.execPath, ...args], { stdio })
    this.#processes.add(child)
    child.once('close', () => this.#processes.delete(child))
    return child
  }

  close () {
    for (const child of this.#processes) child.kill('SIGKILL')
    this.#processes.clear()
    for (const name of [this.#server, this.#client]) {
      try {
        execFileSync('ip', ['netns', 'del', name], { stdio: 'ignore' })
      } catch {} // is gone
    }
  }
}

const lines = commands => commands.map(command => command + '\n').join('')

function ip (args, commands) {
  execFileSync('ip', args, { input: commands && lines(commands), stdio: ['pipe', 'ignore', 'inherit'] })
}

module.exports = { Links, restMs }
