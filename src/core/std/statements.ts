import { AsyncLocalStorage } from 'node:async_hooks'
import type { AskedStatement } from './asked-statement.ts'

export type Teller = (statement: AskedStatement) => void

/** The origin of some work. */
export interface Origin {
  /** The application and its request, as their server has them; `null`: there is no server. */
  readonly kernel: object | null
  readonly request: object | null
  /** Called with each statement of the work. */
  tell?: Teller | undefined
  /** The rules for its reads. Absent: its reads see the last writes. */
  readonly reads?: Reads | undefined
}

/** The places where the reads of some work may go, and the place of its last write. */
export interface Reads {
  /** May replicas answer, which are a little behind? */
  readonly fromReplica: boolean
  /**
   * The place that a replica must have reached, as the database writes it. `null`: any replica that is not too far behind
   * may answer.
   */
  readonly after: string | null
  /** The place after the last write; `null`: nothing was written. */
  written: Promise<string> | null
}

/** Does work with these rules for its reads. */
export function withReads<T>(reads: Reads | undefined, work: () => T): T {
  return origins.run({ ...(origins.getStore() ?? NOWHERE), reads }, work)
}

/** Does work that decides about a user or about rights: its reads see the last writes. */
export function withFreshReads<T>(work: () => T): T {
  return origins.getStore()?.reads === undefined ? work() : withReads(undefined, work)
}

/**
 * The origin of the current work, including its promises. One storage serves both purposes, because each further one would
 * copy a table for each request, which costs more than the rest of the observers.
 */
export const origins: AsyncLocalStorage<Origin> = new AsyncLocalStorage()

/**
 * Does some work and calls `tell` with each statement of it; followers of the surrounding request are still called. If
 * `tell` throws, the statement fails.
 *
 * @example
 * let count = 0
 * await tellingOfStatements(() => count++, () => next())
 */
export function tellingOfStatements<T>(tell: Teller, work: () => T): T {
  const outer = origins.getStore()
  const both: Teller = (statement) => {
    outer?.tell?.(statement)
    tell(statement)
  }
  return origins.run({ ...(outer ?? NOWHERE), tell: both }, work)
}

/** Gives the work the current origin, wherever it is done later. `AsyncLocalStorage.bind` takes ten times as long. */
export function ofThisOrigin<Given extends readonly unknown[], T>(
  work: (...given: Given) => T,
): (...given: Given) => T {
  const here = origins.getStore() ?? NOWHERE
  return (...given) => origins.run(here, work, ...given)
}

const NOWHERE: Origin = { kernel: null, request: null }
