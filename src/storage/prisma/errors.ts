// Prisma's errors about a row that the database refuses, as errors about its fields.
import { ConfigurationError } from '../../core/errors/configuration-error.ts'
import { ConstraintViolation, type ViolationKind } from '../../core/errors/storage-errors.ts'
import { isOpenHere } from '../sqlite/address.ts'
import { type Cause, type PrismaError, isInvalid, refusesValue, unlessAway } from './failures.ts'
import type { PrismaModel } from './model.ts'
import type { KnownClient, PrismaRow } from './types.ts'

export interface Attempted {
  readonly verb: 'insert' | 'update' | 'delete'
  readonly model: PrismaModel
  readonly values: PrismaRow
  /** A transaction of PostgreSQL that has failed answers nothing more: its model has learnt what is needed. */
  readonly client: KnownClient
  /** Runs work in the transaction that there is, or in one of its own. */
  within(work: (client: KnownClient) => Promise<never>): Promise<never>
}

/** The error as `ConstraintViolation`, where it is about the row; else as it is. */
export async function explainedError(error: unknown, attempted: Attempted): Promise<unknown> {
  if (!(error instanceof Error)) return error
  if (isInvalid(error)) return ofArgument(error, attempted)
  const { code, meta } = error as PrismaError
  const cause = meta?.driverAdapterError?.cause ?? {}
  const found =
    (await violationOf(code, cause, attempted)) ??
    (refusesValue(error) ? (['invalid', []] as const) : null)
  if (found === null) return error
  const [kind, columns] = found
  const { model } = attempted
  const fields = columns.map((column) => model.byColumn(column)?.name)
  const known = fields.includes(undefined) ? [] : (fields as string[])
  return new ConstraintViolation(kind, { table: model.table, columns: known, cause: error })
}

type Found = readonly [kind: ViolationKind, columns: readonly string[]] | null

/** Codes of a failed CHECK: PostgreSQL, MariaDB, MySQL and SQLite. */
const CHECKS: ReadonlySet<string> = new Set(['23514', '4025', '3819', '275'])

async function violationOf(
  code: string | undefined,
  cause: Cause,
  attempted: Attempted,
): Promise<Found> {
  if (CHECKS.has(String(cause.originalCode))) return ['invalid', []]
  switch (code) {
    case 'P2002':
      return ['unique', await constrained(cause, attempted)]
    case 'P2003':
    case 'P2014':
      if (attempted.verb === 'delete') return ['protected', []]
      return ['does_not_exist', await lacking(cause, attempted)]
    case 'P2011':
      return missing(await constrained(cause, attempted), attempted)
    case 'P2000':
      return ['max_length', await tooLong(cause, attempted)]
    default:
      return null
  }
}

function missing(columns: readonly string[], { model, values }: Attempted): Found {
  const [column] = columns
  // The violation may be of another table, which a trigger has written.
  if (column === undefined) return null
  const field = model.byColumn(column)?.name ?? ''
  return [values[field] === undefined ? 'required' : 'null', [column]]
}

