'use strict'

// Errors as WMS clients understand them: XML, or an image with the message, or one without.

const { image } = require('sluice')
const { xml } = require('../xml')
const { publicError } = require('../errors')
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
// for. -> {source, format}
async function exceptionImage (err, kind, params) {
  const size = (name, standard) => /^\d{1,4}$/.test(params.get(name) ?? '') ? Math.max(1, Math.min(maxSize, Number(params.get(name)))) : standard
  const format = formats.find(({ name }) => name === (params.get('format') ?? '').toLowerCase().replaceAll(' ', '')) ?? formats[0]
  const bgcolor = /^0x[\da-f]{6}$/i.test(params.get('bgcolor') ?? '') ? `#${params.get('bgcolor').slice(2)}` : '#ffffff'
  const transparent = /^true$/i.test(params.get('transparent') ?? '') && !format.opaque
  const pixels = await drawText(kind === 'blank' ? '' : publicError(err).message, {
    width: size('width', 400), height: size('height', 300), background: transparent ? 'rgba(255,255,255,0)' : bgcolor
  })
  return { source: image(pixels), format }
}

module.exports = { exceptionDocument, wantedExceptions, exceptionImage, exceptionFormats }
