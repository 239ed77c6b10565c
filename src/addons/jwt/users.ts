import type { Accounts } from '../../accounts/create-accounts.ts'
import { ACCOUNT_LIMITS } from '../../accounts/account-input.ts'
import type { UserInput } from '../../accounts/account-input.ts'
import type { User } from '../../core/ports/credentials.ts'
import { AuthenticationFailed, ValidationError } from '../../core/errors/api-errors.ts'
import { ConfigurationError } from '../../core/errors/configuration-error.ts'
import { UsernameTaken } from '../../core/errors/storage-errors.ts'
import { sha256 } from '../../core/secrets/digest.ts'

/** The claims of a token (RFC 7519). */
export interface Claims {
  readonly iss: string
  readonly sub: string
  readonly aud: string | readonly string[]
  /** Seconds since 1970. */
  readonly exp: number
  readonly iat?: number
  readonly [name: string]: unknown
}

/** Roles of this service that claims give. Claims outside of the map give none. */
export interface ClaimedRoles<Role extends string = string> {
  /** The claim, or the way to it: `'roles'`, `['realm_access', 'roles']`. A text, or a list of texts. */
  readonly claim: string | readonly string[]
  /** Ours by what the provider calls it: `{ 'billing-admin': 'manager' }`. */
  readonly map: Readonly<Record<string, Role>>
}

/** A user without an account: as much as the token says. */
export interface ClaimsUser<Role extends string = never> {
  readonly isAuthenticated: true
  readonly isActive: true
  readonly isStaff: false
  readonly isSuperuser: false
  /** Issuer and subject: no two users share one. */
  readonly id: string
  /** The subject. */
  readonly username: string
  readonly roles: readonly Role[]
}

/**
 * Users of the claims alone, without accounts. They are valid as long as their token.
 *
 * @example
 * const user = claimsUser({ roles: { claim: 'roles', map: { 'billing-admin': 'manager' } } })
 * new JWTAuthentication({ issuer, audience, jwks, user })
 */
export function claimsUser<const Role extends string = never>({
  roles,
}: { readonly roles?: ClaimedRoles<Role> } = {}): (claims: Claims) => ClaimsUser<Role> {
  return (claims) => ({
    isAuthenticated: true,
    isActive: true,
    isStaff: false,
    isSuperuser: false,
    id: `${claims.iss}#${claims.sub}`,
    username: claims.sub,
    roles: roles === undefined ? [] : rolesOf(claims, roles),
  })
}

/** The roles that users of the accounts may have. */
type RoleOf<U> = U extends { readonly roles: readonly (infer Role extends string)[] } ? Role : never

/** Options for finding the account of claims. */
export interface AccountUserOptions<U extends User = User> {
  /**
   * The user name of the account. Never take it from what users may change at the provider, such as their address: they
   * would get the accounts of others. Nor may anyone be able to register under such a name here.
   *
   * @default issuer and subject, as `id.example.com/#ada`; their SHA-256 where a user name cannot hold them. An account of
   * that name with a password is refused: a stranger may have registered it
   */
  readonly name?: (claims: Claims) => string
  /**
   * Makes an account at the first request of a user: `true`, or what beside the name it is made from. Nothing makes staff
   * or superusers. @default false
   */
  readonly create?:
    | boolean
    | ((
        claims: Claims,
      ) => Omit<UserInput<U>, 'username' | 'password' | 'isStaff' | 'isSuperuser' | 'isActive'>)
  /** Roles for the request instead of those of the account, which are not changed. @default those of the account */
  readonly roles?: ClaimedRoles<RoleOf<U>>
}

/** The account that a token would get may be that of another. */
export class AccountTaken extends AuthenticationFailed {
  readonly account: number

  constructor(account: number) {
    super()
    this.account = account
  }
}

/**
 * Users with accounts. The account is looked up in each request: one that is deactivated is refused at once.
 *
 * @example
 * new JWTAuthentication({ issuer, audience, jwks, user: accountUser(accounts, { create: true }) })
 *
 * @throws ConfigurationError the map of roles names one that the accounts do not declare
 */
