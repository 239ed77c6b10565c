// The meaning of Prisma's errors, for all operations.
import { DatabaseUnavailable, NotMigrated } from '../../core/errors/storage-errors.ts'
import { mysqlFailures } from '../mysql/failures.ts'
import { AllBusy } from '../pooled/failures.ts'
import { postgresFailures } from '../postgres/failures.ts'
import { isBusy } from '../postgres/pool.ts'

/** The cause of an error, from the adapter. */
export interface Cause {
  readonly kind?: string
  readonly originalCode?: string
  readonly originalMessage?: string
  readonly state?: string
  readonly constraint?: { readonly fields?: readonly string[]; readonly index?: string }
  readonly column?: string
}

export interface PrismaError extends Error {
  readonly code?: string
  readonly meta?: { readonly driverAdapterError?: { readonly cause?: Cause } }
}

/** Prisma would not ask this of the database. */
export function isInvalid(error: unknown): boolean {
  return error instanceof Error && error.name === 'PrismaClientValidationError'
}

/** In words of Prisma and its adapters: not reached, no connection or transaction free in time, no account, no table, a deadlock. */
const AWAY: ReadonlySet<unknown> = new Set(
  'P1000 P1001 P1002 P1003 P1008 P1017 P2021 P2022 P2024 P2028 P2034 P2037 DatabaseNotReachable ConnectionClosed SocketTimeout TableDoesNotExist ColumnNotFound 45028'.split(
    ' ',
  ),
)

/** In words of SQLite, and of libSQL where it cannot open the file. */
const NO_FILE = /^(?:ConnectionFailed\(|SQLITE_(?:READONLY|IOERR|CORRUPT|FULL|CANTOPEN|NOTADB))/

/** @throws DatabaseUnavailable as of all other stores */
export async function unlessAway<T>(work: PromiseLike<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    const reason = error instanceof Error ? absence(error) : null
    if (reason === null) throw error
    throw new DatabaseUnavailable(reason, { cause: error })
  }
}

function absence(error: PrismaError): string | null {
  const { name, code, meta } = error
  const cause = meta?.driverAdapterError?.cause ?? {}
  const isAway =
    name === 'PrismaClientInitializationError' ||
    [code, cause.kind, cause.originalCode].some((each) => AWAY.has(each)) ||
    cause.state?.startsWith('08') === true ||
    [cause.originalCode, cause.originalMessage, error.message].some((each) =>
      NO_FILE.test(each ?? ''),
    )
  const sentence = sentenceOf(error, cause)
  if (!isAway || sentence !== null) return sentence
  return `The database of the client of Prisma cannot be used now: ${code ?? name}.`
}

/** The sentence of a server's failure, as the drivers of Colophon recognise it. */
function sentenceOf({ message }: Error, { originalCode, originalMessage }: Cause): string | null {
  const error = Object.assign(new Error(originalMessage ?? message), {
    code: originalCode,
    errno: Number(originalCode),
  })
  if (isBusy(error)) return new AllBusy('Prisma').message
  const meanings = [postgresFailures, mysqlFailures].map((server) =>
    server.translated(error, 'Prisma'),
  )
  const found = meanings.find((each) => each instanceof DatabaseUnavailable)
  // What remedies its tables, Colophon does not know.
  return found === undefined || found instanceof NotMigrated ? null : found.message
}

/** Does the row not exist? */
function isGone(error: unknown): boolean {
  return error instanceof Error && (error as PrismaError).code === 'P2025'
}

/** `null`: the row does not exist, or its column refuses the key. */
export async function unlessGone<T>(
  work: Promise<T>,
  isNone: (error: unknown) => boolean = isGone,
): Promise<T | null> {
  try {
    return await work
  } catch (error) {
    if (isNone(error)) return null
    throw error
  }
}

/** A value that the column cannot have, though the field could: PostgreSQL has types that Prisma does not tell apart. */
export function refusesValue(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code = '', meta } = error as PrismaError
  const { kind = '', originalCode = '' } = meta?.driverAdapterError?.cause ?? {}
  return UNFIT.has(code) || UNFIT.has(kind) || originalCode.startsWith('22')
}

/** P2023 is none of them: it is a row that is there, and that Prisma cannot read. */
const UNFIT: ReadonlySet<string> = new Set([
  'P2007',
  'P2020',
  'InvalidInputValue',
  'ValueOutOfRange',
])
