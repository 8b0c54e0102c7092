import sluice from './index.js'

export const { encodeChunked, encode, encodeStream, createEncoder, image, stats, SluiceError } = sluice
export default sluice
