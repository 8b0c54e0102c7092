'use strict'

const assert = require('node:assert/strict')
const { execFileSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { test } = require('node:test')

const root = path.join(__dirname, '../..')

/** Loads a copy of js/ beside the given prebuilds, and returns the error's message. */
function load (t, files, before = '') {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'sluice-'))
  t.after(() => fs.rmSync(folder, { recursive: true }))
  fs.cpSync(path.join(root, 'js'), path.join(folder, 'js'), { recursive: true })
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, 'prebuilds', name)
    fs.mkdirSync(path.dirname(file), { recursive: true })
    fs.writeFileSync(file, content)
  }
  return execFileSync(process.execPath, ['-e', `${before}
    try { require(${JSON.stringify(path.join(folder, 'js'))}) } catch (error) { console.log(error.code + ' ' + error.message) }`], { encoding: 'utf8' })
}

const here = `${process.platform}-${process.arch}`

test('a build that is missing', (t) => {
  const message = load(t, {})
  assert.match(message, /^ERR_SLUICE_LOAD Could not load sluice\. This is \S+ \(glibc [\d.]+\) with Node\.js [\d.]+\.\n/)
  assert.match(message, new RegExp(`Why: .*${here}.addon\\.node is missing`))
  assert.match(message, /What to do:\n- .*make build/)
})

test('builds for other platforms are named', (t) => {
  const message = load(t, { 'plan9-mips/addon.node': '', 'linux-vax/addon.node': '', 'no-build/readme': '' })
  assert.match(message, /builds for linux-vax, plan9-mips: /)
})

test('a build that does not load', (t) => {
  const message = load(t, { [`${here}/addon.node`]: 'no library' })
  assert.match(message, /addon\.node does not load: .*(file too short|invalid ELF header)/)
  assert.match(message, /libsluice\.so is missing beside/)
})

test('an addon without its library', (t) => {
  const message = load(t, { [`${here}/addon.node`]: fs.readFileSync(path.join(root, 'prebuilds', here, 'addon.node')) })
  assert.match(message, /addon\.node does not load: .*libsluice\.so/)
})

test('musl, where a report names no glibc', (t) => {
  const message = load(t, {}, 'process.report.getReport = () => ({ header: {} });')
  assert.match(message, / \(musl\) /)
  assert.match(message, /golang\/go#54805/)
  assert.match(message, /node:22-slim/)
})

test('Bun, which the addon would end', (t) => {
  const message = load(t, {}, "Object.defineProperty(process.versions, 'bun', { value: '1.4.5' })")
  assert.match(message, /^ERR_SLUICE_LOAD Could not load sluice\. This is \S+ with Bun 1\.4\.5\.\nWhy: .*uv_loop_init/)
})

test('the module loads twice in one process, and in a worker', () => {
  const script = `
    const { Worker, isMainThread } = require('node:worker_threads')
    const path = ${JSON.stringify(path.join(root, 'js'))}
    const encode = () => require(path).encode({ data: Buffer.alloc(400), width: 10, height: 10 }).then(png => console.log(png.length > 50))
    encode()
    for (const key of Object.keys(require.cache)) delete require.cache[key]
    encode().then(() => new Worker('(' + encode.toString().replace('path', JSON.stringify(path)) + ')()', { eval: true }))`
  assert.equal(execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' }), 'true\ntrue\ntrue\n')
})
