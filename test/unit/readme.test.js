'use strict'

const assert = require('node:assert/strict')
const { execFileSync, spawnSync } = require('node:child_process')
const fs = require('node:fs')
const http = require('node:http')
const Module = require('node:module')
const path = require('node:path')
const { once } = require('node:events')
const { test } = require('node:test')

const root = path.join(__dirname, '../..')
const readme = fs.readFileSync(path.join(root, 'README.md'), 'utf8')

const examples = [...readme.matchAll(/```js\n(.*?)```/gs)].map(([, code]) => code)
assert.equal(examples.length, 2)

for (const code of examples) {
  const [, name] = code.match(/const \{ (\w+) \} = require\('sluice'\)/)
  test(`the README's example of ${name} is a server that answers with a PNG`, async (t) => {
    assert.ok(code.trimEnd().split('\n').length <= 12, 'the example has at most 12 lines')

    // Its fixed port may be taken on this machine: whatever it asks for, it gets a free one.
    const { listen } = http.Server.prototype
    let server
    t.mock.method(http.Server.prototype, 'listen', function () {
      server = this
      return listen.call(this, 0)
    })
    const example = new Module('example')
    example.filename = path.join(root, 'example.js') // where it would lie, so that require('sluice') finds this package
    example._compile(code, example.filename)
    t.after(() => server.close())
    if (!server.listening) await once(server, 'listening')

    const answer = await fetch(`http://127.0.0.1:${server.address().port}/`)
    const body = Buffer.from(await answer.arrayBuffer())
    assert.equal(answer.headers.get('content-type'), 'image/png')
    assert.equal(body.toString('latin1', 1, 4), 'PNG')
    assert.deepEqual([body.readUInt32BE(16), body.readUInt32BE(20)], [1201, 801])
    assert.equal(body.toString('latin1', body.length - 8, body.length - 4), 'IEND')
  })
}

test('the example server refuses a PORT that is none', () => {
  for (const port of ['abc', '65536', '-1', '']) {
    const { status, stderr } = spawnSync(process.execPath, ['example/server.js'], { cwd: root, env: { ...process.env, PORT: port }, encoding: 'utf8' })
    assert.equal(status, 1)
    assert.equal(stderr, `Expected PORT to be a number from 0 to 65535, got "${port}"\n`)
  }
})

test('links between the documents lead to files of the package', () => {
  const [{ files, filename }] = JSON.parse(execFileSync('npm', ['pack', '--dry-run', '--json'], { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }))
  assert.match(readme, new RegExp(`\\b${filename}\\b`))
  const packed = new Set(files.flatMap(({ path: file }) => [file, path.posix.dirname(file)]))
  const documents = [...packed].filter(file => file.endsWith('.md'))
  assert.ok(documents.length > 5)
  for (const document of documents) {
    const text = fs.readFileSync(path.join(root, document), 'utf8')
    for (const [, link] of text.matchAll(/\]\((?!\w+:|#)([^)#]+)[^)]*\)/g)) {
      const file = path.posix.join(path.posix.dirname(document), link).replace(/\/$/, '')
      assert.ok(packed.has(file), `${document} links to ${link}`)
    }
  }
})

test('the commands of the README are targets of the Makefile', () => {
  const makefile = fs.readFileSync(path.join(root, 'Makefile'), 'utf8')
  const [, commands] = readme.match(/```\n(make .*?)```/s)
  for (const [, target] of commands.matchAll(/^make ([\w-]+)/gm)) assert.match(makefile, new RegExp(`^${target}:`, 'm'))
})
