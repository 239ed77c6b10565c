import { toJson } from './json.ts'

/** One page as a reader finds it in an answer: its rows, and where the next page is. */
export interface PageOf<Row> {
  readonly rows: readonly Row[]
  /** An address, absolute or relative to that of the page; `null`: this is the last page. */
  readonly next: string | null
}

/** Finds rows and the next page in an answer of a list whose style is your own. */
export type PageReader<Row = unknown> = (data: unknown, headers: Headers) => PageOf<Row>

/** Options of a walk over a list. */
export interface WalkOptions<Row> {
  /** Names a row among those of its page, so that a walk that is resumed knows it again. @default `id`, `url`, `pk` or `key`, else all of the row */
  readonly key?: (row: Row) => string | number | bigint
  /** Asks for the next page while the rows of this one are taken. @default false */
  readonly prefetch?: boolean
}

/**
 * The rows of a list, page after page. Each is given once; the walk goes on where it stands, also when a second
 * `for await` begins after the first one was left. One loop at a time.
 */
export interface Rows<Row> extends AsyncIterable<Row> {
  /**
   * The place of the walk as a short text of JSON: behind the row that was given last. Take it once that row is done with. It
   * holds addresses and keys of rows, and no credentials.
   */
  checkpoint(): string
  /**
   * The same list from a checkpoint on, in whatever process it was taken.
   *
   * @throws TypeError the text is no checkpoint, or one of another list or query
   */
  resume(checkpoint: string): Rows<Row>
}

/** The part of a client that a walk needs. */
export interface WalkSource<Row> {
  /** Name and query of the list: what a checkpoint belongs to. */
  readonly list: string
  /** Ends the walk. */
  readonly signal?: AbortSignal | undefined
  first(): Promise<string>
  /** A page by its path and query; `next` comes in the same form. */
  load(at: string, signal: AbortSignal): Promise<PageOf<Row>>
}

interface Position {
  /** Path and query of the page; `null`: the first. */
  readonly at: string | null
  /** Keys of rows that were given and may come again: all rows behind the beginning of the page. */
  readonly given: readonly Key[]
  /** Keys of the row that was given last and of its successor: no given row comes again behind either of them. */
  readonly edge: readonly Key[]
  readonly done: boolean
}

type Key = string | number

const START: Position = { at: null, given: [], edge: [], done: false }

/** Rows that are given at a stretch before other work has its turn. */
const STRETCH = 1000
/** Pages without a row that may follow one another. */
const MOST_EMPTY = 1000

/** Walks a list from its first page, or from where it stands. */
export class Walk<Row> implements Rows<Row> {
  readonly #source: WalkSource<Row>
  readonly #options: WalkOptions<Row>
  readonly #given: Set<Key>
  #at: string | null
  #edge: readonly Key[]
  #done: boolean

  constructor(source: WalkSource<Row>, options: WalkOptions<Row>, position: Position = START) {
    this.#source = source
    this.#options = options
    this.#at = position.at
    this.#given = new Set(position.given)
    this.#edge = position.edge
    this.#done = position.done
  }

