// The meaning of Prisma's errors, for all operations.
import { DatabaseUnavailable } from '../../core/errors/storage-errors.ts'

/** The cause of an error, from the adapter. */
export interface Cause {
  readonly kind?: string
  readonly originalCode?: string
  readonly state?: string
  readonly constraint?: { readonly fields?: readonly string[]; readonly index?: string }
  readonly column?: string
}

export interface PrismaError extends Error {
  readonly code?: string
  readonly meta?: {
    readonly driverAdapterError?: { readonly cause?: Cause }
    readonly column_name?: string
  }
}

/** Prisma would not ask this of the database. */
export function isInvalid(error: unknown): boolean {
  return error instanceof Error && error.name === 'PrismaClientValidationError'
}

/** The database is not reached, has no connection or transaction free in time, or gave up a deadlock. */
const AWAY: ReadonlySet<unknown> = new Set(
  'P1001 P1002 P1008 P1017 P2024 P2028 P2034 P2037 DatabaseNotReachable ConnectionClosed SocketTimeout TooManyConnections 45028'.split(
    ' ',
  ),
)

/** @throws DatabaseUnavailable as of all other stores */
export async function unlessAway<T>(work: PromiseLike<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const { code, meta } = error as PrismaError
    const { kind, originalCode, state } = meta?.driverAdapterError?.cause ?? {}
    const isAway =
      error.name === 'PrismaClientInitializationError' ||
      [code, kind, originalCode].some((each) => AWAY.has(each)) ||
      [state, originalCode].some((each) => String(each).startsWith('08'))
    if (!isAway) throw error
    throw new DatabaseUnavailable(
      `The database of the client of Prisma cannot be used now: ${code ?? error.name}.`,
      { cause: error },
    )
  }
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

const UNFIT: ReadonlySet<string> = new Set([
  'P2007',
  'P2020',
  'P2023',
  'InvalidInputValue',
  'ValueOutOfRange',
])