export function accountUser<U extends User>(
  accounts: Pick<Accounts<U>, 'users' | 'roles'>,
  { name, create = false, roles }: AccountUserOptions<U> = {},
): (claims: Claims) => Promise<U | null> {
  if (roles !== undefined) refuseUndeclared(roles, accounts.roles)
  return async (claims) => {
    const username = (name ?? accountNameOf)(claims)
    // User names are normalised: "adª" would be the account of "ada".
    if (typeof username !== 'string' || username.normalize('NFKC') !== username) return null
    const found = await find(username)
    const user = found ?? (create === false ? null : await made(username, claims))
    if (user === null || user.username !== username) return null
    return roles === undefined ? user : { ...user, roles: rolesOf(claims, roles) }
  }

  /** Anyone may register a foreseeable name, and would then know its password. */
  async function find(username: string): Promise<U | null> {
    const found = await accounts.users.lookUp(username)
    if (name === undefined && found?.hasPassword) throw new AccountTaken(found.user.id)
    return found?.user ?? null
  }

  async function made(username: string, claims: Claims): Promise<U | null> {
    const given = typeof create === 'function' ? create(claims) : {}
    const input = { ...given, username, password: null, isStaff: false, isSuperuser: false }
    try {
      return await accounts.users.create(input as unknown as UserInput<U>)
    } catch (error) {
      // Two first requests make one account between them.
      if (error instanceof UsernameTaken) return find(username)
      // The claims do not fit: no fault of this request's body.
      if (error instanceof ValidationError) return null
      throw error
    }
  }
}

const VISIBLE = /^[!-~]+$/

/** An issuer has no `#` (RFC 8414, 2), and the digest alone begins with one. */
export function accountNameOf({ iss, sub }: Claims): string {
  const name = `${iss.replace(/^https:\/\//, '')}#${sub}`
  if (VISIBLE.test(name) && name.length <= ACCOUNT_LIMITS.username && !name.startsWith('#'))
    return name
  return `#${sha256(JSON.stringify([iss, sub]))}`
}

function refuseUndeclared({ map }: ClaimedRoles, declared: readonly string[]): void {
  const unknown = Object.values(map).find((role) => !declared.includes(role))
  if (unknown === undefined) return
  throw new ConfigurationError(
    `accountUser: "roles" gives the role "${unknown}", which defineAccounts({ roles }) does not declare. Add it there, or take it out of the map.`,
  )
}

function rolesOf<Role extends string>(
  claims: Claims,
  { claim, map }: ClaimedRoles<Role>,
): readonly Role[] {
  const given = [claim].flat().reduce<unknown>(memberOf, claims)
  const names = new Set([given].flat())
  const roles = Object.keys(map).flatMap((name) => (names.has(name) ? map[name]! : []))
  return Object.freeze([...new Set(roles)])
}

function memberOf(value: unknown, name: string): unknown {
  const isHolder = typeof value === 'object' && value !== null && Object.hasOwn(value, name)
  return isHolder ? (value as Record<string, unknown>)[name] : undefined
}

/** The user that a scheme has found. */
export type Found = object | null | undefined

export function takenOf(error: unknown): AccountTaken {
  if (error instanceof AccountTaken) return error
  throw error
}

/** The log's facts about a refused user. */
export function faultOf(user: Found): object | null {
  if (user == null) return { reason: 'no user' }
  if (user instanceof AccountTaken) return { reason: TAKEN, account: user.account }
  return (user as { readonly isActive?: unknown }).isActive === false
    ? { reason: 'inactive user' }
    : null
}

const TAKEN =
  'the account has a password, so a stranger may have registered it: delete or rename it, or, where it is of the user, take the password away with users.setPassword(user, null)'

/** Claims as requests share them. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const each of Object.values(value)) deepFreeze(each)
  return Object.freeze(value)
}
