import { DatabaseUnavailable } from '../../src/core/errors/storage-errors.ts'

/** Repeats a request while a store says that it is too busy, as on a busy machine: such a request was not counted. */
export async function patiently<T>(ask: () => T | Promise<T>): Promise<T> {
  for (let times = 1; ; times++) {
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable) || times === 100) throw error
    }
  }
}
