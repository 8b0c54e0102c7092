'use strict'

// The page's few files, OpenLayers among them: nothing is fetched from elsewhere.

const fs = require('node:fs')
const path = require('node:path')
const { pipeline } = require('node:stream/promises')

const local = (name) => path.join(__dirname, 'page', name)

const files = {
  '/': [local('index.html'), 'text/html; charset=utf-8'],
  '/map.js': [local('map.js'), 'text/javascript; charset=utf-8'],
  '/map.css': [local('map.css'), 'text/css; charset=utf-8'],
  '/ol.js': [require.resolve('ol/dist/ol.js'), 'text/javascript; charset=utf-8'],
  '/ol.css': [require.resolve('ol/ol.css'), 'text/css; charset=utf-8']
}

async function servePage (response, pathname) {
  const [file, type] = files[pathname] ?? []
  if (!file) {
    response.writeHead(404, { 'content-type': 'text/plain' })
    response.end('Not found\n')
    return
  }
  response.writeHead(200, { 'content-type': type })
  await pipeline(fs.createReadStream(file), response)
}

module.exports = { servePage }
