const EXACT: unique symbol = Symbol('exact text')

interface Exact {
  readonly text: string
  /** The date says the same as the text as long as it has this time. */
  readonly time: number
}

/**
 * The same date, with the text that it was read from: databases count microseconds, and a `Date` only milliseconds.
 * Nothing that lists or compares properties sees it.
 */
export function withExactText(date: Date, text: string): Date {
  const value: Exact = { text, time: date.getTime() }
  return Object.defineProperty(date, EXACT, { value, configurable: true })
}

/** The text that the date was read from; `null`: there is none, or the date was changed since. */
export function exactTextOf(date: Date): string | null {
  const exact = (date as { readonly [EXACT]?: Exact })[EXACT]
  return exact?.time === date.getTime() ? exact.text : null
}
