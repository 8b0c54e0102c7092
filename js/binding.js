'use strict'

// The only file that knows platforms. It exports the addon's functions (open, write, grant, finish, abort, hold, drop,
// stats), its event kinds (BEGIN, CHUNK, DRAIN, END, FAIL) and info.

const fs = require('node:fs')
const path = require('node:path')

const prebuilds = path.join(__dirname, '..', 'prebuilds')
const platform = `${process.platform}-${process.arch}`
const file = path.join(prebuilds, platform, 'addon.node')

function load () {
  if (process.versions.bun !== undefined) throw unloadable(refuseBun()) // which would end the process on its first missing function
  try {
    return require(file)
  } catch (cause) {
    throw unloadable(explain(cause), cause)
  }
}

function unloadable (message, cause) {
  return Object.assign(new Error(message, { cause }), { code: 'ERR_SLUICE_LOAD' })
}

function refuseBun () {
  return report(`This is ${platform} with Bun ${process.versions.bun}`, 'Bun has no uv_loop_init, which the addon needs to keep signals from Go (oven-sh/bun#18546)', [
    'Run the server with Node.js 20 or later, or with Deno'
  ])
}

/** Says what was found, why it does not load, and what to do. */
function explain (cause) {
  const found = `This is ${platform}${libc()} with Node.js ${process.versions.node}`
  if (isMusl()) {
    return report(found, 'sluice is a Go library, and those load only into programs that use glibc (golang/go#54805)', [
      'Use an image that is based on glibc, such as node:22-slim instead of node:22-alpine'
    ])
  }
  if (fs.existsSync(file)) {
    return report(found, `${file} does not load: ${cause.message}`, [
      'If "GLIBC_… not found" is said above, the system is too old for this build: build sluice on it with `make build`',
      'If libsluice.so is missing beside addon.node, the package was cut in bundling or copying: keep the whole folder',
      'If the file was built for another system, install again on this one: node_modules cannot be copied between systems'
    ])
  }
  const there = present()
  return report(found, `${file} is missing`, [
    there.length > 0
      ? `The package holds builds for ${there.join(', ')}: use one of these, or build sluice here with \`make build\` (Go 1.26 and a C compiler)`
      : 'In a clone of the repository, run `make build` first (Go 1.26 and a C compiler)',
    'With a bundler, leave sluice out of the bundle (mark it "external"), so that it finds its files',
    'If node_modules came from another system or through a cache, install again on this one'
  ])
}

function report (found, why, fixes) {
  return [`Could not load sluice. ${found}.`, `Why: ${why}.`, 'What to do:', ...fixes.map(fix => `- ${fix}`)].join('\n')
}

function present () {
  try {
    return fs.readdirSync(prebuilds).filter(name => fs.existsSync(path.join(prebuilds, name, 'addon.node')))
  } catch {
    return []
  }
}

/** Asked only when loading failed: a report takes about 10 ms. */
function glibc () {
  const before = process.report.excludeNetwork
  process.report.excludeNetwork = true // interfaces are looked up by name otherwise, which may take seconds
  try {
    return process.report.getReport().header.glibcVersionRuntime
  } finally {
    process.report.excludeNetwork = before
  }
}

function isMusl () {
  return process.platform === 'linux' && glibc() === undefined
}

function libc () {
  if (process.platform !== 'linux') return ''
  return isMusl() ? ' (musl)' : ` (glibc ${glibc()})`
}

const addon = load()

module.exports = { ...addon, info: JSON.parse(addon.info) }
