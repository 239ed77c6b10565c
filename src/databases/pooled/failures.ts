import { DatabaseUnavailable } from '../../errors/storage-errors.ts'
import { ConnectionLost } from '../../sql/connection-lost.ts'

/** The server did not answer in time, not even that the statement took too long. */
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

/** Tables changed after a statement was prepared, and within its transaction it cannot be prepared anew. */
export class OutdatedPlan extends Error {
  constructor(cause: Error) {
    super(
      'The tables have changed since this statement was prepared. Begin its transaction again.',
      { cause },
    )
  }
}

/** No connection became free in time. */
export function allBusy(place: string): DatabaseUnavailable {
  return new DatabaseUnavailable(
    `All connections to ${place} are busy, and none became free in time.`,
  )
}

/** What an operator reads about a failure. */
export type Sentence = (place: string, error: Error) => string

/** Failures that every server has, whatever their codes. */
export const SENTENCES: Readonly<
  Record<
    | 'cancelled'
    | 'changedMeanwhile'
    | 'deadlock'
    | 'diskFull'
    | 'locked'
    | 'noConnections'
    | 'noDatabase',
    Sentence
  >
> = {
  cancelled: (place) => `The statement on ${place} was cancelled: it took too long.`,
  changedMeanwhile: (place) =>
    `The transaction on ${place} changed what another one had changed meanwhile, and was given up. Try again.`,
  deadlock: (place) =>
    `The statement and another one on ${place} waited for each other, and this one was given up. Try again.`,
  diskFull: (place) =>
    `The disk of ${place} is full. Nothing was written; make room and try again.`,
  locked: (place) =>
    `The statement on ${place} waited too long for a lock. Try again, or look for a transaction that does not end.`,
  noConnections: (place) =>
    `The server of ${place} has no connection to give: lower the number of connections here, or raise max_connections there.`,
  noDatabase: (place) => `The database ${place} does not exist. Create it first.`,
}

/** A table is missing; `name`: where the server names it in its message. */
export function noTable(name: RegExp): Sentence {
  return (place, { message }) => {
    const [, found] = name.exec(message) ?? []
    const which = found === undefined ? ' that the statement names' : ` ${JSON.stringify(found)}`
    return `The database ${place} has no table${which}. Run the migrations first: colophon migrate.`
  }
}

/** How the failures of a kind of server are recognised. */
interface Recognition<Code extends string | number> {
  /** Codes of the server that mean the database, not the statement. */
  readonly sentences: Readonly<Partial<Record<Code, Sentence>>>
  codeOf(error: Error): Code
  /** Is the connection gone? */
  isLoss(error: Error): boolean
  /** Failures to connect that have no code. */
  readonly unreachable?: (place: string, error: Error) => string | null
}

/** What becomes of the failures of a driver. */
export interface ServerFailures {
  /** A failure of a statement: `DatabaseUnavailable`, with what to do, where it lies with the database; else as it is. */
  translated(error: unknown, place: string): unknown
  /** Why there is no connection. */
  unreachable(error: unknown, place: string): DatabaseUnavailable
}

export function serverFailures<Code extends string | number>({
  sentences,
  codeOf,
  isLoss,
  unreachable,
}: Recognition<Code>): ServerFailures {
  const sentenceOf = (error: Error, place: string): string | undefined =>
    sentences[codeOf(error)]?.(place, error)
  return {
    translated(error, place) {
      if (!(error instanceof Error)) return error
      if (isLoss(error)) return new ConnectionLost(place, error)
      const sentence = sentenceOf(error, place)
      return sentence === undefined ? error : new DatabaseUnavailable(sentence, { cause: error })
    },
    unreachable(error, place) {
      if (error instanceof DatabaseUnavailable) return error
      const cause = error instanceof Error ? error : new Error(String(error))
      const sentence = sentenceOf(cause, place) ?? unreachable?.(place, cause)
      return new DatabaseUnavailable(sentence ?? noAnswer(place, cause), { cause })
    },
  }
}

function noAnswer(place: string, error: Error): string {
  const reason = 'code' in error && typeof error.code === 'string' ? error.code : error.message
  return `The database ${place} cannot be reached (${reason}). Is its server running, and is the address right?`
}
