import type { MigrationStatus } from '../ports/database.ts'

/** The user name exists already; nothing was written. */
export class UsernameTaken extends Error {
  override readonly name = 'UsernameTaken'

  constructor(username: string) {
    super(`There is a user named "${username}" already.`)
  }
}

/** The database cannot be used as it is: locked, read-only, missing, or not migrated. The message says what to do. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable'
}

/** A file has no directory: such a database does not come back, so a server does not start without it. */
export class DirectoryMissing extends DatabaseUnavailable {}

/** One counter cannot be used, as where another program has its key; others can. */
export class CounterUnusable extends DatabaseUnavailable {}

/**
 * A statement names a table or column that does not exist. Most often a migration has not been run, so the request is
 * answered as if the database were away.
 */
export class NotMigrated extends DatabaseUnavailable {
  readonly what: 'table' | 'column'

  /** `name` is the table or column. `place` names the database; `''` stands for the only one. */
  constructor(what: 'table' | 'column', name: string, place: string, cause?: unknown) {
    const database = place === '' ? 'The database' : `The database ${place}`
    super(`${database} has no ${what} "${name}". ${REMEDIES[what](name)}`, { cause })
    this.what = what
  }
}

const REMEDIES = {
  table: (name: string): string =>
    name.startsWith('colophon_')
      ? 'Run the migrations first: colophon migrate, in a test database.migrate(). If they make no such table, name what you use in defineAccounts({ uses }).'
      : `If a migration of yours makes it, run: colophon migrate. Else write one: createTable("${name}", …), see docs/migrations.md.`,
  column: (): string =>
    'If a migration of yours makes it, run: colophon migrate. Else add it with addColumn, or correct the name, such as that of a field or its source.',
}

/** The migrations of an application cannot be run as they are, or one of them failed. The message says what was kept. */
export class MigrationFailed extends Error {
  override readonly name = 'MigrationFailed'
}

/** The names of the migrations that are in one of these states. */
export function migrationsThatAre(
  statuses: readonly MigrationStatus[],
  ...states: readonly MigrationStatus['state'][]
): readonly string[] {
  return statuses.flatMap(({ name, state }) => (states.includes(state) ? [name] : []))
}

/** Why neither `migrate` nor a server may go on; `null`: both may. */
export function changedSinceApplied(statuses: readonly MigrationStatus[]): string | null {
  const changed = migrationsThatAre(statuses, 'changed')
  if (changed.length === 0) return null
  return `These migrations changed after they were applied: ${changed.join(', ')}. Put them back as they were, and make the change in a new migration. docs/migrations.md says how to accept one.`
}

/** The database's objection to writing or deleting a row. */
export type ViolationKind =
  | 'unique'
  /** It refers to a row that is not there. */
  | 'does_not_exist'
  | 'null'
  /** No value was given, and the column has no default. */
  | 'required'
  /** A text is too long. */
  | 'max_length'
  /** A CHECK, or a value that the column cannot hold: none of its type, or out of its range. */
  | 'invalid'
  /** Other rows refer to it. */
  | 'protected'

/** A constraint of the database forbids the write, and nothing was written. The cause is the driver's error. */
export class ConstraintViolation extends Error {
  override readonly name = 'ConstraintViolation'
  readonly kind: ViolationKind
  readonly table: string
  /** The columns that it is about; none where the database does not say. */
  readonly columns: readonly string[]
  /** For `protected`: the table whose rows refer to this one; `null`: the database does not say. */
  readonly referring: string | null

  constructor(
    kind: ViolationKind,
    about: {
      readonly table: string
      readonly columns: readonly string[]
      readonly referring?: string | undefined
      readonly cause?: unknown
    },
  ) {
    const { table, columns, referring = null, cause } = about
    const where = columns.length === 0 ? table : `${table} (${columns.join(', ')})`
    const by = referring === null ? '' : ` by ${referring}`
    super(`The database refuses a row of ${where}: ${kind}${by}.`, { cause })
    this.kind = kind
    this.table = table
    this.columns = columns
    this.referring = referring
  }
}
