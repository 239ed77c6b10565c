import { ConfigurationError } from '../core/errors/configuration-error.ts'
import { Message } from '../core/messages/message.ts'
import type { DeclaredValues } from '../core/ports/account-stores.ts'
import type { User } from '../core/ports/credentials.ts'
import { BoundedMap } from '../core/std/bounded-map.ts'
import { keptIn } from '../core/std/once.ts'
import type { TableFacts } from '../storage/sql/dialect.ts'
import type {
  Column,
  ColumnDefinition,
  ColumnKind,
} from '../storage/sql/migrations/column-kinds.ts'
import type { SqlDatabase } from '../storage/sql/sql-database.ts'
import { InvalidAccount } from './account-input.ts'

/** Columns of users by name: `{ clinic: column.references('clinic', { nullable: true }) }`. */
export type UserColumns = Readonly<Record<string, Column>>

/**
 * A user of accounts with these roles and columns. Without any it is a `User`.
 *
 * @example type Member = AccountUser<'doctor' | 'receptionist'>
 */
export type AccountUser<Role extends string = never, C extends UserColumns = {}> = User &
  ([Role] extends [never] ? unknown : { readonly roles: readonly Role[] }) &
  ([keyof C] extends [never] ? unknown : { readonly [Name in keyof C]: ValueOf<C[Name]> })

/** The type of a value when it is read, on every database. */
type ValueOf<C> =
  C extends Column<infer Type>
    ? Type extends { readonly __select__: infer Read; readonly __update__: infer Write }
      ? Extract<Read, Write>
      : never
    : never

/** The application's declarations for its users. */
export interface UserDeclarations<
  Role extends string = string,
  C extends UserColumns = UserColumns,
> {
  /**
   * The roles of users, beside staff and superusers: each user has any number of them. Up to 50 letters, digits, `_`, `-` and
   * `.` each.
   *
   * @default none: users have no `roles`
   */
  readonly roles?: readonly Role[]
  /**
   * Columns of your own of the table `colophon_user`, to which a migration of yours adds them: integers, references to
   * integers, floats, booleans, texts, choices and UUIDs.
   *
   * @default none
   * @example { clinic: column.references('clinic', { nullable: true }) }
   */
  readonly columns?: C
}

const ROLE = /^[A-Za-z][\w.-]{0,49}$/
/** The beginning of a scope that names a role. */
export const OF_ROLE = 'role:'
const NAME = /^[A-Za-z]\w{0,62}$/
/** Characters that the column of roles holds. */
const LONGEST_ROLES = 2000
const COMBINATIONS = 1000
/** Names that users, the audit trail and the lists of the administration have already, in either spelling. */
const TAKEN =
  /^(?:id|username|email|password|is_?(?:authenticated|active|staff|superuser)|staff|superuser|date_?joined|last_?login|roles?|own|fields|words)$/i

const SECRETS =
  /passw|passphrase|passcode|secret|token|credential|private|recovery_?code|(?<![a-z])(?:pass|passport|pwd|pin|pin_?code|t?otp|iban)s?(?![a-z])|(?<!don|hoc|joc|mon|tur|whis)keys?(?![a-z])/
