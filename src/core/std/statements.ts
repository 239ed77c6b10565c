import { AsyncLocalStorage } from 'node:async_hooks'
import type { AskedStatement } from './asked-statement.ts'

export type Teller = (statement: AskedStatement) => void

/** Where work comes from. */
export interface Origin {
  /** The application and its request, as their server has them; `null`: there is no server. */
  readonly kernel: object | null
  readonly request: object | null
  /** Hears of the statements that the work asks. */
  tell?: Teller | undefined
  /** Absent: its reads see what was written last. */
  readonly reads?: Reads | undefined
}

/** Where the reads of some work may go, and what came of its writes. */
export interface Reads {
  /** May replicas answer, which are a little behind? */
  readonly fromReplica: boolean
  /** The place up to which a replica has to have followed, as the database writes it. `null`: any that is not too far behind. */
  readonly after: string | null
  /** The place after the last write; `null`: nothing was written. */
  written: Promise<string> | null
}

/** Does work whose reads may go elsewhere. */
export function reading<T>(reads: Reads | undefined, work: () => T): T {
  return origins.run({ ...(origins.getStore() ?? NOWHERE), reads }, work)
}

/**
 * Where the work of this moment comes from, promises and all. There is one for both purposes: each more would copy a table
 * for each request, which costs more than all else that observers do.
 */
export const origins: AsyncLocalStorage<Origin> = new AsyncLocalStorage()

/**
 * Does some work, and tells of each statement that it asks, as do those who follow the request around it. What `tell` throws
 * fails the statement.
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

/** The same work, which comes from here wherever it is done later. `AsyncLocalStorage.bind` takes ten times as long. */
export function ofThisOrigin<Given extends readonly unknown[], T>(
  work: (...given: Given) => T,
): (...given: Given) => T {
  const here = origins.getStore() ?? NOWHERE
  return (...given) => origins.run(here, work, ...given)
}

const NOWHERE: Origin = { kernel: null, request: null }
