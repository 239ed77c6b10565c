import { ChangedMeanwhile } from '../errors/api-errors.ts'

/** Whoever comes second begins anew; that often in a row is nobody unless a row is written without pause. */
const ATTEMPTS = 10

/** Does `work` again where what it had read was changed by somebody else. @throws ChangedMeanwhile too often */
export async function startingOver<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof ChangedMeanwhile) || attempt === ATTEMPTS) throw error
    }
  }
}
