import { DatabaseUnavailable } from '../errors/storage-errors.ts'

/** The connection broke while a statement was under way. The next statement gets another connection. */
export class ConnectionLost extends DatabaseUnavailable {
  constructor(place: string, cause: Error, how = 'broke while a statement was under way') {
    super(`The connection to ${place} ${how}. Try again.`, { cause })
  }
}
