// Reads an Arrow stream over HTTP, batch by batch as they come: node example/arrow-client.mjs http://127.0.0.1:8080/table
import { pathToFileURL } from 'node:url'
import { RecordBatchReader } from 'apache-arrow'

/**
 * Yields the record batches of an answer while it comes. apache-arrow has no codecs of its own, so none are asked for, and fetch
 * undoes the content coding. Throws when the answer breaks off: apache-arrow takes that for its end.
 */
export async function * batchesOf (url, { signal } = {}) {
  const response = await fetch(url, { headers: { accept: 'application/vnd.apache.arrow.stream' }, signal })
  if (!response.ok) throw new Error(`Expected an Arrow stream, got ${response.status} ${response.statusText}`)
  const body = response.body.getReader()
  let failure = null
  let left = false // apache-arrow has what it wants
  const watched = new ReadableStream({
    async pull (controller) {
      try {
        const { done, value } = await body.read()
        if (left) return
        if (done) controller.close()
        else controller.enqueue(value)
      } catch (error) {
        failure = error
        controller.error(error)
      }
    },
    cancel (reason) {
      left = true
      return body.cancel(reason)
    }
  })
  yield * await RecordBatchReader.from(watched)
  if (failure !== null) throw failure
}

async function main (url) {
  const start = performance.now()
  let rows = 0
  for await (const batch of batchesOf(url)) {
    if (rows === 0) console.log(`${batch.schema}`)
    rows += batch.numRows
    console.log(`${Math.round(performance.now() - start)} ms: ${batch.numRows} rows`)
  }
  console.log(`${rows} rows`)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  if (process.argv.length !== 3) throw new Error('usage: node example/arrow-client.mjs <url>')
  await main(process.argv[2])
}
