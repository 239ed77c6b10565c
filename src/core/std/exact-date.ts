interface Exact {
  readonly text: string
  /** The date means the same as the text as long as it has this time. */
  readonly time: number
}

/** Returns the given object, so that a subclass adds its private field to that object. */
const Given = function (object: object) {
  return object
} as unknown as new (object: object) => object

/** Code that lists or compares properties does not see a private field, which costs a tenth of defining a property. */
class Noted extends Given {
  #exact: Exact

  private constructor(date: Date, exact: Exact) {
    super(date)
    this.#exact = exact
  }

  static note(date: Date, exact: Exact): Date {
    if (!(#exact in date)) return new Noted(date, exact) as unknown as Date
    date.#exact = exact
    return date
  }

  static of(date: Date): Exact | null {
    return #exact in date ? date.#exact : null
  }
}

/**
 * The same date, with the text that it was read from: databases count microseconds, and a `Date` only milliseconds.
 * Nothing that lists or compares properties sees it.
 */
export function withExactText(date: Date, text: string): Date {
  return Noted.note(date, { text, time: date.getTime() })
}

/** The text that the date was read from; `null`: none, or the date has changed since. */
export function exactTextOf(date: Date): string | null {
  const exact = Noted.of(date)
  return exact?.time === date.getTime() ? exact.text : null
}
