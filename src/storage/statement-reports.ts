import { isPromise } from '../core/std/after.ts'
import type { Teller } from '../core/std/statements.ts'

interface Asked<T> {
  readonly system: string
  readonly sql: string
  /** Rows of the answer. */
  readonly count: (answer: T) => number
}

/** Asks a statement, whose answer may be promised, and tells of it. One that is answered at once needs no closure. */
export function tellingOf<T>(tell: Teller, asked: Asked<Awaited<T>>, ask: () => T): T {
  const began = performance.now()
  let answer: T
  try {
    answer = ask()
  } catch (error) {
    throw refused(tell, asked, began, error)
  }
  if (isPromise(answer))
    return answer.then(
      (value) => answered(tell, asked, began, value as Awaited<T>),
      (error: unknown) => {
        throw refused(tell, asked, began, error)
      },
    ) as T
  return answered(tell, asked, began, answer as Awaited<T>)
}

function answered<T>(tell: Teller, { system, sql, count }: Asked<T>, began: number, answer: T): T {
  const duration = performance.now() - began
  tell({ system, sql, began, duration, rows: count(answer), error: undefined })
  return answer
}

function refused<T>(
  tell: Teller,
  { system, sql }: Asked<T>,
  began: number,
  error: unknown,
): unknown {
  tell({ system, sql, began, duration: performance.now() - began, rows: 0, error })
  return error
}
