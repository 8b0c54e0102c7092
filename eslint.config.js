'use strict'

const neostandard = require('neostandard')

module.exports = [
  { ignores: ['build/', 'prebuilds/', 'coverage/', 'example/data/', 'test/c/'] },
  ...neostandard({ ts: true, env: ['node'] }),
  { rules: { 'valid-typeof': 'error' } }, // without the standard's requireStringLiterals: a type may come in a variable
  {
    files: ['example/page/**'],
    languageOptions: { sourceType: 'script', globals: { ol: 'readonly', document: 'readonly', fetch: 'readonly', location: 'readonly', Option: 'readonly', EventSource: 'readonly', requestAnimationFrame: 'readonly' } }
  }
]
