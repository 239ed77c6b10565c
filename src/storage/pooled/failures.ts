import { DatabaseUnavailable, NotMigrated } from '../../core/errors/storage-errors.ts'
import { ConnectionLost } from '../sql/sql-database.ts'

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

/** No connection of the pool became free. */
export class AllBusy extends DatabaseUnavailable {
  constructor(place: string, options?: ErrorOptions) {
    super(`All connections to ${place} are busy, and none became free in time.`, options)
  }
}

/** A sentence for operators about a failure, with `%` for the place of the database; `null`: the failure is of another kind. */
type Sentence = string | ((place: string, error: Error) => string | DatabaseUnavailable | null)

export const SENTENCES = {
  cancelled: 'The statement on % was cancelled: it took too long.',
  changedMeanwhile:
    'The transaction on % changed what another one had changed meanwhile, and was given up. Try again.',
  deadlock:
    'The statement and another one on % waited for each other, and this one was given up. Try again.',
  diskFull: 'The disk of % is full. Nothing was written; make room and try again.',
  locked:
    'The statement on % waited too long for a lock. Try again, or look for a transaction that does not end.',
  noConnections:
    'The server of % has no connection to give: lower the number of connections here, or raise max_connections there.',
  noDatabase: 'The database % does not exist. Create it first.',
} as const

/** `name`: where the server names the table or column in its message. */
export function notThere(what: 'table' | 'column', name: RegExp): Sentence {
  return (place, error) => {
    const [, ...found] = name.exec(error.message) ?? []
    return new NotMigrated(what, found.find((each) => each !== undefined) ?? '?', place, error)
  }
}

/** A sentence about one of our routines: routines of an application are its own affair. */
function aboutRoutine(sentence: string): Sentence {
  return (place, { message }) => {
    const [name] = /colophon_(?:count|sweep)/.exec(message) ?? []
    return name === undefined ? null : sentence.replace('%', () => `${place}, ${name}`)
  }
}

export const NO_ROUTINE: Sentence = aboutRoutine(
  'A routine of %, is missing, as where a backup left routines out. Run the migrations, which make it anew: colophon migrate.',
)
export const NO_RIGHT: Sentence = aboutRoutine(
  'The account may not run a routine of %. Grant it: GRANT EXECUTE.',
)

/** The next connection may lead to another server. */
export const TAKES_NO_WRITES: Sentence = (place, error) =>
  new ConnectionLost(
    place,
    error,
    'leads to a server that takes no writes: it is read-only, as a standby or replica is. Use the address of the primary; that of PostgreSQL may name all servers',
  )

interface Recognition<Code> {
  /** Codes of the server that are about the database, and not about the statement. */
  readonly meanings: readonly (readonly [Sentence, ...Code[]])[]
  codeOf(error: Error): Code
  isLoss(error: Error): boolean
  /** Failures to connect that have no code. */
  readonly unreachable?: (place: string, error: Error) => string | DatabaseUnavailable | null
}

export interface ServerFailures {
  /** `DatabaseUnavailable`, with what to do, where it lies with the database; else as it is. `readsOnly`: in a transaction that we began so. */
  translated(error: unknown, place: string, options?: { readonly readsOnly: boolean }): unknown
  unreachable(error: unknown, place: string): DatabaseUnavailable
}

export function serverFailures<Code>(server: Recognition<Code>): ServerFailures {
  const sentenceFor = (error: Error): Sentence | undefined => {
    const code = server.codeOf(error)
    return server.meanings.find(([, ...codes]) => codes.includes(code))?.[0]
  }
  const meaningOf = (error: Error, place: string): DatabaseUnavailable | null => {
    const sentence = sentenceFor(error)
    const meaning =
      typeof sentence === 'function' ? sentence(place, error) : sentence?.replace('%', () => place)
    return typeof meaning === 'string'
      ? new DatabaseUnavailable(meaning, { cause: error })
      : (meaning ?? null)
  }
  return {
    translated(error, place, { readsOnly } = { readsOnly: false }) {
      if (!(error instanceof Error)) return error
      // The fault lies with the program: the server did its work.
      if (readsOnly && sentenceFor(error) === TAKES_NO_WRITES) return error
      if (server.isLoss(error)) return new ConnectionLost(place, error)
      return meaningOf(error, place) ?? error
    },
    unreachable(error, place) {
      if (error instanceof DatabaseUnavailable) return error
      const cause = error instanceof Error ? error : new Error(String(error))
      const meaning = meaningOf(cause, place)
      if (meaning !== null) return meaning
      const found = server.unreachable?.(place, cause) ?? noAnswer(place, cause)
      return typeof found === 'string' ? new DatabaseUnavailable(found, { cause }) : found
    },
  }
}

function noAnswer(place: string, error: Error): string {
  const reason = 'code' in error && typeof error.code === 'string' ? error.code : error.message
  return `The database ${place} cannot be reached (${reason}). Is its server running, and is the address right?`
}
