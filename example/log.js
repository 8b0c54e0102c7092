'use strict'

// The access log: a line of JSON for each answer, with sluice's report of it.

const rounded = (value) => typeof value === 'number' ? Math.round(value * 100) / 100 : value

// write: where lines go.
function logTo (write) {
  return (entry) => write(`${JSON.stringify({ pid: process.pid, ...entry }, (key, value) => rounded(value))}\n`)
}

module.exports = { logTo }
