import type { Attempt, ColumnOfTable, Constraint, Violation } from '../sql/dialect.ts'
import type { DatabaseUnavailable } from '../../core/errors/storage-errors.ts'
import { isBusy } from './pool.ts'
import { columnsOf, missingValue } from '../sql/table/constraints.ts'
import {
  AllBusy,
  NO_RIGHT,
  NO_ROUTINE,
  SENTENCES,
  type ServerFailures,
  TAKES_NO_WRITES,
  notThere,
  serverFailures,
} from '../pooled/failures.ts'

/** The server ends the connection: shutting down, crashing, on command, or because it was idle. */
const ENDED = /^(?:08...|25P0[34]|57P0[1245])$/

const REFUSED_ACCOUNT =
  'The server of % refuses this account: look at the user name and the password.'

const POOLER =
  'A prepared statement is not where it was made: a pooler in front of % gives each transaction another connection. Say so in the address: ?pooler=transaction.'

/** By codes (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
export const postgresFailures: ServerFailures = serverFailures({
  meanings: [
    [SENTENCES.cancelled, '57014'],
    [SENTENCES.changedMeanwhile, '40001'],
    [SENTENCES.deadlock, '40P01'],
    [SENTENCES.diskFull, '53100'],
    [SENTENCES.locked, '55P03'],
    [SENTENCES.noConnections, '53300'],
    [SENTENCES.noDatabase, '3D000'],
    [notThere('table', /"([^"]+)"/), '42P01'],
    // The name stands in quotation marks, or without them behind that of its table.
    [notThere('column', /"([^"]+)"|(?<= )\w+\.(\w+)/), '42703'],
    [NO_ROUTINE, '42883'],
    [NO_RIGHT, '42501'],
    [REFUSED_ACCOUNT, '28000', '28P01'],
    [POOLER, '26000', '42P05'],
    [TAKES_NO_WRITES, '25006'],
    ['The schema that the connection to % asks for does not exist.', '3F000'],
    ['The server of % is out of memory.', '53200'],
    ['The server of % is starting up or shutting down. Try again.', '57P03'],
  ],
  codeOf,
  // Failures of the driver, and of the system below it, have no code of the server.
  isLoss: (error) =>
    'syscall' in error ||
    ENDED.test(codeOf(error)) ||
    /^(?:Connection terminated|Client (?:was closed|has encountered))/.test(error.message),
  unreachable(place, error) {
    if (isBusy(error)) return new AllBusy(place, { cause: error })
    return error.message.startsWith('SASL') ? REFUSED_ACCOUNT.replace('%', () => place) : null
  },
})

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : ''
}

/** Time-outs, connections, memory, the disk. */
const TOO_MUCH = /^(?:57014|53...|55P03)$/

