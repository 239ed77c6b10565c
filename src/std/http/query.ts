type Pairs = readonly (readonly [name: string, value: string])[]

/** A query string as names with values, in the order sent. Made once, never changed. */
export class Query {
  readonly #pairs: Pairs

  private constructor(pairs: Pairs) {
    this.#pairs = pairs
  }

  /**
   * Reads the text after `?` as form data (P8): only `&` separates, a name without `=` has an empty
   * value, invalid UTF-8 becomes U+FFFD. Never fails.
   */
  static parse(text: string): Query {
    return text === '' ? EMPTY : new Query([...new URLSearchParams(`&${text}`)])
  }

  /** The last value of a name (P11); `null` when it is not there. */
  get(name: string): string | null {
    return this.#pairs.findLast(([key]) => key === name)?.[1] ?? null
  }

  /** All values of a name, in the order sent. */
  getAll(name: string): readonly string[] {
    return this.#pairs.filter(([key]) => key === name).map(([, value]) => value)
  }

  /** Every name once, in the order first sent. */
  names(): readonly string[] {
    return [...new Set(this.#pairs.map(([key]) => key))]
  }

  /** Another query in which each name of `changes` has that one value, or is gone where it is `null`. */
  with(changes: Readonly<Record<string, string | number | null>>): Query {
    const kept = this.#pairs.filter(([key]) => !Object.hasOwn(changes, key))
    const set = Object.entries(changes).filter(([, value]) => value !== null)
    return new Query([...kept, ...set.map(([key, value]) => [key, String(value)] as const)])
  }

  /** Form-encoded, sorted by name; values of one name keep their order (P8). Without the `?`. */
  toString(): string {
    return this.#pairs
      .toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
      .map(([name, value]) => `${formEncode(name)}=${formEncode(value)}`)
      .join('&')
  }
}

const EMPTY = Query.parse('&')

const PLAIN = /^[\w.~-]*$/

/** Everything but `A–Z a–z 0–9 _ . - ~` is percent-encoded UTF-8; a space is `+` (P8). */
export function formEncode(text: string): string {
  if (PLAIN.test(text)) return text
  return encodeURIComponent(text).replace(/%20|[!'()*]/g, (found) =>
    found === '%20' ? '+' : `%${found.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

export type Changes = Parameters<Query['with']>[0]

/** The address of a request with other query parameters (P7): absolute, all else kept, sorted by name (P8). */
export function urlWith(
  request: { readonly origin: string; readonly path: string; readonly query: Query },
  changes: Changes,
): string {
  const text = request.query.with(changes).toString()
  return request.origin + request.path + (text === '' ? '' : `?${text}`)
}

/** Sets one query parameter of a URL; a query that it has is form-encoded anew and sorted (P8). */
export function withQuery(url: string, name: string, value: string): string {
  const cut = url.indexOf('?')
  // Nearly every link comes without a query, and there are many on a page.
  if (cut < 0) return `${url}?${formEncode(name)}=${formEncode(value)}`
  const query = Query.parse(url.slice(cut + 1)).with({ [name]: value })
  return `${url.slice(0, cut)}?${query.toString()}`
}

const INTEGER = /^\s*([+-]?)(\d{1,4300})\s*$/

/** A whole number in decimal digits (P12): not `2.0` or `1e3`. Beyond ±(2^53 − 1) it becomes that. */
export function readInteger(text: string | null): number | null {
  const found = text === null ? null : INTEGER.exec(text)
  if (found === null) return null
  const size = Math.min(Number(found[2]), Number.MAX_SAFE_INTEGER)
  // Taken from 0, because -0 is not the number that people mean.
  return found[1] === '-' ? 0 - size : size
}
