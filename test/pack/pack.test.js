'use strict'

// The package as npm packs it, installed as servers do: without scripts, strictly, again, and from a lock file.

const assert = require('node:assert/strict')
const { execFileSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { before, after, test } = require('node:test')

const root = path.join(__dirname, '../..')
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'sluice-pack-'))
const run = (command, args, cwd = folder) => execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })

let tarball
let files
before(() => {
  const [packed] = JSON.parse(run('npm', ['pack', '--json', '--pack-destination', folder], root))
  tarball = path.join(folder, packed.filename)
  files = packed.files.map(file => file.path)
})
after(() => fs.rmSync(folder, { recursive: true }))

test('what is in the package', () => {
  const here = `prebuilds/${process.platform}-${process.arch}`
  for (const file of ['package.json', 'README.md', 'CHANGELOG.md', 'LICENSE', 'include/sluice.h', 'js/index.js', 'js/index.mjs', 'js/index.d.ts', 'js/mapnik.js', `${here}/addon.node`, `${here}/libsluice.so`]) {
    assert.ok(files.includes(file), file)
  }
  const alien = files.filter(file => /\.(go|gyp|c)$|^(addon|internal|test|build|node_modules)\//.test(file) && file !== 'test/c/encode.c')
  assert.deepEqual(alien, []) // binding.gyp would make npm compile
  const { scripts = {}, dependencies = {}, gypfile } = JSON.parse(fs.readFileSync(path.join(root, 'package.json')))
  assert.deepEqual(Object.keys(scripts).filter(name => /install|prepare|publish|pack/.test(name)), [])
  assert.deepEqual(dependencies, {})
  assert.equal(gypfile, false)
})

test('the oldest glibc that the builds load on', () => {
  for (const platform of fs.readdirSync(path.join(root, 'prebuilds'))) {
    for (const name of ['addon.node', 'libsluice.so']) {
      const bytes = fs.readFileSync(path.join(root, 'prebuilds', platform, name), 'latin1')
      const versions = [...new Set(bytes.match(/GLIBC_2\.\d+/g))].map(version => Number(version.slice(8)))
      assert.ok(versions.length > 0)
      assert.ok(Math.max(...versions) <= 28, `${platform}/${name} needs glibc 2.${Math.max(...versions)}; Node 20 itself needs 2.28`)
    }
  }
})

const script = `
  const sluice = require('sluice')
  const patch = require('sluice/mapnik')
  if (typeof patch !== 'function') throw new Error('sluice/mapnik')
  Promise.all([import('sluice'), sluice.encode({ data: new Uint8Array(64), width: 4, height: 4 })]).then(([esm, png]) => {
    if (esm.encode !== sluice.encode || png.subarray(1, 4).toString() !== 'PNG') process.exit(1)
    console.log('works')
  })`

for (const flags of [[], ['--ignore-scripts'], ['--strict-allow-scripts'], ['--omit=optional'], ['--omit=dev', '--ignore-scripts', '--strict-allow-scripts']]) {
  test(`npm install ${flags.join(' ')}`, () => {
    const project = fs.mkdtempSync(path.join(folder, 'project-'))
    fs.writeFileSync(path.join(project, 'package.json'), '{"name":"server","version":"1.0.0","private":true}')
    const npm = (...args) => run('npm', [...args, '--no-audit', '--no-fund', '--offline', ...flags], project)
    const works = () => assert.equal(run(process.execPath, ['-e', script], project), 'works\n')
    npm('install', tarball)
    works()
    npm('install') // again, over what is there
    works()
    npm('ci') // from the lock file, over nothing
    works()
    assert.ok(!fs.existsSync(path.join(project, 'node_modules/sluice/build')), 'nothing was compiled')
  })
}
