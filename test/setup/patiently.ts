import { DatabaseUnavailable } from '../../src/core/errors/storage-errors.ts'

/** Asks a store again while it says that it is too busy, as it does on a machine that does other work: such a request was not counted. */
export async function patiently<T>(ask: () => T | Promise<T>): Promise<T> {
  for (let times = 1; ; times++) {
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable) || times === 100) throw error
    }
  }
}
