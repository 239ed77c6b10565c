import { DatabaseUnavailable } from '../../errors/storage-errors.ts'

/** The connection broke while a statement was under way. The next statement gets another connection. */
export class ConnectionLost extends DatabaseUnavailable {
  constructor(place: string, cause: Error) {
    super(`The connection to ${place} broke while a statement was under way. Try again.`, { cause })
  }
}

/** What a database says after `close()`. */
export function closedDatabase(place: string): DatabaseUnavailable {
  return new DatabaseUnavailable(`The database ${place} has been closed.`)
}
