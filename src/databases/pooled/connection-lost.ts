import { DatabaseUnavailable } from '../../errors/storage-errors.ts'

/** The connection broke while a statement was under way. The next statement gets another connection. */
export class ConnectionLost extends DatabaseUnavailable {
  constructor(place: string, cause: Error, how = 'broke while a statement was under way') {
    super(`The connection to ${place} ${how}. Try again.`, { cause })
  }
}

/** The server did not answer, not even that the statement took too long; nobody waits for it any longer. */
export class ConnectionSilent extends ConnectionLost {
  constructor(place: string, milliseconds: number) {
    const seconds = `${milliseconds / 1000} s`
    super(
      place,
      new Error(`No answer in ${seconds}.`),
      `went silent, and was given up after ${seconds}`,
    )
  }
}

/** What a database says after `close()`. */
export function closedDatabase(place: string): DatabaseUnavailable {
  return new DatabaseUnavailable(`The database ${place} has been closed.`)
}

/** No connection became free in time. */
export function allBusy(place: string): DatabaseUnavailable {
  return new DatabaseUnavailable(
    `All connections to ${place} are busy, and none became free in time.`,
  )
}
