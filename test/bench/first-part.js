'use strict'

// With strategy 'speed': time from the request until the first part can be decoded at the client, for each coding, while the
// second is not written yet; and, for comparison, until the whole answer can that strategy 'buffer' sends.

const http = require('node:http')
const zlib = require('node:zlib')
const { once } = require('node:events')
const fzstd = require('fzstd')
const { bytes, send } = require('sluice')
const { options, interleave, table, save, median } = require('./measure')

const CODINGS = ['identity', 'zstd', 'br', 'gzip', 'deflate']
const PARTS = 40
const part = Array.from({ length: 1500 }, (_, i) => `<wfs:member><t:p gml:id="p.${i}"><t:name>Street ${i * 7919 % 5000}</t:name><t:pop>${i * 104729 % 1e6}</t:pop></t:p></wfs:member>\n`).join('')

/** Calls onText with what can be read so far. */
function follow (coding, response, onText) {
  const decode = { br: zlib.createBrotliDecompress, gzip: zlib.createGunzip, deflate: zlib.createInflate }[coding]
  if (coding === 'zstd') {
    const decoder = new fzstd.Decompress(chunk => onText(chunk.length))
    response.on('data', chunk => decoder.push(chunk))
  } else {
    (decode === undefined ? response : response.pipe(decode())).on('data', chunk => onText(chunk.length))
  }
}

async function measure (port, coding, strategy) {
  const start = performance.now()
  const request = http.get({ port, host: '127.0.0.1', path: `/${strategy}`, agent: false, headers: { 'accept-encoding': coding } })
  const [response] = await once(request, 'response')
  let length = 0
  const wanted = strategy === 'speed' ? part.length : part.length * PARTS
  const ms = await new Promise(resolve => follow(coding, response, more => {
    length += more
    if (length >= wanted) resolve(performance.now() - start)
  }))
  if (response.headers['content-encoding'] !== (coding === 'identity' ? undefined : coding)) throw new Error(`${coding} was not spoken`)
  request.destroy()
  return ms
}

async function main () {
  const { rounds, json } = options(30)
  const server = http.createServer(async (request, response) => {
    const strategy = request.url.slice(1)
    const source = bytes({ type: 'application/gml+xml' })
    send(request, response, source, { strategy })
    // The second part is only written when the client has the first: it leaves when it has.
    for (let i = 0; i < (strategy === 'speed' ? 1 : PARTS); i++) await source.write(part).catch(() => {})
    if (strategy !== 'speed') source.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  const cases = {}
  for (const coding of CODINGS) for (const strategy of ['speed', 'buffer']) cases[`${coding} ${strategy}`] = () => measure(port, coding, strategy)
  const samples = await interleave(cases, rounds)
  const of = (coding, strategy) => median(samples[`${coding} ${strategy}`])
  table(`Until the first part of ${part.length} bytes is decodable, beside all ${PARTS}, medians of ${rounds} interleaved runs`,
    ['coding', 'first part, speed, ms', 'all, buffer, ms', 'ratio'],
    CODINGS.map(coding => [coding, of(coding, 'speed'), of(coding, 'buffer'), of(coding, 'speed') / of(coding, 'buffer')]))
  server.close()
  save(json, { bench: 'first-part', part: part.length, parts: PARTS, samples })
}

main()
