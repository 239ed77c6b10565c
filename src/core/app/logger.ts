import type { Logger } from '../ports/kernel.ts'
import { errorText, failureOf } from '../std/text/error-text.ts'
import { LogLimiter } from '../std/log-limiter.ts'

type Level = 'error' | 'warn' | 'info'
type Entry = Readonly<Record<string, unknown>>

/** One JSON object a line, on standard error: what collectors of logs read without any setup. */
export function standardErrorLogger(): Logger {
  const writing = (level: Level) => (record: Entry) => write(level, record)
  return { error: writing('error'), warn: writing('warn'), info: writing('info') }
}

/**
 * Wraps a logger so that its failures stay inside: if it throws or rejects, the record goes to standard error with the
 * reason. Logging never makes a request fail.
 */
export function safeLogger(logger: Logger): Logger {
  const guarded = (level: Level) => (record: Entry) => {
    const failed = (error: unknown): void => {
      write('error', { event: 'logger.failed', ...failureOf(error) })
      write(level, record)
    }
    try {
      const written: unknown = logger[level]?.(record)
      if (written instanceof Promise) written.catch(failed)
    } catch (error) {
      failed(error)
    }
  }
  const { warn, info } = logger
  return {
    error: guarded('error'),
    ...((warn ?? info) && { warn: guarded(warn ? 'warn' : 'info') }),
    ...(info && { info: guarded('info') }),
  }
}

function write(level: Level, record: Entry): void {
  // A reader of standard error that has gone away must not end the service by an `error` event.
  process.stderr.write(`${lineOf(level, record)}\n`, (error) => {
    if (error) process.stderr.once('error', () => {})
  })
}

function lineOf(level: Level, record: Entry): string {
  const head = { time: new Date().toISOString(), level }
  try {
    return JSON.stringify({ ...head, ...record }, shown)
  } catch (error) {
    return JSON.stringify({ ...head, event: 'logger.failed', error: errorText(error) })
  }
}

/** Shows an error by its type, message and code; the record has its stack and its causes as text. */
function shown(_name: string, value: unknown): unknown {
  if (!(value instanceof Error)) return value
  const { name: type, message, code } = value as Error & { readonly code?: unknown }
  return { type, message, code }
}

/** Writes each kind of record once a second at most, with how many there were. */
export function seldomLogger(logger: Logger): (kind: string, record: Entry, level?: Level) => void {
  const seldom = new LogLimiter(1000)
  return (kind, record, level = 'error') => {
    const count = seldom.count(kind)
    if (count === null) return
    // If the logger takes errors only, it gets these records too, because a mistake of ours may refuse all requests.
    if (level === 'info' && logger.info !== undefined) logger.info({ ...record, count })
    else logger.error({ ...record, count })
  }
}
