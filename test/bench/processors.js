'use strict'

// Which processors a bench may use.

const fs = require('node:fs')
const { spawnSync } = require('node:child_process')

/** The first of the processors that this process may use, alone; and the first two. */
function processors () {
  const list = /^Cpus_allowed_list:\s*(.*)$/m.exec(fs.readFileSync('/proc/self/status', 'utf8'))[1]
  const all = list.split(',').flatMap((range) => {
    const [from, to = from] = range.split('-').map(Number)
    return Array.from({ length: to - from + 1 }, (_, i) => from + i)
  })
  if (all.length < 2) console.error('There is only one processor: two are not measured')
  if (spawnSync('taskset', ['-V']).error) throw new Error('taskset is missing: it comes with util-linux')
  return all.length < 2 ? [[all[0]]] : [[all[0]], [all[0], all[1]]]
}

module.exports = { processors }
