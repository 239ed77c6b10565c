import {
  SENTENCES,
  type Sentence,
  type ServerFailures,
  allBusy,
  noTable,
  serverFailures,
} from '../pooled/failures.ts'

const refused: Sentence = (place) =>
  `The server of ${place} refuses this account: look at the user name and the password.`

/** The server ends the connection: shutting down, crashing, on command, or because it was idle for too long. */
const ENDED = /^(?:08...|25P0[34]|57P0[1245])$/

/** Failures of PostgreSQL by their codes (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
export const postgresFailures: ServerFailures = serverFailures<string>({
  sentences: {
    '25006': (place) =>
      `The database ${place} cannot be written: it is read-only, as a standby is. Use the address of the primary.`,
    '28000': refused,
    '28P01': refused,
    '3D000': SENTENCES.noDatabase,
    '3F000': (place) => `The schema that the connection to ${place} asks for does not exist.`,
    '40001': SENTENCES.changedMeanwhile,
    '40P01': SENTENCES.deadlock,
    '42P01': noTable(/"([^"]+)"/),
    '53100': SENTENCES.diskFull,
    '53200': (place) => `The server of ${place} is out of memory.`,
    '53300': SENTENCES.noConnections,
    '55P03': SENTENCES.locked,
    '57014': SENTENCES.cancelled,
    '57P03': (place) => `The server of ${place} is starting up or shutting down. Try again.`,
  },
  codeOf,
  // Failures of the driver, and of the system below it, have no code of the server.
  isLoss: (error) =>
    'syscall' in error ||
    ENDED.test(codeOf(error)) ||
    /^(?:Connection terminated|Client (?:was closed|has encountered))/.test(error.message),
  unreachable(place, error) {
    if (error.message === 'timeout exceeded when trying to connect') return allBusy(place).message
    return error.message.startsWith('SASL') ? refused(place, error) : null
  },
})

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
