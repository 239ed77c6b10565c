import type { Follower, Observer, SentAnswer } from '../../core/ports/policies/observing.ts'
import type { ApiRequest } from '../../core/ports/request.ts'
import type { AskedStatement } from '../../core/std/asked-statement.ts'
import { ConfigurationError } from '../../core/errors/configuration-error.ts'
import { contextOf } from '../../core/pipeline/context.ts'
import {
  type LogLine,
  Lines,
  type LogValue,
  beginOfLine,
  logFormatOf,
  levelOf,
} from './observers.ts'
import { traceparentOf } from './traces.ts'

/** Takes lines of requests: pino, winston and `console` do. */
export interface RequestLogger {
  info(line: Readonly<Record<string, unknown>>): void
  error(line: Readonly<Record<string, unknown>>): void
}

/** The requests that have a line, and the place of the lines. */
export interface RequestLogOptions {
  /**
   * Takes each line as an object: one of pino, winston, `console`. Failures of the service (5xx) are given to `error`, all
   * else to `info`. @default lines on standard output
   */
  readonly logger?: RequestLogger
  /** The form of lines on standard output. @default `text` on a terminal, else `json` */
  readonly format?: 'json' | 'text'
  /** The share of requests with a line, from 0 to 1. Slow ones and those with 5xx always have one. @default 1 */
  readonly sample?: number
  /** Milliseconds from which on a request is slow. @default 1,000 */
  readonly slow?: number
  /** Further members of a line. Texts are cut and escaped as all are. @default none */
  readonly members?: (answer: SentAnswer, request: ApiRequest | null) => LogLine
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
 * // {"time":"2026-11-29T08:00:00.000Z","level":"info","event":"request","method":"GET","route":"articles","version":null, …
 */
export function requestLog(options: RequestLogOptions = {}): Observer {
  const { sample = 1, slow = 1000, random = Math.random, members } = options
  if (!(sample >= 0 && sample <= 1))
    throw new ConfigurationError(`requestLog: "sample" must be from 0 to 1, but is ${sample}.`)
  const traceId = options.traceId ?? traceOf
  const format = options.format ?? logFormatOf(process.stdout)
  const lines = new Lines(format)
  const logger = options.logger ?? lines
  const isOwn = logger === lines && format === 'json' && members === undefined
  const write = (answer: SentAnswer, request: ApiRequest | null, asked: Asked): void => {
    const { status, duration } = answer
    const isKept = status >= 500 || duration >= slow
    if (!isKept && sample < 1 && random() >= sample) return
    const trace = request === null ? null : traceId(request)
    const share = isKept || sample === 1 ? null : sample
    const began = request === null ? 0 : contextOf(request).began
    const now = began > 0 ? lines.dateOf(began + duration) : Date.now()
    if (isOwn) return lines.add(new AnswerLine(now, answer, trace, asked, share))
    const line = lineOf(answer, trace, asked)
    if (answer.aborted) line['aborted'] = true
    if (share !== null) line['sample'] = share
    if (members !== undefined) Object.assign(line, members(answer, request))
    logger[levelOf(status)](harmless(line))
  }
  const observe: Observer = (answer, request) => write(answer, request, NOTHING)
  return Object.assign(observe, {
    follow: () => new StatementCount(write),
  })
}

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

function lineOf(answer: SentAnswer, trace: string | null, asked: Asked): Record<string, LogValue> {
  const { id, method, endpoint, version, scheme, status, bytes, duration } = answer
  return {
    event: 'request',
    method,
    route: endpoint,
    version,
    scheme,
    status,
    id,
    trace,
    user: userIdOf(answer),
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

/**
 * The same as JSON, made when it is written. To make an object, look through it and write it costs three times as much; texts of
 * few pieces are made, and written, in half of the time of many.
 */
class AnswerLine {
  readonly #now: number
  readonly #answer: SentAnswer
  readonly #user: string | number | null
  readonly #trace: string | null
  readonly #asked: Asked
  readonly #share: number | null

  constructor(
    now: number,
    answer: SentAnswer,
    trace: string | null,
    asked: Asked,
    share: number | null,
  ) {
    this.#now = now
    this.#answer = answer
    this.#user = userIdOf(answer)
    this.#trace = trace
    this.#asked = asked
    this.#share = share
  }

  toString(): string {
    const { id, bytes, duration, aborted } = this.#answer
    const trace = this.#trace === null ? NO_TRACE : `","trace":${quoted(this.#trace)},"user":`
    const by = `${headOf(this.#now, this.#answer)}${inQuotes(id)}${trace}${quoted(this.#user)}`
    const took = `${sizeOf(bytes)}${hundredths(duration)}${foundOf(this.#asked)}`
    const share = this.#share === null ? '' : `,"sample":${this.#share}`
    const end = `${hundredths(this.#asked.database)}${aborted ? ',"aborted":true' : ''}${share}}\n`
    return by + took + end
  }
}

const NO_TRACE = '","trace":null,"user":'

// A part that the line before also had is the same text, so that lines have few pieces.

let head = { begin: '', place: '', text: '' }

/** The line up to the id. */
function headOf(now: number, answer: SentAnswer): string {
  const [begin, place] = [beginOfLine(now), placeOf(answer)]
  if (begin !== head.begin || place !== head.place) head = { begin, place, text: begin + place }
  return head.text
}

let size = { bytes: -1, text: '' }

function sizeOf(bytes: number): string {
  if (size.bytes !== bytes) size = { bytes, text: `,"bytes":${bytes},"duration":` }
  return size.text
}

/** The facts that requests of an endpoint usually share. */
interface Place extends Pick<SentAnswer, 'endpoint' | 'method' | 'version' | 'scheme' | 'status'> {
  readonly text: string
}

/** The place of the last request, by endpoint. */
const places = new Map<string | null, Place>()
/** The place of the last request of all. */
let last: Place | null = null

function placeOf(answer: SentAnswer): string {
  if (last !== null && isAt(last, answer)) return last.text
  const known = places.get(answer.endpoint)
  last = known !== undefined && isAt(known, answer) ? known : madeOf(answer)
  places.set(answer.endpoint, last)
  return last.text
}

function isAt(place: Place, { endpoint, method, version, scheme, status }: SentAnswer): boolean {
  const isThere = place.endpoint === endpoint && place.method === method && place.status === status
  return isThere && place.version === version && place.scheme === scheme
}

function madeOf({ method, endpoint, version, scheme, status }: SentAnswer): Place {
  const [way, route, at, by] = [method, endpoint, version, scheme].map(quoted)
  const begin = `,"level":"${levelOf(status)}","event":"request","method":${way},"route":${route}`
  const text = `${begin},"version":${at},"scheme":${by},"status":${status},"id":"`
  return { endpoint, method, version, scheme, status, text }
}

/** The rows and statements of the last request. */
let found = { rows: -1, statements: -1, text: '' }

function foundOf({ rows, statements }: Asked): string {
  if (found.rows !== rows || found.statements !== statements)
    found = {
      rows,
      statements,
      text: `,"rows":${rows},"statements":${statements},"database":`,
    }
  return found.text
}

function quoted(value: string | number | null): string {
  if (typeof value !== 'string') return Number.isFinite(value) ? `${value}` : 'null'
  return `"${inQuotes(value)}"`
}

function inQuotes(text: string): string {
  return isPlain(text) ? text : JSON.stringify(escaped(text)).slice(1, -1)
}

/** JSON's fractions of a number, by hundredths. */
const HUNDREDTHS = Array.from({ length: 100 }, (_, part) => String(part / 100).slice(1))

/** JSON of a rounded number. */
function hundredths(milliseconds: number): string {
  const all = Math.round(milliseconds * 100)
  const whole = Math.trunc(all / 100)
  return whole + HUNDREDTHS[all - whole * 100]!
}

function userIdOf({ user }: SentAnswer): string | number | null {
  const { id } = (user ?? {}) as { readonly id?: unknown }
  if (typeof id === 'number') return id
  return typeof id === 'string' || typeof id === 'bigint' ? String(id) : null
}

const TRACE = /^[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}/

/** The trace that `traces` makes, or a client, or a proxy in front, is in (W3C Trace Context). */
function traceOf(request: ApiRequest): string | null {
  const text = traceparentOf(request) ?? request.header('traceparent')
  return text === null ? null : (TRACE.exec(text)?.[1] ?? null)
}

const LONGEST = 200
/** Characters that move a cursor, end a line, or turn the direction of text. */
const DANGEROUS =
  // oxlint-disable-next-line no-control-regex -- these are what is looked for
  /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g

/** Texts of a line, short and without what a terminal or a reader of lines would act on. */
function harmless(line: Record<string, LogValue>): LogLine {
  for (const name in line) {
    const value = line[name]
    if (typeof value === 'string' && !isPlain(value)) line[name] = escaped(value)
  }
  return line
}

/** Texts that JSON shows unchanged. */
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
