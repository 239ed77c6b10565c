import type { Attempt, Violation } from '../sql/dialect.ts'
import { columnsOf, missingValue } from '../sql/table/constraints.ts'
import {
  NO_RIGHT,
  NO_ROUTINE,
  SENTENCES,
  TAKES_NO_WRITES,
  notThere,
  type ServerFailures,
  serverFailures,
} from '../pooled/failures.ts'

/** The server shuts down, has ended the connection, or has lost the majority of its cluster (Galera: 1047). */
const ENDED: ReadonlySet<number> = new Set([1047, 1053, 1152, 1158, 1159, 1160, 1161, 1927, 4031])

const NO_FULLTEXT =
  'A full text search in % has no index: give the column one of FULLTEXT alone, or search it in another way, such as by icontains.'
const REFUSED_ACCOUNT =
  'The server of % refuses this account: look at the user name and the password, and at what it may do.'

/** By numbers (https://mariadb.com/kb/en/mariadb-error-code-reference/). */
export const mysqlFailures: ServerFailures = serverFailures({
  meanings: [
    [SENTENCES.cancelled, 1317, 1969, 3024],
    [SENTENCES.changedMeanwhile, 1020],
    [SENTENCES.deadlock, 1213],
    [SENTENCES.diskFull, 1021, 1114],
    [SENTENCES.locked, 1205],
    [SENTENCES.noConnections, 1040, 1203, 1226],
    [SENTENCES.noDatabase, 1049],
    [notThere('table', /'(?:[^']*\.)?([^'.]+)'/), 1146],
    [notThere('column', /'(?:[^']*\.)?([^'.]+)'/), 1054],
    [NO_ROUTINE, 1305],
    [NO_FULLTEXT, 1191],
    [NO_RIGHT, 1370],
    [TAKES_NO_WRITES, 1290, 1792, 1836],
    [REFUSED_ACCOUNT, 1044, 1045, 1698],
  ],
  codeOf: numberOf,
  // `mysql2` calls an error fatal when the connection is gone.
  isLoss: (error) =>
    ('fatal' in error && error.fatal === true) ||
    ENDED.has(numberOf(error)) ||
    error.message.startsWith("Can't add new command when connection is in closed state"),
})

function numberOf(error: object): number {
  return 'errno' in error && typeof error.errno === 'number' ? error.errno : 0
}

type ColumnsIn = (message: string, attempt: Attempt) => readonly string[]

/** For each kind of violation: how the error names its columns, and the numbers of the error. */
const VIOLATIONS: readonly (readonly [Violation['kind'], ColumnsIn, ...number[]])[] = [
  ['unique', (message, { facts }) => columnsOf(indexIn(message), 'unique', facts), 1062, 1586],
  [
    'does_not_exist',
    (message, { facts }) => columnsOf(constraintIn(message), 'foreign', facts),
    1216,
    1452,
  ],
  ['protected', () => [], 1217, 1451],
  ['required', (message) => [firstQuoted(message)], 1364],
  ['max_length', columnIn, 1406],
  // Out of range, truncated, of another type.
  ['invalid', columnIn, 1264, 1265, 1292, 1366, 1411, 1690, 4078],
  ['invalid', checkedIn, 3819, 4025],
]
const IS_NULL = 1048

export function violation(error: Error, attempt: Attempt): Violation | null {
  const number = numberOf(error)
  if (number === IS_NULL) return missingValue(firstQuoted(error.message), attempt)
  const found = VIOLATIONS.find(([, , ...numbers]) => numbers.includes(number))
  if (found === undefined) return null
  const [kind, columnsIn] = found
  const referring = kind === 'protected' ? referringIn(error.message) : null
  const columns = columnsIn(error.message, attempt)
  return referring === null ? { kind, columns } : { kind, columns, referring }
}

/** Errors about an invalid value in a condition, or about a pattern or characters that the column does not have. */
const REFUSED: ReadonlySet<number> = new Set([1139, 1264, 1267, 1292, 1366, 1525, 1690, 3685, 3692])

export function refusesValue(error: Error): boolean {
  return REFUSED.has(numberOf(error))
}

/** A deadlock, a row that was changed since the transaction began, or one that another node of Galera has changed. */
export function gaveUp(error: object): boolean {
  return [1213, 1020].includes(numberOf(error))
}

// Values of clients stand in these messages too, always in front of the name: it is looked for from the end.
// A server that speaks another language is not understood, and no field is named then.

/** The index in `… for key 'isbn'`; MySQL 8 has the table in front of it. */
function indexIn(message: string): string {
  return nameBetween(message, " for key '", "'") ?? ''
}

/** The column in `… for column 'pages' at row 1`, or with the names of database and table. */
function columnIn(message: string): readonly string[] {
  const name = nameBetween(message, ' for column ', ' at row ')
  return name === null ? [] : [name.replaceAll(/['`]/g, '')]
}

function nameBetween(message: string, before: string, behind: string): string | null {
  const start = message.lastIndexOf(before) + before.length
  const end = message.lastIndexOf(behind)
  if (start < before.length || end < start) return null
  return message.slice(start, end).split('.').at(-1)!
}

/** The column in `Column 'title' cannot be null`: this message contains no value. */
function firstQuoted(message: string): string {
  return message.split("'")[1] ?? ''
}

function constraintIn(message: string): string {
  return message.split('CONSTRAINT `')[1]?.split('`')[0] ?? ''
}

/** `… fails (`app`.`visit`, CONSTRAINT …`: the table whose rows refer to this one. */
function referringIn(message: string): string | null {
  return /\(`[^`]*`\.`([^`]+)`, CONSTRAINT `/.exec(message)?.[1] ?? null
}

/** The column of a check, after which the check is called. */
function checkedIn(message: string, { facts }: Attempt): readonly string[] {
  const name = constraintIn(message).split('.').at(-1)!
  return facts.columns.has(name) ? [name] : []
}
