import { AsyncLocalStorage } from 'node:async_hooks'

/** A statement that a database has answered. Its values are not here. */
export interface AskedStatement {
  /** The kind of database, as OpenTelemetry calls it. */
  readonly system: string
  /** With placeholders. */
  readonly sql: string
  /** When it was asked, by `performance.now()`. */
  readonly began: number
  /** Milliseconds until the answer. */
  readonly duration: number
  /** Rows that it read or changed. */
  readonly rows: number
  /** Why it failed; `undefined`: it did not. */
  readonly error: unknown
}

export type Teller = (statement: AskedStatement) => void

/** Who hears of the statements that are asked now. */
export const tellers: AsyncLocalStorage<Teller> = new AsyncLocalStorage()

/**
 * Does some work, and tells of each statement that it asks, as do those who follow the request around it. What `tell` throws
 * fails the statement.
 *
 * @example
 * let count = 0
 * await tellingOfStatements(() => count++, () => next())
 */
export function tellingOfStatements<T>(tell: Teller, work: () => T): T {
  const outer = tellers.getStore()
  const both: Teller = (statement) => {
    outer?.(statement)
    tell(statement)
  }
  return tellers.run(outer === undefined ? tell : both, work)
}
