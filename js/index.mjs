export { encodeChunked, encode, encodeStream, createEncoder, image, bytes, send, respond, negotiate, stats, SluiceError } from './index.js'
