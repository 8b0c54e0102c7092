'use strict'

const { abortError } = require('./errors')

// A signal may outlive many streams: its listener must not keep one alive, nor stay behind when one is collected.
const forgotten = new FinalizationRegistry(({ signal, listener }) => signal.removeEventListener('abort', listener))

/** Whether value has all that is used of a signal: an AbortSignal, or one of another realm or library. */
function isSignal (value) {
  try {
    return typeof value.aborted === 'boolean' && ['addEventListener', 'removeEventListener'].every(name => typeof value[name] === 'function')
  } catch {
    return false
  }
}

/** Aborts stream when signal does. Returns what unlisten takes. */
function listen (signal, stream) {
  const reference = new WeakRef(stream)
  const listener = () => reference.deref()?.abort(abortError(signal.reason))
  signal.addEventListener('abort', listener, { once: true })
  const subscription = { signal, listener }
  forgotten.register(stream, subscription, stream)
  return subscription
}

function unlisten (subscription, stream) {
  subscription.signal.removeEventListener('abort', subscription.listener)
  forgotten.unregister(stream)
}

module.exports = { isSignal, listen, unlisten }
