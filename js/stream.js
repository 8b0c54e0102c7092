'use strict'

const { AsyncResource } = require('node:async_hooks')

const binding = require('./binding')
const { Credit } = require('./credit')
const { SluiceError, abortError, failureOf, faultOf } = require('./errors')
const { Views, Gathered } = require('./outbox')
const { listen, unlisten } = require('./signal')

const { BEGIN, CHUNK, DRAIN, IDLE, END, FAIL } = binding

// Why no chunk is delivered now; bits of Stream.blocked.
const PAUSED = 1 // by the user
const FOLLOWED = 2 // by a writable that is full
const UNREAD = 4 // by a Readable that has enough
const FAILED = 8

/**
 * One encode, from open to its last event: what lies between the addon and a consumer.
 *
 * The consumer has begin(info), chunk(buffer, last), which may block the stream, and end(error or null, report, thrown),
 * which comes once and last; thrown: the consumer itself threw that error. One that has truncates() gets a report with the
 * error, and null for an error, when the output itself tells why it ends early: see giveUp(). With plan.flush it has part()
 * too, which comes once, when it has all the output of the first part that made any. All are called in the async context of whoever
 * made the stream, and never from inside the stream's own methods but pull().
 *
 * Ownership: the addon holds a Stream while Go owes it an event, and weakly otherwise. So whoever can set it going again
 * must hold it: the Job, the writable that it follows, the Readable, or the source that parts are pushed into. When nobody
 * does, it is collected, and the addon aborts the encode with its handle.
 */
class Stream {
  blocked = 0
  #running = false // inside #run, which calls the consumer
  #scheduled = false // #run comes in the next tick
  #closed = false // the consumer knows the end

  #handle = null
  #held = true // strongly, by the addon
  #idle = false // Go has nothing to do until the next part
  #finished = false // no more parts come
  #ended = false // Go's last event came
  #undrained = [] // parts that Go may still read

  failure = null // why this side gave up
  #thrown = false // the consumer threw it
  #aborted = false // the consumer gave up
  #fault = null // why Go gave up
  #late = null // why the source gave up, when that was passed to Go
  #flush // part() of the consumer is to come
  #flushed = false // all that it waits for was received
  #info = null // what BEGIN said
  #begun = false // and the consumer knows
  #figures = null // Go's report

  #started = performance.now()
  #scope = new AsyncResource('SLUICE_STREAM')
  #subscription = null // to the user's signal
  #source // until Go is done with it
  #consumer
  #credit
  #outbox