  checkpoint(): string {
    const position = { at: this.#at, given: [...this.#given], edge: this.#edge, done: this.#done }
    return JSON.stringify({ list: this.#source.list, ...position })
  }

  resume(checkpoint: string): Rows<Row> {
    const { list } = this.#source
    return new Walk(this.#source, this.#options, positionIn(checkpoint, list))
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Row, void, undefined> {
    const stop = new AbortController()
    const load = (at: string) => this.#source.load(at, stop.signal)
    const refuseEndless = endlessGuard()
    let coming: Promise<PageOf<Row>> | null = null
    try {
      while (!this.#done) {
        const at = this.#at ?? (await this.#source.first())
        const page: PageOf<Row> = await (coming ?? load(at))
        const { rows, next } = page
        refuseEndless(at, page)
        coming = this.#options.prefetch && next !== null ? load(next) : null
        // The page may fail before the loop waits for it.
        coming?.catch(() => undefined)
        yield* this.#give(at, next, rows)
      }
    } finally {
      stop.abort()
    }
  }

  /**
   * Gives the rows that were not given yet. After an interruption the page is read anew from the place where it began,
   * behind which rows were inserted and deleted. Rows that were given are skipped wherever they stand, and so are all rows
   * before them. They may also lie on the pages that follow, until a page has a row of the edge.
   */
  async *#give(at: string, next: string | null, rows: readonly Row[]) {
    const keys = distinct(rows.map(this.#options.key ?? keyOf))
    const from = keys.findLastIndex((key) => this.#given.has(key)) + 1
    let isPast = this.#given.size === 0
    this.#at = at
    for (const [i, key] of keys.entries()) {
      isPast ||= this.#edge.includes(key)
      if (i < from) continue
      if (i % STRETCH === STRETCH - 1) await new Promise((resolve) => setTimeout(resolve))
      this.#source.signal?.throwIfAborted()
      this.#given.add(key)
      if (isPast) this.#edge = keys.slice(i, i + 2)
      if (i + 1 === rows.length) this.#turn(next, keys, isPast)
      yield rows[i]!
    }
    // The call changes nothing where the last row has turned the page already.
    this.#turn(next, keys, isPast)
  }

  /** Turns to the next page. It begins behind this one, so no row of this page comes again. */
  #turn(next: string | null, keys: readonly Key[], isPast: boolean): void {
    this.#at = next
    this.#done = next === null
    for (const key of isPast ? [...this.#given] : keys) this.#given.delete(key)
    if (this.#given.size === 0) this.#edge = []
  }
}

/**
 * Throws where pages have no end: where one leads back to one that was there (by Brent's method, which remembers a
 * single page), and where too many in a row are empty.
 */
function endlessGuard(): (at: string, page: PageOf<unknown>) => void {
  let [mark, steps, power, empty] = ['', 0, 1, 0]
  return (at, { rows, next }) => {
    if (next === at || next === mark)
      throw new TypeError(`The page ${at} leads back to ${next}: the list has no end.`)
    if (++steps === power) [mark, steps, power] = [at, 0, 2 * power]
    empty = rows.length === 0 ? empty + 1 : 0
    if (empty === MOST_EMPTY && next !== null)
      throw new TypeError(`${MOST_EMPTY} pages without a row came, up to ${at}.`)
  }
}

function positionIn(checkpoint: string, list: string): Position {
  const { list: other, at, given, edge, done } = parsed(checkpoint)
  const isPosition =
    (at === null || (typeof at === 'string' && at.startsWith('/'))) &&
    [given, edge].every((keys) => Array.isArray(keys) && keys.every(isKey)) &&
    typeof done === 'boolean'
  if (!isPosition) throw new TypeError('This text is no checkpoint of rows.')
  if (other !== list) throw new TypeError(`The checkpoint is of ${String(other)}, not of ${list}.`)
  return { at, given: given as readonly Key[], edge: edge as readonly Key[], done }
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text)) as Readonly<Record<string, unknown>>
  } catch {
    return {}
  }
}

function isKey(value: unknown): value is Key {
  return typeof value === 'string' || typeof value === 'number'
}

/** Rows that are alike, such as equal texts of a bare list, are distinguished by their number. */
function distinct(keys: readonly (Key | bigint)[]): readonly Key[] {
  const counts = new Map<Key, number>()
  return keys.map((each) => {
    const key = typeof each === 'bigint' ? `${each}` : each
    const count = (counts.get(key) ?? 0) + 1
    counts.set(key, count)
    return count === 1 ? key : `${count}\u0000${key}`
  })
}

/** The usual name of a row; for a row without a name, its content. */
function keyOf(row: unknown): Key | bigint {
  const named = Object(row) as Readonly<Record<string, unknown>>
  const names = [row, ...['id', 'url', 'pk', 'key'].map((name) => named[name])]
  return names.find((name) => isKey(name) || typeof name === 'bigint') ?? digest(row)
}

/** 64 bits, in two halves that grow apart (polynomials, modulo 2^32): a page has too few rows for two to be alike. */
function digest(row: unknown): string {
  const text = toJson(row)
  let [one, other] = [0x811c9dc5, 0x9e3779b9]
  for (let i = 0; i < text.length; i++) {
    one = Math.imul(one, 0x01000193) + text.charCodeAt(i)
    other = Math.imul(other, 0x85ebca6b) + text.charCodeAt(i)
  }
  return `#${(one >>> 0).toString(36)}.${(other >>> 0).toString(36)}`
}

/** Rows and the link to the next page as the styles of the service answer them, or a bare list with the header `Link`. */
export function standardPage(data: unknown, headers: Headers): PageOf<unknown> {
  if (Array.isArray(data)) return { rows: data, next: nextIn(String(headers.get('link'))) }
  const { results, next = null } = Object(data) as { results?: unknown; next?: unknown }
  if (Array.isArray(results) && (next === null || typeof next === 'string'))
    return { rows: results, next }
  throw new TypeError('The answer has no "results": say where its rows are with "page".')
}

/** The target of `rel="next"` (RFC 8288). */
function nextIn(link: string): string | null {
  const links = link.matchAll(/<([^<>]*)>([^<]*)/g)
  for (const [, target = '', rest = ''] of links)
    if (/;\s*rel\s*=\s*(?:"[^"]*\bnext\b[^"]*"|next\b)/i.test(rest)) return target
  return null
}