/** Did a statement ask too much of its server, so that it would do the same to another one? */
export function isTooMuch(error: DatabaseUnavailable): boolean {
  const { cause } = error
  return error instanceof AllBusy || (cause instanceof Error && TOO_MUCH.test(codeOf(cause)))
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

/** The members of an error that are the same in every language. */
interface PostgresError extends Error {
  readonly code?: string
  readonly table?: string
  readonly column?: string
  readonly constraint?: string
  readonly position?: string
}

type Explain = (error: PostgresError, attempt: Attempt) => Violation | null

const ofKind =
  (kind: Constraint['kind'], broken: Violation['kind']): Explain =>
  ({ constraint, table }, attempt) => ({
    kind: broken,
    columns: table === attempt.table ? columnsOf(constraint, kind, attempt.facts) : [],
  })

const CODES: Readonly<Record<string, Explain>> = {
  '22001': (_error, attempt) => ({ kind: 'max_length', columns: writtenAmong(attempt, isTooLong) }),
  '23502': ({ column = '' }, attempt) => missingValue(column, attempt),
  '23503': refers,
  '23505': ofKind('unique', 'unique'),
  '23514': ofKind('check', 'invalid'),
  '23P01': ofKind('unique', 'unique'),
}

/** Values that cannot be read: out of range, no date, no text, no regular expression. */
const UNREADABLE = /^22(?:003|007|008|009|015|021|P02|P05)$/
const REFUSED = /^22(?:003|007|008|009|015|021|P02|P03|01B)$/

export function violation(error: PostgresError, attempt: Attempt): Violation | null {
  const { code = '', table = attempt.table } = error
  if (code === '23502' && table !== attempt.table) return null
  if (UNREADABLE.test(code)) return { kind: 'invalid', columns: unfitAmong(attempt, code) }
  return Object.hasOwn(CODES, code) ? CODES[code]!(error, attempt) : null
}

export function refusesValue({ code = '', position }: PostgresError): boolean {
  return REFUSED.test(code) || (code === SYNTAX && position === undefined)
}

/** A syntax error. It has a position if it is in a statement, and none if it is in a value, as of a `tsvector`. */
const SYNTAX = '42601'

/** A deadlock, or a transaction that saw what another one has changed since. */
export function gaveUp(error: Partial<PostgresError>): boolean {
  return isDeadlock(error) || error.code === '40001'
}

/**
 * The only failure for which a statement of its own is repeated. A standby says 40001 of a read that it ends to follow its
 * primary, and would end the read again.
 */
export function isDeadlock({ code }: Partial<PostgresError>): boolean {
  return code === '40P01'
}

/** The violation of a reference. If other rows refer to the row, the error names their table and their constraint. */
function refers({ constraint, table }: PostgresError, attempt: Attempt): Violation {
  const columns = columnsOf(constraint, 'foreign', attempt.facts)
  const isOurs = table === attempt.table && columns.length > 0 && attempt.verb !== 'delete'
  if (isOurs) return { kind: 'does_not_exist', columns }
  // No row refers to a new one, so the reference is that of a row that was written with it.
  if (attempt.verb === 'insert') return { kind: 'does_not_exist', columns: [] }
  return { kind: 'protected', columns: [], ...(table !== undefined && { referring: table }) }
}

/** Columns whose written values may be the wrong one: the server does not say which value it was. */
function writtenAmong(
  { values, facts }: Attempt,
  isWrong: (value: unknown, column: ColumnOfTable) => boolean,
): readonly string[] {
  return Object.entries(values).flatMap(([name, value]) => {
    const column = facts.columns.get(name)
    return column !== undefined && value !== null && isWrong(value, column) ? [name] : []
  })
}

/**
 * Columns with values that do not fit. Where the server alone can judge, as the size of a number, a column is named if it is
 * the only one of that kind.
 */
function unfitAmong(attempt: Attempt, code: string): readonly string[] {
  const unfit = writtenAmong(attempt, isUnfit)
  if (unfit.length > 0) return unfit
  const types = code === '22003' ? NUMBERS : JUDGED
  const others = writtenAmong(attempt, (_value, { type }) => types.has(type))
  return others.length === 1 ? others : []
}

const NUMBERS: ReadonlySet<string> = new Set(['numeric', 'float4', 'float8', 'json', 'jsonb'])
const JUDGED: ReadonlySet<string> = new Set(['json', 'jsonb'])

function isTooLong(value: unknown, { maxLength }: ColumnOfTable): boolean {
  return maxLength !== null && typeof value === 'string' && [...value].length > maxLength
}

const BITS: Readonly<Record<string, number>> = { int2: 15, int4: 31 }

function isUnfit(value: unknown, { kind, type }: ColumnOfTable): boolean {
  if (typeof value === 'object' || JUDGED.has(type)) return false
  const meant = kind.meant(value)
  if (meant === undefined) return true
  const bits = BITS[type]
  if (bits === undefined) return false
  const [number, end] = [BigInt(meant as number | bigint), 2n ** BigInt(bits)]
  return number < -end || number >= end
}