const COUNTS = /_(?:at|count)$/
const BETWEEN_WORDS = /(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g

function isOfSecret(name: string): boolean {
  const words = name.replaceAll(BETWEEN_WORDS, '_').toLowerCase()
  return SECRETS.test(words) && !COUNTS.test(words)
}

/** For each kind of column: how its values are read, and which values fit it. */
const KINDS: Readonly<Partial<Record<ColumnKind, Kind>>> = {
  integer: { read: Number, fits: Number.isSafeInteger },
  float: { read: Number, fits: Number.isFinite },
  boolean: { read: Boolean, fits: (value) => typeof value === 'boolean' },
  text: { read: String, fits: isText },
  choice: { read: String, fits: (value, { values }) => values!.includes(value as string) },
  uuid: { read: String, fits: (value) => UUID.test(String(value)) },
}

interface Kind {
  readonly read: (kept: unknown) => string | number | boolean
  readonly fits: (value: unknown, column: ColumnDefinition) => boolean
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/

function isText(value: unknown, { maxLength = Infinity }: ColumnDefinition): boolean {
  if (typeof value !== 'string' || value.length > maxLength) return false
  return value.isWellFormed() && !value.includes('\0')
}

/** The values of users beside the common ones, with their reading and writing. */
export class UserShape {
  readonly roles: readonly string[]
  readonly own: Readonly<Record<string, ColumnDefinition>>
  /** Names of columns that the audit trail and lists leave out, because more people read these. */
  readonly secrets: ReadonlySet<string>
  /** Columns that are read behind those of every user. */
  readonly columns: readonly 'colophon_user.roles'[]
  /** The columns among these that lists show. */
  readonly listed: readonly 'colophon_user.roles'[]
  readonly #report: (role: string) => void
  readonly #known = new BoundedMap<string, readonly string[]>(COMBINATIONS)
  #facts: Promise<TableFacts> | null = null

  /**
   * `report` gets each role that a user has and the application does not declare.
   *
   * @throws ConfigurationError a role or a column cannot be kept
   */
  constructor(
    { roles = [], columns = {} }: UserDeclarations = {},
    report: (role: string) => void = () => {},
  ) {
    checkRoles(roles)
    this.roles = Object.freeze([...roles])
    this.own = Object.fromEntries(
      Object.entries(columns).map(([name, column]) => [name, checkedColumn(name, column)]),
    )
    const isSecret = (name: string) => columns[name]!['~secret'] ?? isOfSecret(name)
    this.secrets = new Set(Object.keys(columns).filter(isSecret))
    const names = [...(roles.length === 0 ? [] : ['roles']), ...Object.keys(columns)]
    const selected = (name: string) => `colophon_user.${name}` as 'colophon_user.roles'
    this.columns = names.map(selected)
    this.listed = names.filter((name) => !this.secrets.has(name)).map(selected)
    this.#report = report
  }

  /** The user with what the row has from `at` on. */
  read(user: User, row: readonly unknown[], at: number): User {
    const read: Record<string, unknown> = { ...user }
    let place = at
    if (this.roles.length > 0) read['roles'] = this.#rolesIn(row[place++] as string)
    for (const [name, { kind }] of Object.entries(this.own)) {
      const kept = row[place++]
      read[name] = kept === null ? null : KINDS[kind]!.read(kept)
    }
    return read as unknown as User
  }

  /** The values of an input that not every user has, checked. @throws InvalidAccount */
  checked(input: object): DeclaredValues {
    const given = input as Readonly<Record<string, unknown>>
    const values: Record<string, unknown> = {}
    const roles = this.#checkedRoles((given['roles'] ?? []) as readonly string[])
    // Without declared roles, the table need not have a column for them.
    if (given['roles'] !== undefined && this.roles.length > 0) values['roles'] = roles
    for (const [name, column] of Object.entries(this.own)) {
      const value = given[name]
      if (value === undefined) continue
      const fits = value === null ? column.nullable : KINDS[column.kind]!.fits(value, column)
      if (!fits) throw new InvalidAccount(name, Message.of('invalid.unfit'))
      values[name] = value
    }
    return values as DeclaredValues
  }

  /** Names of the values that differ from those of the user; `null`: from those of a new user. */
  changed(values: DeclaredValues, user: User | null): readonly string[] {
    const known = (user ?? this.#usual) as Readonly<Record<string, unknown>>
    // Forms send an empty text for a missing value.
    const textOf = (value: unknown) => JSON.stringify(value === '' ? null : (value ?? null))
    return Object.keys(values).filter((name) => textOf(values[name]) !== textOf(known[name]))
  }

  get #usual(): object {
    const own = Object.entries(this.own).map(([name, column]) => [name, column.default] as const)
    return { roles: [], ...Object.fromEntries(own) }
  }

  /** The table of users as it is, asked for once. */
  facts(database: Pick<SqlDatabase, 'dialect' | 'rows'>): Promise<TableFacts> {
    const table = { name: 'colophon_user', schema: null }
    this.#facts ??= database.dialect.facts(database, table).catch((error: unknown) => {
      this.#facts = null
      throw error
    })
    return this.#facts
  }

  /** The columns that the table does not have, as a sentence. */
  async lacks(database: Pick<SqlDatabase, 'dialect' | 'rows'>): Promise<string | null> {
    const names = Object.keys(this.own)
    if (names.length === 0) return null
    const { columns } = await this.facts(database)
    const missing = names.find((name) => !columns.has(name))
    if (missing === undefined) return null
    this.#facts = null
    return `defineAccounts({ columns }): colophon_user has no column "${missing}". Add it in a migration, addColumn("colophon_user", "${missing}", …), and run: colophon migrate`
  }

  /** @throws InvalidAccount one of them names a role that is not declared */
  checkScopes(scopes: readonly string[] | null): void {
    if (scopes === null || this.roles.length === 0) return
    const named = scopes.filter((scope) => scope.startsWith(OF_ROLE))
    this.#checkedRoles(
      named.map((scope) => scope.slice(OF_ROLE.length)),
      'scopes',
    )
  }

  #checkedRoles(roles: readonly string[], member = 'roles'): readonly string[] {
    const unknown = roles.find((role) => !this.roles.includes(role))
    if (unknown === undefined) return this.roles.filter((role) => roles.includes(role))
    const role = JSON.stringify(unknown.slice(0, 100))
    throw new InvalidAccount(member, Message.of('invalid.role', { role }))
  }

  /** The declared roles in a text of the table. A role that is no longer declared gives nothing. */
  #rolesIn(text: string): readonly string[] {
    return keptIn(this.#known, text, () => {
      const kept = text.split(' ').filter((role) => role !== '')
      for (const role of kept) if (!this.roles.includes(role)) this.#report(role)
      return Object.freeze(kept.filter((role) => this.roles.includes(role)))
    })
  }
}

