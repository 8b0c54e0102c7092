'use strict'

// node test/bench/net/run.js [--quick] [--out FOLDER] [BLOCK[:IMAGE] …]: measures blocks (response, levels, slow) over shaped links, saves each as JSON
// in FOLDER (docs/benchmarks), and renders all that lies there. "render" measures nothing. --quick: a look at the cadastral map at three bandwidths, in build/.

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { parseArgs } = require('node:util')
const cells = require('./cells')
const slow = require('./slow')
const { Links } = require('./links')
const { prepare } = require('./pictures')
const { render } = require('./render')

const blocks = [...cells.blocks, 'slow']

async function main () {
  const { values, positionals } = parseArgs({
    options: { quick: { type: 'boolean', default: false }, out: { type: 'string' } },
    allowPositionals: true
  })
  values.out ??= path.join(__dirname, '../../..', values.quick ? 'build/bench/net/quick' : 'docs/benchmarks')
  fs.mkdirSync(values.out, { recursive: true })
  if (!positionals.includes('render')) {
    const { folder, images } = await prepare()
    for (const { block, image } of wanted(positionals, images, values.quick)) {
      const started = performance.now()
      const links = new Links()
      const result = await (block === 'slow' ? slow.measure(links, { folder, name: image.name }, values.quick) : cells.measure(links, block, { folder, name: image.name }, values.quick))
      links.close()
      const file = path.join(values.out, `${block}-${image.name}.json`)
      fs.writeFileSync(file, JSON.stringify({ block, image: { name: image.name, width: image.width, height: image.height }, quick: values.quick, machine: machine(), ...result }, null, 1) + '\n')
      console.log(`${path.relative('', file)}: ${((performance.now() - started) / 1000).toFixed(0)} s`)
    }
  }
  const missed = await render(values.out)
  if (missed > 0) process.exitCode = 1
}

function wanted (words, images, isQuick) {
  const all = blocks.flatMap(block => images.map(image => ({ block, image })))
  if (words.length === 0) return isQuick ? all.filter(({ image }) => image === (images.find(({ name }) => name.startsWith('cadastral')) ?? images[0])) : all
  return words.flatMap(word => {
    const [block, name] = word.split(':')
    const found = all.filter(one => one.block === block && (name === undefined || one.image.name === name))
    if (found.length === 0) throw new Error(`Expected a block (${blocks.join(', ')}), alone or with one of the images ${images.map(({ name }) => name).join(', ')} as BLOCK:IMAGE, got ${word}`)
    return found
  })
}

function machine () {
  const [{ model }] = os.cpus()
  return { when: new Date().toISOString().slice(0, 10), node: process.version, kernel: os.release(), cpu: model.trim(), processors: os.availableParallelism() }
}

main()
