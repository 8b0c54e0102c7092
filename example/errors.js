'use strict'

// What can be wrong with a request. The message is shown to the client; other errors are logged and hidden.

class ServiceError extends Error {
  // code: an OGC exception code; locator: the name of the parameter that is meant, if one is.
  constructor (code, message, { locator, status = 400 } = {}) {
    super(message)
    this.code = code
    this.locator = locator
    this.status = status // of the HTTP answer
  }
}

class Busy extends ServiceError {
  constructor () {
    super('NoApplicableCode', 'The server is busy, try again in a moment', { status: 503 })
    this.retryAfter = 2 // seconds
  }
}

// What the client may know of any error.
function publicError (err) {
  return err instanceof ServiceError ? err : new ServiceError('NoApplicableCode', 'Internal error; the log has the details', { status: 500 })
}

module.exports = { ServiceError, Busy, publicError }
