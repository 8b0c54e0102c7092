'use strict'

const { generateKeyPairSync, sign } = require('node:crypto')

/** A key and a certificate for localhost that signs itself (RFC 5280; version 1, which has no extensions). */
function certificate () {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const algorithm = der(0x30, oid('2a8648ce3d040302')) // ecdsa-with-SHA256
  const name = der(0x30, der(0x31, der(0x30, oid('550403'), der(0x0c, Buffer.from('localhost')))))
  const validity = der(0x30, time(-1), time(1))
  const body = der(0x30, der(0x02, Buffer.from([1])), algorithm, name, validity, name, publicKey.export({ type: 'spki', format: 'der' }))
  const signature = der(0x03, Buffer.from([0]), sign('sha256', body, privateKey))
  const base64 = der(0x30, body, algorithm, signature).toString('base64').replace(/.{64}/g, '$&\n')
  return { key: privateKey.export({ type: 'pkcs8', format: 'pem' }), cert: `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n` }
}

function der (tag, ...parts) {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

const oid = hex => der(0x06, Buffer.from(hex, 'hex'))

/** So many days from today. */
function time (days) {
  const date = new Date(Date.now() + days * 86400e3)
  return der(0x17, Buffer.from(date.toISOString().replace(/^..|[-T:]|\..*Z/g, '') + 'Z'))
}

module.exports = { certificate }
