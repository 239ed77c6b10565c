import { ChangedMeanwhile } from '../errors/api-errors.ts'

/** A request that loses this often has met a row that is written without pause. */
const ATTEMPTS = 10

/** Does `work` again where another request changed what it had read. @throws ChangedMeanwhile too often */
export async function retryWhileChanged<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof ChangedMeanwhile) || attempt === ATTEMPTS) throw error
    }
  }
}
