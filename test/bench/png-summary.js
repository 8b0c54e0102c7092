'use strict'

// From samples to figures: of one image, and of each class of images.

const { geometricMean, median, min } = require('simple-statistics')
const { base } = require('./png-encoders')

const classes = ['cartography', 'overlay', 'relief', 'photo', 'noise', 'tiles', 'print', 'other']

// What a name says, the first that fits. Edge cases are not worth measuring.
const names = [
  [/^edge_/, undefined],
  [/tile/, 'tiles'],
  [/overlay/, 'overlay'],
  [/print/, 'print'],
  [/relief|hillshade/, 'relief'],
  [/aerial|photo/, 'photo'],
  [/noise/, 'noise'],
  [/cadastral|street|world|europe/, 'cartography'],
  [/^/, 'other']
]

/** The class of an image by its name; undefined: it is to be skipped. */
function classOf (name) {
  return names.find(([pattern]) => pattern.test(name))[1]
}

/**
 * The figures of one image. samples: {cores: {encoder: {bytes, indexed, encodes: [{ms, cpuMs}], chunked: [{first, total}]}}}.
 * {encoder: {bytes, bytesRatio, indexed, cores: {cores: {ms, leastMs, cpuMs, speed, leastSpeed, cpuSpeed, firstChunk, samples}}}}:
 * ms are medians, speeds how many times faster than base (cpuSpeed: how many times less processor time, by all threads), and
 * firstChunk a share of the encode's own time.
 */
function figures (samples) {
  const result = {}
  for (const [cores, encoders] of Object.entries(samples)) {
    const reference = times(encoders[base].encodes)
    for (const [name, { bytes, indexed, encodes, chunked }] of Object.entries(encoders)) {
      const own = times(encodes)
      result[name] ??= { bytes, bytesRatio: bytes / encoders[base].bytes, indexed, cores: {} }
      result[name].cores[cores] = {
        ...own,
        speed: reference.ms / own.ms,
        leastSpeed: reference.leastMs / own.leastMs,
        cpuSpeed: reference.cpuMs / own.cpuMs,
        firstChunk: chunked && median(chunked.map(({ first, total }) => first / total)),
        samples: { encodes, chunked }
      }
    }
  }
  return result
}

function times (encodes) {
  const all = encodes.map(({ ms }) => ms)
  return { ms: median(all), leastMs: min(all), cpuMs: median(encodes.map(({ cpuMs }) => cpuMs)) }
}

/** {class: {images: [name], encoders: {encoder: {bytesRatio, cores: {cores: {speed, leastSpeed, cpuSpeed, firstChunk}}}}}}, geometric means. */
function summarize (images) {
  const summary = {}
  for (const group of classes) {
    const members = images.filter((image) => image.class === group)
    if (members.length > 0) summary[group] = { images: members.map(({ name }) => name), encoders: means(members) }
  }
  return summary
}

/** The same for any images. */
function means (images) {
  const result = {}
  for (const [encoder, { cores }] of Object.entries(images[0].encoders)) {
    const all = images.map(({ encoders }) => encoders[encoder])
    result[encoder] = { bytesRatio: geometricMean(all.map(({ bytesRatio }) => bytesRatio)), cores: {} }
    for (const n of Object.keys(cores)) {
      const mean = (what) => cores[n][what] && geometricMean(all.map(({ cores }) => cores[n][what]))
      result[encoder].cores[n] = {
        speed: mean('speed'), leastSpeed: mean('leastSpeed'), cpuSpeed: mean('cpuSpeed'), firstChunk: mean('firstChunk')
      }
    }
  }
  return result
}

module.exports = { classes, classOf, figures, summarize, means }
