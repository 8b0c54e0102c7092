export {
  encodeChunked,
  encode,
  encodeStream,
  createEncoder,
  image,
  bytes,
  features,
  batches,
  fromArrow,
  arrow,
  send,
  respond,
  negotiate,
  negotiateArrow,
  stats,
  SluiceError
} from './index.js'
