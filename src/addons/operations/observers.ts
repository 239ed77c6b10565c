import type {
  Follower,
  Observer,
  RequestStep,
  SentAnswer,
  Wrapper,
} from '../../core/ports/policies/observing.ts'
import type { ApiRequest } from '../../core/ports/request.ts'
import type { AskedStatement } from '../../core/std/asked-statement.ts'
import { withHeaders } from '../../core/replies/reply.ts'
import { tellingOfStatements } from '../../core/std/statements.ts'

/**
 * Several observers as one, for the setting `observe`. One that fails keeps nothing from the others.
 *
 * @example defineApi({ urls, observe: together(requestLog(), metrics.observe) })
 */
export function together(...observers: readonly Observer[]): Observer {
  if (observers.length === 1) return observers[0]!
  const observe: Observer = (answer, request) => eachOf(observers, (one) => one(answer, request))
  if (observers.every(({ follow }) => follow === undefined)) return observe
  const follow = (request: ApiRequest): Follower =>
    new Followers(observers.map((one) => followerOf(one, request)))
  return Object.assign(observe, { follow })
}

/**
 * The follower of an observer. One that fails does so at the end, as if it had failed then, so that the others follow. An
 * observer that follows nothing is asked at the end.
 */
function followerOf(observer: Observer, request: ApiRequest): Follower {
  try {
    return observer.follow?.(request) ?? { ended: observer }
  } catch (error) {
    return {
      ended() {
        throw error
      },
    }
  }
}

/** Several followers as one. It has a method if one of them does: the core says nothing where no one listens. */
class Followers implements Follower {
  readonly all: readonly Follower[]
  readonly step?: NonNullable<Follower['step']>
  readonly statement?: NonNullable<Follower['statement']>
  readonly within?: NonNullable<Follower['within']>

  constructor(all: readonly Follower[]) {
    this.all = all
    for (const { step, statement, within } of all) {
      if (step !== undefined) this.step = stepOfAll
      if (statement !== undefined) this.statement = statementOfAll
      if (within !== undefined) this.within = withinAll
    }
  }

  ended(answer: SentAnswer, request: ApiRequest): unknown {
    return eachOf(this.all, (one) => one.ended(answer, request))
  }
}

function stepOfAll(this: Followers, step: RequestStep): void {
  eachOf(this.all, (one) => one.step?.(step))
}

function statementOfAll(this: Followers, statement: AskedStatement): void {
  eachOf(this.all, (one) => one.statement?.(statement))
}

/** Does the work within all followers, each around those behind it. */
function withinAll(this: Followers, work: () => void): void {
  const inner = this.all.reduceRight<() => void>(
    (next, one) => (one.within === undefined ? next : () => one.within!(next)),
    work,
  )
  inner()
}

/** @throws the first failure, after all were called */
function eachOf<T>(all: readonly T[], call: (one: T) => unknown): unknown {
  let failure: { readonly reason: unknown } | null = null
  let waiting: unknown[] | null = null
  for (const one of all)
    try {
      const returned = call(one)
      if (returned !== undefined) (waiting ??= []).push(returned)
    } catch (reason) {
      failure ??= { reason }
    }
  const later = waiting === null ? undefined : Promise.all(waiting)
  if (failure === null) return later
  later?.catch(() => undefined)
  throw failure.reason
}

/** The permission to see the times of handlers. */
export interface ServerTimingOptions {
  /** Durations say much about what a service does. @default staff alone */
  readonly shows?: (request: ApiRequest) => boolean
}

/**
 * Answers say in `Server-Timing` how long their handler took, and its statements, in milliseconds: browsers show it beside the
 * request. For the setting `around`.
 *
 * @example defineApi({ urls, around: serverTiming() })
 */
export function serverTiming({ shows = isStaff }: ServerTimingOptions = {}): Wrapper {
  return async (request, next) => {
    if (!shows(request)) return next()
    const began = performance.now()
    let [count, database] = [0, 0]
    const answer = await tellingOfStatements(({ duration }) => {
      count++
      database += duration
    }, next)
    const handler = (performance.now() - began).toFixed(1)
    const timing = `handler;dur=${handler}, db;dur=${database.toFixed(1)};desc="statements: ${count}"`
    return withHeaders(answer, { 'Server-Timing': timing })
  }
}

