'use strict'

// What each answer cost, as bars on one scale: drawing of the first strip, then from send() to the first byte and on to the
// end; within that, below, the time that encoding took.

const shown = 14
const entries = []

function bar (entry, scale) {
  const { renderMs = 0, firstByteMs, totalMs = 0, encodeMs = 0 } = entry
  const piece = (name, from, length) => {
    const b = document.createElement('b')
    b.className = name
    b.style.left = `${100 * from / scale}%`
    b.style.width = `${100 * length / scale}%`
    return b
  }
  const div = document.createElement('div')
  div.className = 'bar'
  div.title = `drawing ${round(renderMs)} ms, first byte ${round(firstByteMs ?? 0)} ms, encoding ${round(encodeMs)} ms, total ${round(totalMs)} ms`
  const first = firstByteMs ?? totalMs
  div.append(piece('render', 0, renderMs), piece('wait', renderMs, first), piece('rest', renderMs + first, totalMs - first), piece('encode', renderMs, Math.min(encodeMs, totalMs)))
  return div
}

const round = (value) => value < 10 ? value.toFixed(1) : Math.round(value)

function name ({ url, about }) {
  const [, service] = /^\/(\w+)/.exec(url)
  return `${service} ${about ?? ''}`
}

function row (entry, scale) {
  const { renderMs = 0, totalMs = 0, bytes = 0, chunks = 0, level, coding, error, status } = entry
  const tr = document.createElement('tr')
  tr.insertCell().textContent = name(entry)
  tr.insertCell().append(bar(entry, scale))
  const cells = [round(renderMs + totalMs), round(bytes / 1000), chunks, level ?? '', status === 304 ? '304' : coding === 'identity' ? '' : coding ?? '']
  for (const cell of cells) tr.insertCell().textContent = cell
  if (error !== undefined || status >= 400) {
    tr.className = 'error'
    tr.title = error ?? status
  }
  return tr
}

function draw () {
  const latest = entries.slice(0, shown)
  const scale = Math.max(1, ...latest.map(({ renderMs = 0, totalMs = 0 }) => renderMs + totalMs))
  document.getElementById('reports').replaceChildren(...latest.map((entry) => row(entry, scale)))
}

function add (entry) {
  entries.unshift(entry)
  entries.splice(shown)
  requestAnimationFrame(draw)
}

const source = new EventSource('events')
source.addEventListener('message', ({ data }) => add(JSON.parse(data)))
source.addEventListener('open', () => { document.getElementById('state').textContent = 'live' })
source.addEventListener('error', () => { document.getElementById('state').textContent = 'connecting…' })
