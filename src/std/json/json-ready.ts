/** There is something in the data that only a replacer can write. */
export const UNREADY: unique symbol = Symbol('unready')

/**
 * The same data with dates and big integers as `JSON.stringify` alone writes them as we want (N42): the
 * data itself where there are none, else a copy of the objects and lists around them, which costs half of
 * what a replacer costs. `UNREADY`: there is something else, or it lies deeper than `depth`.
 */
export function readyForJSON(value: unknown, depth: number): unknown {
  switch (typeof value) {
    case 'number':
      return Number.isFinite(value) ? value : UNREADY
    case 'bigint':
      return 'toJSON' in BigInt.prototype ? UNREADY : rawJSON(String(value))
    case 'object':
      return value === null ? null : readyObject(value, depth)
    default:
      return value
  }
}

export function rawJSON(text: string): unknown {
  return (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(text)
}

/** N42 writes no fraction where it is zero. */
export function withoutZeros(date: string): string {
  return date.endsWith('.000Z') ? `${date.slice(0, -5)}Z` : date
}

function readyObject(object: object, depth: number): unknown {
  if (depth === 0) return UNREADY
  if (object instanceof Date) return readyDate(object)
  if ('toJSON' in object) return UNREADY
  return Array.isArray(object) ? readyItems(object, depth) : readyMembers(object, depth)
}

function readyDate(date: Date): unknown {
  const isUsual = date.toJSON === Date.prototype.toJSON && !Number.isNaN(date.getTime())
  return isUsual ? withoutZeros(date.toISOString()) : UNREADY
}

function readyItems(items: readonly unknown[], depth: number): unknown {
  let copy: unknown[] | null = null
  for (let index = 0; index < items.length; index++) {
    const item = items[index]
    if (typeof item === 'string') continue
    const ready = readyForJSON(item, depth - 1)
    if (ready === UNREADY) return UNREADY
    if (ready !== item) (copy ??= items.slice())[index] = ready
  }
  return copy ?? items
}

function readyMembers(object: object, depth: number): unknown {
  let copy: Record<string, unknown> | null = null
  for (const name in object) {
    const value = (object as Record<string, unknown>)[name]
    if (typeof value === 'string') continue
    const ready = readyForJSON(value, depth - 1)
    if (ready === UNREADY) return UNREADY
    if (ready === value) continue
    if (!isCopied(object, name)) return UNREADY
    copy ??= { ...object }
    copy[name] = ready
  }
  return copy ?? object
}

/** Whether a copy has this member, and nothing special about it. */
function isCopied(object: object, name: string): boolean {
  return (
    Object.getPrototypeOf(object) === Object.prototype &&
    Object.hasOwn(object, name) &&
    name !== '__proto__'
  )
}
