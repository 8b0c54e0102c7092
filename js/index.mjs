export { encodeChunked, encode, encodeStream, createEncoder, image, bytes, features, batches, fromArrow, send, respond, negotiate, stats, SluiceError } from './index.js'
