'use strict'

// Parameters of OGC services: names in any case, values as they are.

const { ServiceError } = require('./errors')

class Params {
  #values = new Map()

  constructor (searchParams) {
    for (const [key, value] of searchParams) {
      const name = key.toLowerCase()
      if (this.#values.has(name) && this.#values.get(name) !== value) {
        throw new ServiceError('InvalidParameterValue', `Expected ${name.toUpperCase()} once, got it twice`, { locator: name })
      }
      this.#values.set(name, value)
    }
  }

  // undefined when it is missing or empty
  get (name) {
    return this.#values.get(name) || undefined
  }

  has (name) {
    return this.#values.has(name)
  }

  required (name) {
    const value = this.get(name)
    if (value === undefined) throw new ServiceError('MissingParameterValue', `Expected the parameter ${name.toUpperCase()}, got none`, { locator: name })
    return value
  }

  invalid (name, expected, code = 'InvalidParameterValue') {
    return new ServiceError(code, `Expected ${name.toUpperCase()} to be ${expected}, got "${shorten(this.get(name) ?? '')}"`, { locator: name })
  }

  // A whole number from min to max; standard where there is none, or an error if that is undefined.
  integer (name, min, max, standard) {
    const text = standard === undefined ? this.required(name) : this.get(name)
    if (text === undefined) return standard
    const value = /^\+?\d{1,15}$/.test(text) ? Number(text) : NaN
    if (value >= min && value <= max) return value
    throw this.invalid(name, max === Infinity ? `a whole number of at least ${min}` : `a whole number from ${min} to ${max}`)
  }

  // Four numbers and, in WFS, what follows them.
  box (name, text = this.required(name)) {
    const parts = text.split(',')
    const numbers = parts.slice(0, 4).map((part) => /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i.test(part) ? Number(part) : NaN)
    if (numbers.length === 4 && numbers.every(Number.isFinite)) return { numbers, rest: parts.slice(4) }
    throw this.invalid(name, 'minx,miny,maxx,maxy')
  }

  // The request in one spelling: what answers are cached by.
  key () {
    return JSON.stringify([...this.#values].sort(([a], [b]) => a < b ? -1 : 1))
  }
}

const shorten = (text) => text.length > 100 ? `${text.slice(0, 100)}…` : text

// Of the versions known, in descending order: the one that was asked for, else the next lower one, else the lowest.
function negotiate (asked, versions) {
  if (asked === undefined) return versions[0]
  const number = (version) => version.split('.').reduce((sum, part) => sum * 1000 + Number(part), 0)
  if (!/^\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(asked)) throw new ServiceError('InvalidParameterValue', `Expected VERSION to be one of ${versions.join(', ')}, got "${shorten(asked)}"`, { locator: 'version' })
  return versions.find((version) => number(version) <= number(asked)) ?? versions.at(-1)
}

module.exports = { Params, negotiate }
