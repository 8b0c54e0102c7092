export { encodeChunked, encode, encodeStream, createEncoder, image, bytes, features, batches, fromArrow, stats, SluiceError } from './index.js'
