'use strict'

// The page's few files, OpenLayers among them: nothing is fetched from elsewhere.

const fs = require('node:fs/promises')
const path = require('node:path')

const local = (name) => path.join(__dirname, 'page', name)

const files = {
  '/': [local('index.html'), 'text/html; charset=utf-8'],
  '/map.js': [local('map.js'), 'text/javascript; charset=utf-8'],
  '/panel.js': [local('panel.js'), 'text/javascript; charset=utf-8'],
  '/map.css': [local('map.css'), 'text/css; charset=utf-8'],
  '/ol.js': [require.resolve('ol/dist/ol.js'), 'text/javascript; charset=utf-8'],
  '/ol.css': [require.resolve('ol/ol.css'), 'text/css; charset=utf-8']
}

// False: it is none of the page's.
async function servePage (exchange) {
  if (!Object.hasOwn(files, exchange.url.pathname)) return false
  const [file, type] = files[exchange.url.pathname]
  await exchange.cacheable({ type, body: await fs.readFile(file) })
  return true
}

module.exports = { servePage }
