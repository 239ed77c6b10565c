import type { Follower, Observer, SentAnswer } from '../../core/ports/policies/observing.ts'
import type { ApiRequest } from '../../core/ports/request.ts'
import type { AskedStatement } from '../../core/std/asked-statement.ts'
import { ConfigurationError } from '../../core/errors/configuration-error.ts'
import { traceparentOf } from './traces.ts'

/** Takes lines of requests: pino, winston and `console` do. */
export interface RequestLogger {
  info(line: Readonly<Record<string, unknown>>): void
  error(line: Readonly<Record<string, unknown>>): void
}

/** Which requests have a line, and where it goes. */
export interface RequestLogOptions {
  /**
   * Takes each line as an object: one of pino, winston, `console`. Failures of the service (5xx) are given to `error`, all
   * else to `info`. @default lines on standard output
   */
  readonly logger?: RequestLogger
  /** Of lines on standard output. @default `text` on a terminal, else `json` */
  readonly format?: 'json' | 'text'
  /** The share of requests with a line, from 0 to 1. Slow ones and those with 5xx always have one. @default 1 */
  readonly sample?: number
  /** Milliseconds from which on a request is slow. @default 1,000 */
  readonly slow?: number
  /** Further members of a line. Texts are cut and escaped as all are. @default none */
  readonly members?: (answer: SentAnswer, request: ApiRequest | null) => Line
  /** The trace of a request. @default that of `traces`, else what its header `traceparent` says */
  readonly traceId?: (request: ApiRequest) => string | null
  /** Chooses the sample: a number from 0 up to 1. @default Math.random */
  readonly random?: () => number
}

/**
 * One line for each request, for the setting `observe`. It has the name of the address and not the path, and nothing that a
 * client sent but its method, its version and its trace.
 *
 * @throws ConfigurationError `sample` is no share
 * @example
 * const api = defineApi({ urls, observe: requestLog({ sample: 0.1, slow: 500 }) })
 * // {"time":"2026-11-29T08:00:00.000Z","level":"info","event":"request","id":"5f0c-1","trace":null,"method":"GET", …
 */
export function requestLog(options: RequestLogOptions = {}): Observer {
  const { sample = 1, slow = 1000, random = Math.random, members } = options
  if (!(sample >= 0 && sample <= 1))
    throw new ConfigurationError(`requestLog: "sample" must be from 0 to 1, but is ${sample}.`)
  const traceId = options.traceId ?? traceOf
  const format = options.format ?? formatOf(process.stdout)
  const logger = options.logger ?? new Lines(format)
  const texts = logger instanceof Lines && format === 'json' && members === undefined
  const write = (answer: SentAnswer, request: ApiRequest | null, asked: Asked): void => {
    const { status, duration } = answer
    const isKept = status >= 500 || duration >= slow
    if (!isKept && sample < 1 && random() >= sample) return
    const trace = request === null ? null : traceId(request)
    const share = isKept || sample === 1 ? null : sample
    const level = status >= 500 ? 'error' : 'info'
    if (texts) return logger.add(level, textOf(answer, trace, asked) + restOf(answer, share))
    const line = lineOf(answer, trace, asked)
    if (answer.aborted) line['aborted'] = true
    if (share !== null) line['sample'] = share
    if (members !== undefined) Object.assign(line, members(answer, request))
    logger[level](harmless(line))
  }
  const observe: Observer = (answer, request) => write(answer, request, NOTHING)
  return Object.assign(observe, {
    follow: () => new StatementCount(write),
  })
}

type Level = 'info' | 'error'
type Value = string | number | boolean | null
type Line = Readonly<Record<string, Value>>

interface Asked {
  readonly statements: number
  readonly rows: number
  /** Milliseconds of all statements together. */
  readonly database: number
}

type Write = (answer: SentAnswer, request: ApiRequest, asked: Asked) => void

const NOTHING: Asked = { statements: 0, rows: 0, database: 0 }

class StatementCount implements Follower, Asked {
  readonly #write: Write
  statements = 0
  rows = 0
  database = 0

  constructor(write: Write) {
    this.#write = write
  }

  statement({ rows, duration }: AskedStatement): void {
    this.statements++
    this.rows += rows
    this.database += duration
  }

  ended(answer: SentAnswer, request: ApiRequest): void {
    this.#write(answer, request, this)
  }
}

function lineOf(answer: SentAnswer, trace: string | null, asked: Asked): Record<string, Value> {
  const { id, method, endpoint, version, scheme, status, bytes, duration } = answer
  return {
    event: 'request',
    id,
    trace,
    method,
    route: endpoint,
    version,
    scheme,
    user: userIdOf(answer),
    status,
    bytes,
    duration: rounded(duration),
    rows: asked.rows,
    statements: asked.statements,
    database: rounded(asked.database),
  }
}

function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 100) / 100
}

/** The same as JSON. To make an object, look through it and write it costs three times as much. */
function textOf(answer: SentAnswer, trace: string | null, asked: Asked): string {
  const { id, status, bytes } = answer
  const [took, database] = [hundredths(answer.duration), hundredths(asked.database)]
  const who = `${placeOf(answer)},"user":${quoted(userIdOf(answer))}`
  const what = `"status":${status},"bytes":${bytes},"duration":${took}`
  const found = `"rows":${asked.rows},"statements":${asked.statements},"database":${database}`
  return `,"event":"request","id":${quoted(id)},"trace":${quoted(trace)}${who},${what},${found}`
}

function restOf({ aborted }: SentAnswer, share: number | null): string {
  return (aborted ? ',"aborted":true' : '') + (share === null ? '' : `,"sample":${share}`)
}

/** What requests of an endpoint have in common, as a rule. */
interface Place extends Pick<SentAnswer, 'method' | 'version' | 'scheme'> {
  readonly text: string
}

