import { DatabaseUnavailable } from '../../errors/storage-errors.ts'
import { ConnectionLost } from '../pooled/connection-lost.ts'

type Sentence = (place: string, error: Error) => string

/** Numbers of MySQL and MariaDB (https://mariadb.com/kb/en/mariadb-error-code-reference/) that say: the database, not the statement. */
const SENTENCES: Readonly<Record<number, Sentence>> = {
  1020: (place) =>
    `The transaction on ${place} changed what another one had changed meanwhile, and was given up. Try again.`,
  1021: full,
  1040: noConnections,
  1044: refused,
  1045: refused,
  1049: (place) => `The database ${place} does not exist. Create it first.`,
  1114: full,
  1146: (place, error) =>
    `The database ${place} has no table${nameIn(error)}. Run the migrations first: colophon migrate.`,
  1203: noConnections,
  1205: (place) =>
    `The statement on ${place} waited too long for a lock. Try again, or look for a transaction that does not end.`,
  1213: (place) =>
    `The statement and another one on ${place} waited for each other, and this one was given up. Try again.`,
  1226: noConnections,
  1290: readOnly,
  1317: cancelled,
  1698: refused,
  1792: readOnly,
  1836: readOnly,
  1969: cancelled,
  3024: cancelled,
}

function refused(place: string): string {
  return `The server of ${place} refuses this account: look at the user name and the password, and at what it may do.`
}

function noConnections(place: string): string {
  return `The server of ${place} has no connection to give: lower the number of connections here, or raise max_connections there.`
}

function readOnly(place: string): string {
  return `The database ${place} cannot be written: it is read-only, as a replica is. Use the address of the primary.`
}

function full(place: string): string {
  return `The disk of ${place} is full. Nothing was written; make room and try again.`
}

function cancelled(place: string): string {
  return `The statement on ${place} was cancelled: it took too long.`
}

function nameIn({ message }: Error): string {
  const name = /'([^']+)'/.exec(message)?.[1]?.split('.').at(-1)
  return name === undefined ? ' that the statement names' : ` ${JSON.stringify(name)}`
}

/** Shutting down, and a connection that somebody has ended. */
const ENDED: ReadonlySet<number> = new Set([1053, 1152, 1158, 1159, 1160, 1161, 1927, 4031])

/** The same failure of a statement as `DatabaseUnavailable`, with what to do, where it lies with the database; else as it is. */
export function translated(error: unknown, place: string): unknown {
  if (!(error instanceof Error)) return error
  if (isLoss(error)) return new ConnectionLost(place, error)
  const sentence = SENTENCES[numberOf(error)]?.(place, error)
  return sentence === undefined ? error : new DatabaseUnavailable(sentence, { cause: error })
}

/** Why there is no connection. */
export function unreachable(error: unknown, place: string): DatabaseUnavailable {
  if (error instanceof DatabaseUnavailable) return error
  const cause = error instanceof Error ? error : new Error(String(error))
  const sentence = SENTENCES[numberOf(cause)]?.(place, cause) ?? noConnection(cause, place)
  return new DatabaseUnavailable(sentence, { cause })
}

function noConnection(error: Error, place: string): string {
  const reason = 'code' in error ? String(error.code) : error.message
  return `The database ${place} cannot be reached (${reason}). Is its server running, and is the address right?`
}

/** `mysql2` calls an error fatal when the connection is gone. */
function isLoss(error: Error): boolean {
  return ('fatal' in error && error.fatal === true) || ENDED.has(numberOf(error)) || isClosed(error)
}

function isClosed({ message }: Error): boolean {
  return message.startsWith("Can't add new command when connection is in closed state")
}

function numberOf(error: Error): number {
  return 'errno' in error && typeof error.errno === 'number' ? error.errno : 0
}
