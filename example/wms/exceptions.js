'use strict'

// Errors as WMS clients understand them: XML, or an image with the message, or one without.

const { image } = require('sluice')
const { xml } = require('../xml')
const { publicError } = require('../errors')
const { push } = require('../push')
const { drawText } = require('../render/text')
const { formats } = require('./formats')
const { maxSize } = require('./request')

const exceptionFormats = {
  '1.3.0': ['XML', 'INIMAGE', 'BLANK'],
  '1.1.1': ['application/vnd.ogc.se_xml', 'application/vnd.ogc.se_inimage', 'application/vnd.ogc.se_blank']
}

// -> {status, type, body, headers}
function exceptionDocument (err, version) {
  const { code, message, locator, status, retryAfter } = publicError(err)
  const modern = version === '1.3.0'
  const type = modern ? 'text/xml' : 'application/vnd.ogc.se_xml'
  const exception = { '@code': code, ...(modern && { '@locator': locator }), '#': message }
  return {
    status,
    type,
    headers: { 'content-type': type, 'cache-control': 'no-store', ...(retryAfter && { 'retry-after': String(retryAfter) }) },
    body: modern
      ? xml({
        ServiceExceptionReport: {
          '@version': version,
          '@xmlns': 'http://www.opengis.net/ogc',
          '@xmlns:xsi': 'http://www.w3.org/2001/XMLSchema-instance',
          '@xsi:schemaLocation': 'http://www.opengis.net/ogc http://schemas.opengis.net/wms/1.3.0/exceptions_1_3_0.xsd',
          ServiceException: exception
        }
      })
      : xml({ ServiceExceptionReport: { '@version': version, ServiceException: exception } },
        { doctype: { sysID: 'http://schemas.opengis.net/wms/1.1.1/exception_1_1_1.dtd' } })
  }
}

// How GetMap wants its errors: 'xml', 'inimage' or 'blank'. Unknown wishes are XML, which is always understood.
function wantedExceptions (params) {
  const [, kind] = /^(?:application\/vnd\.ogc\.se_)?(inimage|blank)$/i.exec(params?.get('exceptions') ?? '') ?? []
  return kind?.toLowerCase() ?? 'xml'
}

// The image that stands for the map: with the message, or blank; as far as the parameters can be trusted, as it was asked
// for. Few rows are drawn, whatever its size: it costs no more than a document. -> {source, format}
async function exceptionImage (err, kind, params) {
  const size = (name, standard) => {
    const value = /^\d{1,4}$/.test(params.get(name) ?? '') ? Number(params.get(name)) : 0
    return value >= 1 && value <= maxSize ? value : standard
  }
  const [width, height] = [size('width', 400), size('height', 300)]
  const format = formats.find(({ name }) => name === (params.get('format') ?? '').toLowerCase().replaceAll(' ', '')) ?? formats[0]
  const bgcolor = /^0x[\da-f]{6}$/i.test(params.get('bgcolor') ?? '') ? `#${params.get('bgcolor').slice(2)}` : '#ffffff'
  const transparent = /^true$/i.test(params.get('transparent') ?? '') && !format.opaque
  const top = await drawText(kind === 'blank' ? '' : publicError(err).message, { width, height, background: transparent ? 'rgba(255,255,255,0)' : bgcolor })
  const source = image({ width, height, premultiplied: top.premultiplied, opaque: !transparent })
  push(source, top, rowsBelow(top, height))
  return { source, format }
}

const rowsAtOnce = 64

// The rows of an image below its top, all like the last one there.
function * rowsBelow ({ data, width, height: drawn, premultiplied }, height) {
  const last = data.subarray((drawn - 1) * width * 4)
  const strip = drawn < height ? Buffer.alloc(Math.min(rowsAtOnce, height - drawn) * width * 4, last) : undefined
  for (let y = drawn; y < height; y += rowsAtOnce) {
    const rows = Math.min(rowsAtOnce, height - y)
    yield { data: strip.subarray(0, rows * width * 4), width, height: rows, premultiplied }
  }
}

module.exports = { exceptionDocument, wantedExceptions, exceptionImage, exceptionFormats }