function checkRoles(roles: readonly string[]): void {
  const wrong = roles.find((role, at) => !ROLE.test(role) || roles.indexOf(role) !== at)
  if (wrong === undefined && roles.join(' ').length <= LONGEST_ROLES) return
  throw new ConfigurationError(
    `defineAccounts({ roles }): ${JSON.stringify(wrong ?? 'the list')} cannot be kept. A role has up to 50 letters, digits, "_", "-" and ".", begins with a letter and is named once; all of them have ${LONGEST_ROLES} characters at most.`,
  )
}

function checkedColumn(name: string, { '~definition': definition }: Column): ColumnDefinition {
  if (!NAME.test(name) || TAKEN.test(name) || name in Object.prototype)
    throw new ConfigurationError(
      `defineAccounts({ columns }): "${name}" cannot be the name of a column of your own. Users or their administration have it already, or it is not made of letters, digits and "_".`,
    )
  if (KINDS[definition.kind] !== undefined) return definition
  throw new ConfigurationError(
    `defineAccounts({ columns }): "${name}" is of the kind ${definition.kind}. Users have columns of ${Object.keys(KINDS).join(', ')}: keep others in a table of your own.`,
  )
}

/** Empty if the application declares no roles. */
export function rolesOf(user: User | null): readonly string[] {
  return (user as Partial<AccountUser<string>> | null)?.roles ?? []
}

export function keptAs({ roles, ...own }: DeclaredValues): Record<string, unknown> {
  return roles === undefined ? own : { ...own, roles: roles.join(' ') }
}

/** The user as credentials with these scopes show it: with the roles that they name. `null`: with all. */
export function heldTo<U extends User>(user: U, scopes: readonly string[] | null): U {
  const roles = scopes === null ? [] : rolesOf(user)
  if (scopes === null || roles.length === 0) return user
  return { ...user, roles: roles.filter((role) => scopes.includes(`${OF_ROLE}${role}`)) }
}
