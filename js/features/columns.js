'use strict'

const { argumentError } = require('../errors')

/** What a user says of columns, {name: type}, as a list of [name, type], each type as Go knows it. */
function columnsOf (columns) {
  if (typeof columns !== 'object' || columns === null || Array.isArray(columns)) throw argumentError('columns', 'an object of types by name', columns)
  return Object.entries(columns).map(([name, type]) => {
    const { type: base, unit } = typeof type === 'object' && type !== null ? type : { type }
    if (typeof base !== 'string') throw argumentError(`the type of column ${JSON.stringify(name)}`, 'a string', base)
    if (unit !== undefined && typeof unit !== 'string') throw argumentError(`the unit of column ${JSON.stringify(name)}`, 'a string', unit)
    return [name, unit === undefined ? base : `${base}[${unit}]`]
  })
}

module.exports = { columnsOf }
