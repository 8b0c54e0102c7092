'use strict'

const { execFile } = require('node:child_process')
const path = require('node:path')

/** Runs a script in a process of its own. It has sluice, its folder home, pixels() and turn(). Resolves to {code, stdout, stderr}. */
function run (script, flags = []) {
  const head = `'use strict'
    const home = ${JSON.stringify(path.join(__dirname, '../../..'))}
    const sluice = require(home)
    const { pixels } = require(${JSON.stringify(path.join(__dirname, 'images.js'))})
    const turn = () => new Promise(resolve => setImmediate(resolve))\n`
  return new Promise(resolve => {
    execFile(process.execPath, [...flags, '-e', head + script], { timeout: 60_000 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : error.code ?? error.signal, stdout, stderr })
    })
  })
}

module.exports = { run }