/** Does any scheme name a user who is staff? */
export function isStaff({ user }: Pick<ApiRequest, 'user'>): boolean {
  return (user as { readonly isStaff?: unknown } | null)?.isStaff === true
}

// Lines that observers write on standard output, which wait for each other: a write costs more than ten lines.

export type LogValue = string | number | boolean | null
export type LogLine = Readonly<Record<string, LogValue>>
type Level = 'info' | 'error'

/** Failures of the service are errors. */
export function levelOf(status: number): Level {
  return status >= 500 ? 'error' : 'info'
}

export function logFormatOf({ isTTY }: { readonly isTTY: boolean }): 'json' | 'text' {
  return isTTY ? 'text' : 'json'
}

/** Lines after which they are written, and milliseconds for which they wait otherwise. */
const [FULL, PAUSE] = [64, 100]
/** Bytes that may wait for a reader of standard output; lines beyond them are lost, and counted. */
const MOST = 4 * 1024 * 1024

/** A line with its end, before it is written: a text, or an object that makes the text and does not throw. */
interface Unwritten {
  toString(): string
}

/**
 * Lines on standard output, several with one write. Their texts are made then, one after the other. If they were made with
 * each request, their pieces would lie far apart in memory, which costs more than making them.
 */
export class Lines {
  readonly #format: 'json' | 'text'
  #zero = 0
  #waiting: Unwritten[] = []
  #lost = 0
  #timer: NodeJS.Timeout | null = null

  constructor(format: 'json' | 'text') {
    this.#format = format
  }

  readonly info = (line: LogLine): void => this.#addObject('info', line)
  readonly error = (line: LogLine): void => this.#addObject('error', line)

  #addObject(level: Level, line: LogLine): void {
    if (this.#format === 'json')
      this.add(
        `${beginOfLine(Date.now())},"level":"${level}",${JSON.stringify(line).slice(1, -1)}}\n`,
      )
    else this.add(`${new Date().toISOString()} ${readable(line)}\n`)
  }

  /** A moment of `performance.now()` in milliseconds since 1970. The clock is read once for the lines that wait together. */
  dateOf(at: number): number {
    if (this.#waiting.length === 0) this.#zero = zeroOfClock()
    return Math.floor(this.#zero + at)
  }

  add(line: Unwritten): void {
    if (this.#waiting.push(line) >= FULL) this.#flush()
    else this.#timer ??= this.#later()
  }

  #later(): NodeJS.Timeout {
    process.once('exit', this.#flush)
    return setTimeout(this.#flush, PAUSE).unref()
  }

  readonly #flush = (): void => {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    process.off('exit', this.#flush)
    const lines = this.#waiting
    this.#waiting = []
    if (process.stdout.writableLength > MOST) this.#lost += lines.length
    else process.stdout.write(textOf(lines) + (this.#lost === 0 ? '' : this.#lostLine()))
  }

  #lostLine(): string {
    const line = JSON.stringify({ level: 'error', event: 'request.lines_lost', count: this.#lost })
    this.#lost = 0
    return `${line}\n`
  }
}

/**
 * When `performance.now()` was 0, in milliseconds since 1970. Each span of an SDK would take the difference of both clocks anew, so
 * that some would begin before those around them.
 */
export function zeroOfClock(): number {
  return Date.now() - performance.now()
}

/** With `join` a line takes a fifth longer. */
function textOf(lines: readonly Unwritten[]): string {
  let text = ''
  for (const line of lines) text += line.toString()
  return text
}

/** The beginning of the last line: most lines are of the same second, and many of the same millisecond. */
let last = { second: 0, date: '', now: 0, text: '' }

/** A line of JSON as far as its time, in milliseconds since 1970. */
export function beginOfLine(now: number): string {
  if (now === last.now) return last.text
  const second = Math.floor(now / 1000)
  const date = second === last.second ? last.date : new Date(now).toISOString().slice(0, -4)
  const text = `{"time":"${date}${String(now - second * 1000).padStart(3, '0')}Z"`
  last = { second, date, now, text }
  return text
}

/** `GET article-list v1 → 200 in 3.2 ms, 1204 bytes, 25 rows of 2 statements in 1.1 ms, user 7 by TokenAuthentication [5f0c-1]` */
function readable(line: LogLine): string {
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
