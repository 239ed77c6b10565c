/** Refuses what no database could store, before the driver makes something else of it. */
export function checkedValues(parameters: readonly unknown[]): readonly unknown[] {
  for (let index = 0; index < parameters.length; index++) {
    const problem = problemOf(parameters[index])
    if (problem !== null) throw unfit(index, problem)
  }
  return parameters
}

function problemOf(value: unknown): string | null {
  if (value === undefined) return 'undefined (NULL is null)'
  if (typeof value === 'function' || typeof value === 'symbol')
    return `a value of type ${typeof value}`
  return value instanceof Date && Number.isNaN(value.getTime()) ? 'an invalid date' : null
}

function unfit(index: number, what: string): TypeError {
  return new TypeError(
    `Parameter ${index + 1} of this statement is ${what}, which a database cannot store.`,
  )
}

/** For a database without types for them: truth as 1 and 0, points in time as milliseconds since 1970. */
export function plainValues(parameters: readonly unknown[]): readonly unknown[] {
  for (const value of parameters) {
    const isText = typeof value === 'string' || typeof value === 'number'
    if (!isText && value !== null && !(value instanceof Uint8Array))
      return checkedValues(parameters).map(plainValue)
  }
  return parameters
}

function plainValue(value: unknown, index: number): unknown {
  if (typeof value === 'boolean') return value ? 1 : 0
  if (value instanceof Date) return value.getTime()
  if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value))
    throw unfit(index, 'a value of type object')
  return value
}

/** Numbers or bigints for integers of 64 bits that came as texts, in the columns where `isInteger`. */
export function withIntegers(
  rows: readonly unknown[][],
  isInteger: readonly boolean[],
): readonly (readonly unknown[])[] {
  isInteger.forEach((isWhole, place) => {
    if (!isWhole) return
    for (const row of rows) row[place] = wholeNumber(row[place])
  })
  return rows
}

/** An integer that came as a text; what came as anything else stays. */
export function wholeNumber(value: unknown): unknown {
  return typeof value === 'string' ? exact(value) : value
}

/** The same for integers that came as bigints, wherever they are. In these rows, as copies of them would cost more. */
export function withSafeNumbers(rows: unknown[][]): unknown[][] {
  for (const row of rows)
    for (let place = 0; place < row.length; place++) {
      const value = row[place]
      if (typeof value === 'bigint') row[place] = exact(value)
    }
  return rows
}

/** A number where a number holds it exactly, else a bigint. */
function exact(integer: string | bigint): number | bigint {
  const number = Number(integer)
  return Number.isSafeInteger(number) ? number : BigInt(integer)
}
