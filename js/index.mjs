export { encodeChunked, encode, encodeStream, createEncoder, image, arrow, bytes, negotiateArrow, stats, SluiceError } from './index.js'
