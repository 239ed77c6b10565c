/** From here on, powers of two would waste too many parameters of what a database takes. */
const STEP = 1024

/**
 * A list as long as the next power of two, or the next 1,024 values: the last value fills it up, and changes
 * nothing. Each length is another text of SQL, which the database plans and keeps, and clients decide how
 * long a list is.
 */
export function filledUp<T>(values: readonly T[]): readonly T[] {
  const { length } = values
  const size = length > STEP ? Math.ceil(length / STEP) * STEP : 2 ** Math.ceil(Math.log2(length))
  return [...values, ...Array<T>(size - length).fill(values.at(-1)!)]
}