  /**
   * plan is what split() in options.js returns. shape: chunks have size bytes, made of what Go cuts every cut bytes, by
   * copying if gathers; exact: every cut but the last is of full length, else Go flushes early while the consumer starves.
   */
  constructor (source, plan, { size, cut, exact, gathers }, consumer) {
    source._claim()
    this.#source = source
    this.#consumer = consumer
    this.#flush = plan.flush
    this.#credit = new Credit(cut, size === Infinity)
    this.#outbox = gathers ? new Gathered(size) : new Views(size)
    const failure = plan.signal?.aborted ? abortError(plan.signal.reason) : plan.failure ?? source._failure()
    if (failure !== null) {
      this.#ended = true
      this.#fail(failure)
      this.#release()
      return
    }
    if (plan.signal !== undefined) this.#subscription = listen(plan.signal, this)
    this.#handle = binding.open(this, JSON.stringify({
      kind: source._kind,
      source: source._header(),
      format: plan.format,
      fixed: source._format,
      chunkSize: cut,
      exact,
      coding: plan.coding,
      truncate: consumer.truncates !== undefined,
      flush: plan.flush,
      options: plan.own
    }), plan.buffers)
    source._attach(this, plan.copy)
    this.#settle()
  }

  // ---- for consumers

  /** Says that credit follows the speed of whoever gets the bytes: a level that adapts may judge by it then. */
  pace () {
    this.#credit.pace()
    if (this.#handle !== null) binding.pace(this.#handle)
  }

  block (reason) {
    this.blocked |= reason
  }

  /** Lifts one reason. Delivery goes on in the next tick, or when the callback that runs now returns. */
  unblock (reason) {
    if ((this.blocked & reason) === 0) return
    this.blocked &= ~reason
    if (this.blocked === 0) this.#schedule()
  }

  /** Like unblock(UNREAD), but what lies ready is delivered before it returns. */
  pull () {
    this.blocked &= ~UNREAD
    if (this.blocked === 0) this.#deliver()
  }

  /** The consumer gives up. It gets error, later, unless it has its last chunk. */
  abort (error) {
    this.fail(error, true)
  }

  /** Something is wrong on this side. As abort(). */
  fail (error, aborted = false) {
    if (this.failure !== null || this.#outbox.delivered || this.#closed) return
    this.#aborted = aborted
    this.#fail(error)
  }

  isOver () {
    return this.#closed || this.#outbox.delivered
  }

  // ---- for sources

  write (part) {
    if (this.#ended || this.failure !== null) return
    this.#undrained.push(part)
    this.#idle = false
    binding.write(this.#handle, part.buffers, part.meta === null ? null : JSON.stringify(part.meta))
    this.#balance()
  }

  finish () {
    if (this.#ended || this.failure !== null) return
    this.#finished = true
    binding.finish(this.#handle)
    this.#balance()
  }

  /**
   * No more parts come because of error. If truncates() of the consumer says that what came before is out of its hands, the
   * output may end by telling of it, where the format has words for that. Otherwise as fail().
   */
  giveUp (error) {
    const said = !this.#finished && !this.#ended && this.failure === null && this.#consumer?.truncates?.() === true
    const part = said ? this.#source._truncation?.(error) : undefined
    if (part === undefined) return this.fail(error)
    this.#late = error
    this.#source._refuse(error)
    this.write(part)
    this.finish()
  }

  // ---- for the addon

  /** All that happened since the last tick: kinds, each followed by its operands. */
  onEvents (events) {
    if (!this.#undrained.every(isIntact)) this.fail(moved())
    for (let i = 0; i < events.length;) {
      switch (events[i++]) {
        case BEGIN: this.#info = describe(JSON.parse(events[i++])); break
        case CHUNK: this.#receive(events[i++], events[i++], events[i++]); break
        case DRAIN: this.#drained(); break
        case IDLE: this.#idle = this.#undrained.length === 0; break
        case END: this.#end(null, events[i++]); break
        case FAIL: this.#end(faultOf(events[i++], events[i++]), events[i++]); break
      }
    }
    this.#deliver()
  }

  #receive (slab, used, last) {
    if (slab !== null) this.#credit.granted--
    if (this.failure !== null) return
    if (this.blocked !== 0) this.#credit.shrink()
    else if (this.#outbox.isTaken() && slab !== null && used * 2 > slab.length) this.#credit.grow()
    this.#outbox.push(slab, used, last)
  }

  #drained () {
    this.#undrained.shift()
    if (this.#flush && this.#outbox.hasReceived()) this.#flushed = true // Go flushes before it drains
    if (this.failure === null) this.#source._drained()
  }

  #end (fault, figures) {
    this.#fault = fault === null ? null : this.#late ?? fault
    this.#figures = JSON.parse(figures)
    this.#ended = true
    this.#release()
  }

  /** Go is done: nothing of the user's is kept. */
  #release () {
    this.#source._closed(this.failure ?? this.#fault ?? this.#told())
    this.#source = null
    this.#handle = null
    this.#undrained = []
  }

  /** The error that the output tells of, or null. */
  #told () {
    const fault = this.#figures?.fault
    return fault === undefined ? null : this.#late ?? faultOf(fault.code, fault.message)
  }

  // ---- the way out

  #schedule () {
    if (this.#scheduled || this.#running || this.#closed) return
    this.#scheduled = true
    process.nextTick(Stream.#onTick, this)
  }

  static #onTick (stream) {
    stream.#scheduled = false
    stream.#deliver()
  }

  #deliver () {
    if (!this.#running && !this.#closed) this.#scope.runInAsyncScope(Stream.#run, null, this)
  }

  static #run (stream) {
    stream.#running = true
    try {
      if (stream.#info !== null && !stream.#begun && stream.failure === null) {
        stream.#begun = true
        stream.#consumer.begin(stream.#info)
      }
      stream.#outbox.deliver(stream, stream.#consumer)
      if (stream.#flush && stream.#flushed && stream.#outbox.isEmpty() && stream.failure === null) {
        stream.#flush = false
        stream.#consumer.part()
      }
    } catch (error) {
      stream.#thrown = true
      stream.#aborted = true
      stream.#fail(failureOf(error))
      throw error
    } finally {
      stream.#running = false
      stream.#settle()
    }
  }

  #fail (error) {
    this.failure = error
    this.blocked |= FAILED
    this.#outbox.clear()
    if (this.#ended) return this.#schedule()
    this.#source._refuse(error)
    binding.abort(this.#handle)
    this.#balance()
  }

  /** After every delivery: tells the consumer of the end, or gives Go what it needs to go on. */
  #settle () {
    if (!this.#ended) {
      this.#grant()
      this.#balance()
    } else if (this.failure !== null) {
      this.#close(this.failure)
    } else if (this.#fault !== null || this.#outbox.isEmpty()) {
      this.#close(this.#fault) // a fault does not wait for a consumer that is blocked
    }
  }

  #grant () {
    if (this.blocked !== 0 || this.#outbox.complete) return
    const credit = this.#credit
    for (; credit.granted < credit.target; credit.granted++) {
      binding.grant(this.#handle, Buffer.allocUnsafeSlow(credit.size), this.#outbox.taken)
    }
  }

  /** Has the addon hold this while Go owes an event. A stream that waits for parts or for its consumer is owed none. */
  #balance () {
    if (this.#ended) return
    const working = this.#finished || this.#undrained.length > 0 || (!this.#idle && this.blocked === 0)
    const owed = this.failure !== null || this.#outbox.complete || (working && this.#credit.granted > 0)
    if (owed === this.#held) return
    this.#held = owed
    if (owed) binding.hold(this.#handle)
    else binding.drop(this.#handle)
  }

  #close (error) {
    this.#closed = true
    this.#outbox.clear()
    if (this.#subscription !== null) unlisten(this.#subscription, this)
    const consumer = this.#consumer
    this.#consumer = null
    consumer.end(error, this.#report(error), this.#thrown)
  }

  #report (error) {
    const now = performance.now()
    const { chunks, bytes, firstAt } = this.#outbox
    const { encodeMs = 0, pausedMs = 0, queuedMs = 0, waitMs = 0 } = this.#figures ?? {}
    const told = this.#told()
    return {
      bytes,
      chunks,
      firstByteMs: chunks > 0 ? firstAt - this.#started : null,
      encodeMs,
      pausedMs,
      queuedMs,
      waitMs,
      totalMs: now - this.#started,
      committed: chunks > 0,
      aborted: this.#aborted || error?.code === 'ABORT_ERR',
      ...(this.#info ?? describe(this.#figures ?? {})),
      ...(told === null ? {} : { error: told })
    }
  }
}

/** What is known of the output; null for what is not, or does not exist in the format. */
function describe ({ format, mediaType, level, coding }) {
  return { format: format || null, mediaType: mediaType || null, level: level || null, coding: coding || null }
}

function isIntact (part) {
  return part.isIntact()
}

function moved () {
  return new SluiceError('ERR_SLUICE_INPUT', 'Expected data to stay in place until it is encoded, but it was transferred, detached or resized')
}

module.exports = { Stream, PAUSED, FOLLOWED, UNREAD }
