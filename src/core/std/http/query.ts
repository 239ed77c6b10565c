type Pairs = readonly (readonly [name: string, value: string])[]

/**
 * A query string as names with values, in the order sent. Made once, never changed. It remembers which of
 * them were read, because a cursor is bound to those.
 */
export class Query {
  readonly #pairs: Pairs
  /** The names that were read and are in the query, with their values; `null`: none was read. */
  #read: Map<string, readonly string[]> | null = null
  #isReadWhole = false

  private constructor(pairs: Pairs) {
    this.#pairs = pairs
  }

  /**
   * Reads the text after `?` as form data (P8): only `&` separates, a name without `=` has an empty
   * value, invalid UTF-8 becomes U+FFFD. Never fails.
   */
  static parse(text: string): Query {
    if (text === '') return EMPTY
    return new Query(UNENCODED.test(text) ? split(text) : [...new URLSearchParams(`&${text}`)])
  }

  /** The last value of a name (P11); `null` when it is not there. */
  get(name: string): string | null {
    const value = this.peek(name)
    if (value !== null && !this.#read?.has(name)) this.#mark(name, [value])
    return value
  }

  /**
   * The last value of a name; `null` when it is not there, or empty. Cursors are bound to it under the name
   * `bound`, which may be one that does not change with the version. `isList`: all its values, with commas between.
   */
  text(name: string, bound: string = name, isList = false): string | null {
    const value = this.peek(name, isList) || null
    if (value === null) return null
    const read = this.#read?.get(bound)
    if (read?.includes(value) !== true) this.#mark(bound, read ? [...read, value] : [value])
    return value
  }

  /**
   * Like `get`, and no cursor is bound to the value: for what a page does not depend on, or what a cursor
   * is bound to in another way.
   */
  peek(name: string, isList = false): string | null {
    const values = isList ? this.#pairs.filter(([key]) => key === name) : []
    if (values.length > 1) return values.map(([, value]) => value).join(',')
    return this.#pairs.findLast(([key]) => key === name)?.[1] ?? null
  }

  /** All values of a name, in the order sent. */
  getAll(name: string): readonly string[] {
    const values = this.#pairs.filter(([key]) => key === name).map(([, value]) => value)
    if (values.length > 0) this.#mark(name, values)
    return values
  }

  /** Names that are not known, each once; no cursor is bound to them. */
  unknown(known: ReadonlySet<string>): readonly string[] {
    const names = this.#pairs.map(([key]) => key).filter((key) => !known.has(key))
    return names.length === 0 ? names : [...new Set(names)]
  }

  /** Every name once, in the order first sent. */
  names(): readonly string[] {
    this.#markWhole()
    return [...new Set(this.#pairs.map(([key]) => key))]
  }

  /**
   * The parameters that were read so far, but for some names: a query as text, form-encoded and sorted by name, that is the
   * same if its readers found the same. A part that only `with` or `toString` reads counts too.
   *
   * @example
   * const query = Query.parse('b=2&a=1&c=3&a=4')
   * query.get('a')
   * query.get('b')
   * query.readSoFar(['b']) // 'a=4'
   */
  readSoFar(except: readonly (string | null)[] = []): string {
    const isWanted = ([name]: readonly [string, unknown]): boolean => !except.includes(name)
    if (this.#isReadWhole) return encoded(this.#pairs.filter(isWanted))
    if (this.#read === null) return ''
    const read: Pairs[number][] = []
    for (const [name, values] of this.#read) for (const value of values) read.push([name, value])
    return encoded(read.filter(isWanted))
  }

  /** Another query in which each name of `changes` has that one value, or is gone where it is `null`. */
  with(changes: Readonly<Record<string, string | number | null>>): Query {
    this.#markWhole()
    const pairs = this.#pairs.filter(([key]) => !Object.hasOwn(changes, key))
    for (const key of Object.keys(changes)) {
      const value = changes[key]!
      if (value !== null) pairs.push([key, String(value)])
    }
    return new Query(pairs)
  }

  /** Form-encoded, sorted by name; values of one name keep their order (P8). Without the `?`. */
  toString(): string {
    this.#markWhole()
    return encoded(this.#pairs)
  }

  #mark(name: string, values: readonly string[]): void {
    this.#read ??= new Map()
    this.#read.set(name, values)
  }

  /** The empty query is shared by many requests, and has nothing to remember. */
  #markWhole(): void {
    this.#isReadWhole ||= this.#pairs.length > 0
  }
}

/** These characters stand for themselves, except `&` and `=`. */
const UNENCODED = /^[\w.~=&-]*$/

function split(text: string): Pairs {
  const parts = text.split('&').filter((part) => part !== '')
  return parts.map((part) => {
    const at = part.indexOf('=')
    return at < 0 ? [part, ''] : [part.slice(0, at), part.slice(at + 1)]
  })
}

function encoded(pairs: Pairs): string {
  const sorted =
    pairs.length < 2 ? pairs : pairs.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  let text = ''
  for (const [name, value] of sorted)
    text += `${text === '' ? '' : '&'}${formEncode(name)}=${formEncode(value)}`
  return text
}

const EMPTY = Query.parse('&')

const PLAIN = /^[\w.~-]*$/

/** Everything but `A–Z a–z 0–9 _ . - ~` is percent-encoded UTF-8; a space is `+` (P8). */
function formEncode(text: string): string {
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

/**
 * Sets one query parameter of a URL; a query that it has is form-encoded anew and sorted (P8).
 *
 * @example withQuery('/login/', 'next', '/books/') // '/login/?next=%2Fbooks%2F'
 */
export function withQuery(url: string, name: string, value: string): string {
  const cut = url.indexOf('?')
  // Nearly every link comes without a query, and there are many on a page.
  if (cut < 0) return `${url}?${formEncode(name)}=${formEncode(value)}`
  const query = Query.parse(url.slice(cut + 1)).with({ [name]: value })
  return `${url.slice(0, cut)}?${query.toString()}`
}
