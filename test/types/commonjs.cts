import sluice = require('sluice')

const job: sluice.Job = sluice.encodeChunked({ data: new Uint8Array(4), width: 1, height: 1 }, 256, (_error, chunk) => chunk)
const error: typeof sluice.SluiceError = sluice.SluiceError

export = { job, error }
