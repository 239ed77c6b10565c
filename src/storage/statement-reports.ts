import type { Teller } from '../core/std/statements.ts'

interface Asked<T> {
  readonly system: string
  readonly sql: string
  /** Rows of the answer. */
  readonly count: (answer: T) => number
}

/** Asks a statement, and tells of it. */
export function tellingOf<T>(tell: Teller, asked: Asked<T>, ask: () => T): T {
  const end = endOf(tell, asked)
  let answer: T
  try {
    answer = ask()
  } catch (error) {
    end(0, error)
    throw error
  }
  end(asked.count(answer), undefined)
  return answer
}

/** The same for one that is waited for. */
export async function tellingLaterOf<T>(
  tell: Teller,
  asked: Asked<T>,
  ask: () => Promise<T>,
): Promise<T> {
  const end = endOf(tell, asked)
  let answer: T
  try {
    answer = await ask()
  } catch (error) {
    end(0, error)
    throw error
  }
  end(asked.count(answer), undefined)
  return answer
}

function endOf(tell: Teller, { system, sql }: Omit<Asked<never>, 'count'>) {
  const began = performance.now()
  return (rows: number, error: unknown): void =>
    tell({ system, sql, began, duration: performance.now() - began, rows, error })
}
