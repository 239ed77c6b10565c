import { after, recovering } from '../core/std/after.ts'
import type { Teller } from '../core/std/statements.ts'

interface Asked<T> {
  readonly system: string
  readonly sql: string
  /** Rows of the answer. */
  readonly count: (answer: T) => number
}

/** Asks a statement, whose answer may be promised, and tells of it. */
export function tellingOf<T>(
  tell: Teller,
  { system, sql, count }: Asked<Awaited<T>>,
  ask: () => T,
): T {
  const began = performance.now()
  const report = (rows: number, error: unknown): void =>
    tell({ system, sql, began, duration: performance.now() - began, rows, error })
  const refused = (error: unknown): never => {
    report(0, error)
    throw error
  }
  const answered = (answer: Awaited<T>): Awaited<T> => {
    report(count(answer), undefined)
    return answer
  }
  return recovering(() => after(ask() as Awaited<T>, answered), refused) as T
}
