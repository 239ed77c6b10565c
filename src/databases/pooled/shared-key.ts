import type { Statement } from '../../contract/storage.ts'

/** Equal for statements that ask the same: same text, same values of the same types. `null`: nobody can tell. */
export function keyOf({ sql, parameters }: Statement): string | null {
  if (parameters.length === 0) return sql
  const values = parameters.map(textOf)
  return values.includes(null) ? null : JSON.stringify([sql, ...values])
}

/** A type and a value; the text of one is never that of another. */
function textOf(value: unknown): string | null {
  switch (typeof value) {
    case 'string':
    case 'number':
    case 'bigint':
    case 'boolean':
      return `${typeof value} ${value}`
    case 'object':
      return value === null ? 'null' : textOfObject(value)
    default:
      return null
  }
}

/** Of dates and bytes. What drivers make of other objects is their affair. */
function textOfObject(value: object): string | null {
  if (value instanceof Date) return `date ${value.getTime()}`
  if (value instanceof Uint8Array) return `bytes ${Buffer.from(value).toString('hex')}`
  return null
}
