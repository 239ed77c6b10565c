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
 * The logger with its failures kept in: where it throws or rejects, the record goes to standard error
 * with the reason. Logging is never why a request fails.
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

/** An error by what tells it from others; its stack and its reasons are in the record as text. */
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
    // A logger of errors alone gets them too: a mistake of ours may refuse all requests.
    if (level === 'info' && logger.info !== undefined) logger.info({ ...record, count })
    else logger.error({ ...record, count })
  }
}
