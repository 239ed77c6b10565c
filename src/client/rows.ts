/** One page as a reader finds it in an answer: its rows, and where the next page is. */
export interface PageOf<Row> {
  readonly rows: readonly Row[]
  /** An address, absolute or relative to that of the page; `null`: this is the last page. */
  readonly next: string | null
}

/** Finds rows and the next page in an answer of a list whose style is your own. */
export type PageReader<Row = unknown> = (data: unknown, headers: Headers) => PageOf<Row>

/** How a list is walked. */
export interface WalkOptions<Row> {
  /** Names a row among those of its page, so that a walk that is resumed knows it again. @default `id`, `url`, `pk` or `key`, else all of the row */
  readonly key?: (row: Row) => string | number
  /** Asks for the next page while the rows of this one are taken. @default false */
  readonly prefetch?: boolean
}

/**
 * The rows of a list, page after page. Each is given once; the walk goes on where it stands, also when a second
 * `for await` begins after the first one was left. One loop at a time.
 */
export interface Rows<Row> extends AsyncIterable<Row> {
  /**
   * Where the walk stands, as a short text of JSON: behind the row that was given last. Take it once that row is
   * done with. It holds addresses and keys of rows, and no credentials.
   */
  checkpoint(): string
  /**
   * The same list from a checkpoint on, in whatever process it was taken.
   *
   * @throws TypeError the text is no checkpoint, or one of another list or query
   */
  resume(checkpoint: string): Rows<Row>
}

/** What a walk needs of a client. */
export interface WalkSource<Row> {
  /** Name and query of the list: what a checkpoint belongs to. */
  readonly list: string
  /** The first page. */
  first(): Promise<string>
  /** A page by its path and query; `next` comes in the same form. */
  load(at: string, signal: AbortSignal): Promise<PageOf<Row>>
}

interface Position {
  /** Path and query of the page; `null`: the first. */
  readonly at: string | null
  /** Keys of the rows that were given of it, the last one last. */
  readonly seen: readonly Key[]
  /** Key of the row behind them. */
  readonly ahead: Key | null
  readonly done: boolean
}

type Key = string | number

const START: Position = { at: null, seen: [], ahead: null, done: false }

/** Walks a list from its first page, or from where it stands. */
export class Walk<Row> implements Rows<Row> {
  readonly #source: WalkSource<Row>
  readonly #options: WalkOptions<Row>
  #position: Position

  constructor(source: WalkSource<Row>, options: WalkOptions<Row>, position: Position = START) {
    this.#source = source
    this.#options = options
    this.#position = position
  }

  checkpoint(): string {
    return JSON.stringify({ list: this.#source.list, ...this.#position })
  }

  resume(checkpoint: string): Rows<Row> {
    const { list } = this.#source
    return new Walk(this.#source, this.#options, positionIn(checkpoint, list))
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Row, void, undefined> {
    const { prefetch = false, key = keyOf } = this.#options
    const stop = new AbortController()
    const load = (at: string) => this.#source.load(at, stop.signal)
    let coming: Promise<PageOf<Row>> | null = null
    try {
      while (!this.#position.done) {
        const at = this.#position.at ?? (await this.#source.first())
        const { rows, next }: PageOf<Row> = await (coming ?? load(at))
        if (next === at) throw new TypeError(`The page ${at} says that it is the next one itself.`)
        coming = prefetch && next !== null ? load(next) : null
        // It may fail before anyone waits for it.
        coming?.catch(() => undefined)
        yield* this.#give(at, next, rows, rows.map(key))
      }
    } finally {
      stop.abort()
    }
  }

  /**
   * The rows that were not given yet. After an interruption the page is read anew, and rows were inserted and deleted
   * in it: what stands before the last row that was given is behind the walk. Rows that were given may lie on the
   * pages that follow, until one comes that stood at or behind the place of the walk.
   */
  *#give(at: string, next: string | null, rows: readonly Row[], keys: readonly Key[]) {
    const { seen, ahead } = this.#position
    const given = new Set(seen)
    const from = keys.findLastIndex((key) => given.has(key)) + 1
    const last = seen.at(-1)
    const isPast = keys.some((key) => key === last || key === ahead)
    const before = isPast ? [] : seen
    for (let i = from; i < rows.length; i++) {
      const done = [...before, ...keys.slice(0, i + 1)]
      this.#position = { at, seen: done, ahead: keys[i + 1] ?? null, done: false }
      if (i + 1 === rows.length) this.#turn(next, before, ahead)
      yield rows[i]!
    }
    if (from === rows.length) this.#turn(next, before, ahead)
  }

  #turn(next: string | null, seen: readonly Key[], ahead: Key | null): void {
    this.#position = { at: next, seen, ahead: seen.length > 0 ? ahead : null, done: next === null }
  }
}

function positionIn(checkpoint: string, list: string): Position {
  const { list: other, at, seen, ahead, done } = parsed(checkpoint)
  const isOne =
    (at === null || (typeof at === 'string' && at.startsWith('/'))) &&
    Array.isArray(seen) &&
    [...seen, ahead ?? ''].every(isKey) &&
    typeof done === 'boolean'
  if (!isOne) throw new TypeError('This text is no checkpoint of rows.')
  if (other !== list) throw new TypeError(`The checkpoint is of ${String(other)}, not of ${list}.`)
  return { at, seen: seen as readonly Key[], ahead: (ahead ?? null) as Key | null, done }
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

/** What rows are usually named by; of a row without a name, its content. */
function keyOf(row: unknown): Key {
  if (isKey(row)) return row
  const named = Object(row) as Readonly<Record<string, unknown>>
  return ['id', 'url', 'pk', 'key'].map((name) => named[name]).find(isKey) ?? digest(row)
}

/** 64 bits, in two halves that grow apart (polynomials, modulo 2^32): a page has too few rows for two to be alike. */
function digest(row: unknown): string {
  const text = JSON.stringify(row) ?? ''
  let [one, other] = [0x811c9dc5, 0x9e3779b9]
  for (let i = 0; i < text.length; i++) {
    one = Math.imul(one, 0x01000193) + text.charCodeAt(i)
    other = Math.imul(other, 0x85ebca6b) + text.charCodeAt(i)
  }
  return `#${(one >>> 0).toString(36)}.${(other >>> 0).toString(36)}`
}

/** Rows and the link to the next page as the styles of the service answer them, or a bare list with the header `Link`. */
export function standardPage(data: unknown, headers: Headers): PageOf<unknown> {
  if (Array.isArray(data)) return { rows: data, next: nextIn(headers.get('link') ?? '') }
  const { results, next = null } = Object(data) as { results?: unknown; next?: unknown }
  if (Array.isArray(results) && (next === null || typeof next === 'string'))
    return { rows: results, next }
  throw new TypeError('The answer has no "results": say where its rows are with "page".')
}

/** The target of `rel="next"` (RFC 8288). */
function nextIn(link: string): string | null {
  const links = link.matchAll(/<([^>]*)>([^<]*)/g)
  for (const [, target = '', rest = ''] of links)
    if (/;\s*rel\s*=\s*(?:"[^"]*\bnext\b[^"]*"|next\b)/i.test(rest)) return target
  return null
}
