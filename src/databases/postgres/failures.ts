import { DatabaseUnavailable } from '../../errors/storage-errors.ts'
import { ConnectionLost, allBusy } from '../pooled/connection-lost.ts'

type Sentence = (place: string, error: Error) => string

/** Codes of PostgreSQL (https://www.postgresql.org/docs/current/errcodes-appendix.html) that say: the database, not the statement. */
const SENTENCES: Readonly<Record<string, Sentence>> = {
  '25006': (place) =>
    `The database ${place} cannot be written: it is read-only, as a standby is. Use the address of the primary.`,
  '28000': refused,
  '28P01': refused,
  '3D000': (place) => `The database ${place} does not exist. Create it first.`,
  '3F000': (place) => `The schema that the connection to ${place} asks for does not exist.`,
  '40001': (place) =>
    `The transaction on ${place} changed what another one had changed meanwhile, and was given up. Try again.`,
  '40P01': (place) =>
    `The statement and another one on ${place} waited for each other, and this one was given up. Try again.`,
  '42P01': (place, error) =>
    `The database ${place} has no table${nameIn(error)}. Run the migrations first: colophon migrate.`,
  '53100': (place) => `The disk of ${place} is full. Nothing was written; make room and try again.`,
  '53200': (place) => `The server of ${place} is out of memory.`,
  '53300': (place) =>
    `The server of ${place} has no connection to give: lower the number of connections here, or raise max_connections there.`,
  '55P03': (place) =>
    `The statement on ${place} waited too long for a lock. Try again, or look for a transaction that does not end.`,
  '57014': (place) => `The statement on ${place} was cancelled: it took too long.`,
  '57P03': (place) => `The server of ${place} is starting up or shutting down. Try again.`,
}

function refused(place: string): string {
  return `The server of ${place} refuses this account: look at the user name and the password.`
}

function nameIn({ message }: Error): string {
  const name = /"([^"]+)"/.exec(message)?.[1]
  return name === undefined ? ' that the statement names' : ` ${JSON.stringify(name)}`
}

/** Codes of a server that ends the connection: shutting down, crashing, told to by somebody, or idle for too long. */
const ENDED = /^(?:08...|25P0[34]|57P0[1245])$/

/** The same failure of a statement as `DatabaseUnavailable`, with what to do, where it lies with the database; else as it is. */
export function translated(error: unknown, place: string): unknown {
  if (!(error instanceof Error)) return error
  if (isLoss(error)) return new ConnectionLost(place, error)
  const sentence = SENTENCES[codeOf(error)]?.(place, error)
  return sentence === undefined ? error : new DatabaseUnavailable(sentence, { cause: error })
}

/** Why there is no connection. */
export function unreachable(error: unknown, place: string): DatabaseUnavailable {
  if (error instanceof DatabaseUnavailable) return error
  const cause = error instanceof Error ? error : new Error(String(error))
  const sentence = SENTENCES[codeOf(cause)]?.(place, cause) ?? noConnection(cause, place)
  return new DatabaseUnavailable(sentence, { cause })
}

function noConnection(error: Error, place: string): string {
  if (error.message === 'timeout exceeded when trying to connect') return allBusy(place).message
  if (error.message.startsWith('SASL')) return refused(place)
  const reason = codeOf(error) || error.message
  return `The database ${place} cannot be reached (${reason}). Is its server running, and is the address right?`
}

/** Failures of the driver, and of the system below it, have no code of the server. */
function isLoss(error: Error): boolean {
  return (
    'syscall' in error ||
    ENDED.test(codeOf(error)) ||
    /^(?:Connection terminated|Client (?:was closed|has encountered))/.test(error.message)
  )
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : ''
}

/** Was a statement prepared before the tables changed? It does no harm to ask again. */
export function isOutdatedPlan(error: unknown): error is Error {
  return (
    error instanceof Error &&
    codeOf(error) === '0A000' &&
    'routine' in error &&
    error.routine === 'RevalidateCachedQuery'
  )
}
