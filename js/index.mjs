export { encodeChunked, encode, encodeStream, createEncoder, image, stats, SluiceError } from './index.js'
