import { ConfigurationError } from '../core/errors/configuration-error.ts'
import { Message } from '../core/messages/message.ts'
import type { DeclaredValues } from '../core/ports/account-stores.ts'
import type { User } from '../core/ports/credentials.ts'
import { BoundedMap } from '../core/std/bounded-map.ts'
import { InvalidAccount } from './account-input.ts'

/**
 * A user of accounts with these roles: `AccountUser<'doctor' | 'receptionist'>`. Without roles it is a `User`.
 *
 * @example type Member = AccountUser<'doctor' | 'receptionist'>
 */
export type AccountUser<Role extends string = never> = [Role] extends [never]
  ? User
  : User & { readonly roles: readonly Role[] }

/** What the application declares of its users. */
export interface UserDeclarations<Role extends string = string> {
  /**
   * What users may be, beside staff and superusers: each has any number of them. Up to 50 letters, digits, `_`, `-` and
   * `.` each.
   *
   * @default none: users have no `roles`
   */
  readonly roles?: readonly Role[]
}

const ROLE = /^[A-Za-z][\w.-]{0,49}$/
/** Characters that the column has. */
const LONGEST_ROLES = 2000
/** Combinations that are remembered. */
const COMBINATIONS = 1000

/** What users have beside what every user has, how it is read, and what may be written. */
export class UserShape {
  readonly roles: readonly string[]
  /** What is read behind the columns of every user. */
  readonly columns: readonly 'colophon_user.roles'[]
  readonly #report: (role: string) => void
  readonly #known = new BoundedMap<string, readonly string[]>(COMBINATIONS)

  /**
   * `report` gets each role that a user has and the application does not declare.
   *
   * @throws ConfigurationError a role cannot be kept
   */
  constructor({ roles = [] }: UserDeclarations = {}, report: (role: string) => void = () => {}) {
    const wrong = roles.find((role, at) => !ROLE.test(role) || roles.indexOf(role) !== at)
    if (wrong !== undefined || roles.join(' ').length > LONGEST_ROLES)
      throw new ConfigurationError(
        `defineAccounts({ roles }): ${JSON.stringify(wrong ?? 'the list')} cannot be kept. A role has up to 50 letters, digits, "_", "-" and ".", begins with a letter and is named once; all of them have ${LONGEST_ROLES} characters at most.`,
      )
    this.roles = Object.freeze([...roles])
    this.columns = roles.length === 0 ? [] : ['colophon_user.roles']
    this.#report = report
  }

  /** The user with what the row has from `at` on. */
  read(user: User, row: readonly unknown[], at: number): User {
    return this.columns.length === 0 ? user : withRoles(user, this.#rolesIn(row[at] as string))
  }

  /** Of the input for a user, what not every user has. @throws InvalidAccount */
  checked(input: object): DeclaredValues {
    const { roles } = input as DeclaredValues
    if (roles === undefined) return {}
    const unknown = roles.find((role) => !this.roles.includes(role))
    if (unknown !== undefined) {
      const role = JSON.stringify(unknown.slice(0, 100))
      throw new InvalidAccount('roles', Message.of('invalid.role', { role }))
    }
    return { roles: this.roles.filter((role) => roles.includes(role)) }
  }

  /** A role that is not declared any more gives nothing. */
  #rolesIn(text: string): readonly string[] {
    const known = this.#known.get(text)
    if (known !== undefined) return known
    const kept = text.split(' ').filter((role) => role !== '')
    for (const role of kept) if (!this.roles.includes(role)) this.#report(role)
    const roles = Object.freeze(kept.filter((role) => this.roles.includes(role)))
    this.#known.set(text, roles)
    return roles
  }
}

/** As columns. */
export function keptAs({ roles }: DeclaredValues): Record<string, unknown> {
  return roles === undefined ? {} : { roles: roles.join(' ') }
}

/** None where the application declares none. */
export function rolesOf(user: User | null): readonly string[] {
  return (user as Partial<AccountUser<string>> | null)?.roles ?? []
}

function withRoles(user: User, roles: readonly string[]): AccountUser<string> {
  return { ...user, roles }
}
