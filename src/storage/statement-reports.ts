import type { Teller } from '../core/std/statements.ts'

interface Asked<T> {
  readonly system: string
  readonly sql: string
  /** Rows of the answer. */
  readonly count: (answer: T) => number
}

/** Asks a statement, and tells of it. */
export function tellingOf<T>(tell: Teller, asked: Asked<T>, ask: () => T): T {
  const began = performance.now()
  let answer: T
  try {
    answer = ask()
  } catch (error) {
    report(tell, asked, began, 0, error)
    throw error
  }
  report(tell, asked, began, asked.count(answer), undefined)
  return answer
}

/** The same for one that is waited for. */
export async function tellingLaterOf<T>(
  tell: Teller,
  asked: Asked<T>,
  ask: () => Promise<T>,
): Promise<T> {
  const began = performance.now()
  let answer: T
  try {
    answer = await ask()
  } catch (error) {
    report(tell, asked, began, 0, error)
    throw error
  }
  report(tell, asked, began, asked.count(answer), undefined)
  return answer
}

function report(
  tell: Teller,
  { system, sql }: Omit<Asked<never>, 'count'>,
  began: number,
  rows: number,
  error: unknown,
): void {
  tell({ system, sql, began, duration: performance.now() - began, rows, error })
}
