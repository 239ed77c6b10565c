/** Refuses what no database could store, before the driver makes something else of it. */
export function checkedValues(parameters: readonly unknown[]): readonly unknown[] {
  for (let index = 0; index < parameters.length; index++) {
    const problem = problemOf(parameters[index])
    if (problem !== null) throw unfit(index, problem)
  }
  return parameters
}

function problemOf(value: unknown): string | null {
  switch (typeof value) {
    case 'undefined':
      return 'undefined (NULL is null)'
    case 'function':
    case 'symbol':
      return `a value of type ${typeof value}`
    case 'object':
      return value instanceof Date && Number.isNaN(value.getTime()) ? 'an invalid date' : null
    default:
      return null
  }
}

/** A failure for the parameter at `index`; `what` it is. */
export function unfit(index: number, what: string): TypeError {
  return new TypeError(
    `Parameter ${index + 1} of this statement is ${what}, which a database cannot store.`,
  )
}

/** Integers of 64 bits that came as texts: numbers where a number holds them exactly, else bigints. */
export function withIntegers(
  rows: readonly unknown[][],
  places: readonly number[],
): readonly (readonly unknown[])[] {
  for (const place of places) for (const row of rows) row[place] = toInteger(row[place])
  return rows
}

function toInteger(value: unknown): unknown {
  if (typeof value !== 'string') return value
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : BigInt(value)
}
