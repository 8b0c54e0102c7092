export { encodeChunked, encode, encodeStream, createEncoder, image, bytes, stats, SluiceError } from './index.js'
