'use strict'

// What a process, worker or fork under test runs: the function whose source is the first argument.

const hazard = require('./child')

const [source, parameters] = process.argv.slice(2)
// eslint-disable-next-line no-new-func -- functions of the tests themselves
const body = new Function('require', `return (${source})`)(require)

body(hazard, JSON.parse(parameters ?? 'null'))?.catch(error => { throw error })