/** The columns of the constraint, in the names of the database. */
async function constrained(
  { constraint, column }: Cause,
  { model, client }: Attempted,
): Promise<readonly string[]> {
  if (constraint?.fields !== undefined)
    return constraint.fields.map((name) => name.replace(/^["`](.*)["`]$/, '$1'))
  if (column !== undefined) return [column]
  const name = constraint?.index
  if (name === undefined) return []
  const constraints = await model.constraints(client)
  return constraints.get(name.slice(name.lastIndexOf('.') + 1)) ?? []
}

/** SQLite names no constraint: the reference whose row is not there. */
async function lacking(cause: Cause, attempted: Attempted): Promise<readonly string[]> {
  const { model, values, client } = attempted
  if (model.provider !== 'sqlite') return constrained(cause, attempted)
  const rows = await client.$queryRawUnsafe(`pragma foreign_key_list(${model.quoted(model.table)})`)
  const references = Map.groupBy(rows, ({ id }) => Number(id))
  for (const parts of references.values()) {
    const columns = parts.map(({ from }) => String(from))
    const given = columns.map((column) => values[model.byColumn(column)?.name ?? ''])
    if (given.some((value) => value == null)) continue
    const table = String(parts[0]!['table'])
    const keys = await client.$queryRawUnsafe(KEYS, table)
    // Without columns, a reference is to the primary key.
    const theirs = parts.map(({ to }, at) => model.quoted(String(to ?? keys[at]!['name'])))
    const found = await client.$queryRawUnsafe(
      `select 1 as one from ${model.quoted(table)} where ${theirs.map((each) => `${each} = ?`).join(' and ')}`,
      ...given,
    )
    if (found.length === 0) return columns
  }
  return []
}

const KEYS = 'select name from pragma_table_info(?) where pk > 0 order by pk'

/** PostgreSQL names no column: the one whose text is longer than it may be. */
async function tooLong(
  { column }: Cause,
  { model, values }: Attempted,
): Promise<readonly string[]> {
  if (column !== undefined) return [column]
  const facts = await model.columns()
  const long = [...model.fields.values()].filter(({ name, column: own }) => {
    const [value, most] = [values[name], facts.get(own)?.length ?? null]
    return typeof value === 'string' && most !== null && [...value].length > most
  })
  return long.length === 1 ? [long[0]!.column] : []
}

/** Refusals by Prisma itself, before the database sees the row. */
async function ofArgument(error: unknown, attempted: Attempted): Promise<unknown> {
  const { verb, model, values } = attempted
  const [, name = ''] = ARGUMENT.exec((error as Error).message) ?? []
  if (name === '') return error
  // The error names a relation by its name; where rows are made of plain values, it names the field.
  if (!model.fields.has(name))
    return verb === 'insert' && model.relations.has(name) ? ofPlainRow(error, attempted) : error
  const value = values[name]
  const isName = value !== null && model.field(name).isEnum
  const kind = value === undefined ? 'required' : isName ? 'invalid' : 'null'
  return new ConstraintViolation(kind, { table: model.table, columns: [name], cause: error })
}

/** At the end: before it stand values of the client. */
const ARGUMENT = /argument `(\w+)`(?: is missing| must not be null|\. Expected \w+)\.$/i

/** Tries plain values, of which the error names the field. Nothing is written, even if Prisma should take the row. */
async function ofPlainRow(error: unknown, attempted: Attempted): Promise<unknown> {
  const { model, values, within } = attempted
  try {
    await within(async (client) => {
      await model.in(client).createMany({ data: values })
      throw error
    })
  } catch (plain) {
    if (plain !== error && isInvalid(plain)) {
      const [, name = ''] = ARGUMENT.exec((plain as Error).message) ?? []
      if (model.fields.has(name)) return ofArgument(plain, attempted)
    }
  }
  return error
}

// A client on SQLite that would lose rows or numbers without an error.

/** @throws ConfigurationError it shares its file with Colophon, or cannot read what clients may write */
export async function checkSqlite(model: PrismaModel, client: KnownClient): Promise<void> {
  if (model.provider !== 'sqlite') return
  const files = await unlessAway(client.$queryRawUnsafe('pragma database_list'))
  const shared = files.find(({ file }) => isOpenHere(String(file)))
  if (shared !== undefined)
    throw new ConfigurationError(
      `prismaTable(): Prisma and Colophon both open ${String(shared['file'])}, each with a library of SQLite that does not see the locks of the other: rows get lost. Give Colophon another file, by DATABASE_URL or openSqlite().`,
    )
  const large = [...model.fields.values()].find(({ type }) => type === 'BigInt')
  if (large === undefined || (await readsLarge(client))) return
  throw new ConfigurationError(
    `prismaTable(): the adapter reads no number beyond 2 ** 53, which "${large.name}" of the model "${model.name}" may be. Give it intMode: new PrismaLibSql({ url, timeout: 5000, intMode: 'bigint' }).`,
  )
}

async function readsLarge(client: KnownClient): Promise<boolean> {
  const large = 2n ** 53n + 1n
  try {
    const [row] = await unlessAway(client.$queryRawUnsafe(`select ${large} as one`))
    return row?.['one'] === large
  } catch (error) {
    if (/safely represented/.test(String(error))) return false
    throw error
  }
}
