import {
  SENTENCES,
  type Sentence,
  type ServerFailures,
  noTable,
  serverFailures,
} from '../pooled/failures.ts'

const refused: Sentence = (place) =>
  `The server of ${place} refuses this account: look at the user name and the password, and at what it may do.`

const readOnly: Sentence = (place) =>
  `The database ${place} cannot be written: it is read-only, as a replica is. Use the address of the primary.`

/** The server shuts down, or has ended the connection. */
const ENDED: ReadonlySet<number> = new Set([1053, 1152, 1158, 1159, 1160, 1161, 1927, 4031])

/** Failures of MySQL and MariaDB by their numbers (https://mariadb.com/kb/en/mariadb-error-code-reference/). */
export const mysqlFailures: ServerFailures = serverFailures<number>({
  sentences: {
    1020: SENTENCES.changedMeanwhile,
    1021: SENTENCES.diskFull,
    1040: SENTENCES.noConnections,
    1044: refused,
    1045: refused,
    1049: SENTENCES.noDatabase,
    1114: SENTENCES.diskFull,
    1146: noTable(/'(?:[^']*\.)?([^'.]+)'/),
    1203: SENTENCES.noConnections,
    1205: SENTENCES.locked,
    1213: SENTENCES.deadlock,
    1226: SENTENCES.noConnections,
    1290: readOnly,
    1317: SENTENCES.cancelled,
    1698: refused,
    1792: readOnly,
    1836: readOnly,
    1969: SENTENCES.cancelled,
    3024: SENTENCES.cancelled,
  },
  codeOf: numberOf,
  // `mysql2` calls an error fatal when the connection is gone.
  isLoss: (error) =>
    ('fatal' in error && error.fatal === true) ||
    ENDED.has(numberOf(error)) ||
    error.message.startsWith("Can't add new command when connection is in closed state"),
})

function numberOf(error: Error): number {
  return 'errno' in error && typeof error.errno === 'number' ? error.errno : 0
}