/** By the endpoint, of its last request. */
const places = new Map<string | null, Place>()

function placeOf({ method, endpoint, version, scheme }: SentAnswer): string {
  const last = places.get(endpoint)
  if (last?.method === method && last.version === version && last.scheme === scheme)
    return last.text
  const [way, route, at, by] = [method, endpoint, version, scheme].map(quoted)
  const text = `,"method":${way},"route":${route},"version":${at},"scheme":${by}`
  places.set(endpoint, { method, version, scheme, text })
  return text
}

function quoted(value: string | number | null): string {
  if (typeof value !== 'string') return Number.isFinite(value) ? `${value}` : 'null'
  return isPlain(value) ? `"${value}"` : JSON.stringify(escaped(value))
}

/** As JSON has what `rounded` gives. */
function hundredths(milliseconds: number): string {
  const all = Math.round(milliseconds * 100)
  const [whole, part] = [Math.trunc(all / 100), all % 100]
  if (part === 0) return `${whole}`
  return part % 10 === 0 ? `${whole}.${part / 10}` : `${whole}.${part < 10 ? '0' : ''}${part}`
}

function userIdOf({ user }: SentAnswer): string | number | null {
  const { id } = (user ?? {}) as { readonly id?: unknown }
  if (typeof id === 'number') return id
  return typeof id === 'string' || typeof id === 'bigint' ? String(id) : null
}

const TRACE = /^[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}/

/** The trace that `traces` makes, or a client, or a proxy in front, is in (W3C Trace Context). */
function traceOf(request: ApiRequest): string | null {
  return TRACE.exec(traceparentOf(request) ?? request.header('traceparent') ?? '')?.[1] ?? null
}

const LONGEST = 200
/** What moves a cursor, ends a line, or turns the direction of what follows. */
const DANGEROUS =
  // oxlint-disable-next-line no-control-regex -- these are what is looked for
  /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g

/** Texts of a line, short and without what a terminal or a reader of lines would act on. */
function harmless(line: Record<string, Value>): Line {
  for (const name in line) {
    const value = line[name]
    if (typeof value === 'string' && !isPlain(value)) line[name] = escaped(value)
  }
  return line
}

/** Of what stands in JSON as it is. */
const PLAIN = /^[ !#-[\]-~]*$/

function isPlain(text: string): boolean {
  return text.length <= LONGEST && PLAIN.test(text)
}

function escaped(text: string): string {
  const short = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
  return short.replace(
    DANGEROUS,
    (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function formatOf({ isTTY }: { readonly isTTY: boolean }): 'json' | 'text' {
  return isTTY ? 'text' : 'json'
}

/** Bytes after which lines are written, and milliseconds for which they wait otherwise: a write costs more than ten lines. */
const [FULL, PAUSE] = [16_384, 100]
/** Bytes that may wait for a reader of standard output; lines beyond them are lost, and counted. */
const MOST = 4 * 1024 * 1024

/** Lines on standard output, several with one write. */
class Lines {
  readonly #format: 'json' | 'text'
  #text = ''
  #lost = 0
  #now = 0
  #shown = ''
  #timer: NodeJS.Timeout | null = null

  constructor(format: 'json' | 'text') {
    this.#format = format
  }

  readonly info = (line: Line): void => this.#addObject('info', line)
  readonly error = (line: Line): void => this.#addObject('error', line)

  #addObject(level: Level, line: Line): void {
    if (this.#format === 'json') this.add(level, `,${JSON.stringify(line).slice(1, -1)}`)
    else this.#addText(`${this.#time()} ${readable(line)}\n`)
  }

  /** `members`: as JSON, with a comma in front of each. */
  add(level: Level, members: string): void {
    this.#addText(`{"time":"${this.#time()}","level":"${level}"${members}}\n`)
  }

  #addText(text: string): void {
    this.#text += text
    if (this.#text.length >= FULL) this.#flush()
    else this.#timer ??= this.#later()
  }

  /** Made once a millisecond. */
  #time(): string {
    const now = Date.now()
    if (now !== this.#now) this.#shown = new Date((this.#now = now)).toISOString()
    return this.#shown
  }

  #later(): NodeJS.Timeout {
    process.once('exit', this.#flush)
    return setTimeout(this.#flush, PAUSE).unref()
  }

  readonly #flush = (): void => {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    process.off('exit', this.#flush)
    const text = this.#text
    this.#text = ''
    if (process.stdout.writableLength > MOST) this.#lost += text.split('\n').length - 1
    else process.stdout.write(this.#lost === 0 ? text : text + this.#lostLine())
  }

  #lostLine(): string {
    const line = JSON.stringify({ level: 'error', event: 'request.lines_lost', count: this.#lost })
    this.#lost = 0
    return `${line}\n`
  }
}

/** `GET article-list v1 → 200 in 3.2 ms, 1204 bytes, 25 rows of 2 statements in 1.1 ms, user 7 by TokenAuthentication [5f0c-1]` */
function readable(line: Line): string {
  const { event: _, id, trace, method, route, version, scheme, user, status, bytes, ...more } = line
  const { duration, rows, statements, database, ...own } = more
  const at = version === null ? '' : ` ${version}`
  const who = user === null ? '' : `, user ${user} by ${scheme}`
  const asked =
    statements === 0 ? '' : `, ${rows} rows of ${statements} statements in ${database} ms`
  const rest = Object.entries(own).map(([name, value]) => ` ${name}=${JSON.stringify(value)}`)
  const ids = trace === null ? id : `${id} ${trace}`
  return `${method ?? 'no request'} ${route ?? 'no address'}${at} → ${status} in ${duration} ms, ${bytes} bytes${asked}${who} [${ids}]${rest.join('')}`
}
