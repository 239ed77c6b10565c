import type { Permission, Opinion } from '../../core/ports/policies/permissions.ts'
import type { ApiRequest } from '../../core/ports/request.ts'
import { ConfigurationError } from '../../core/errors/configuration-error.ts'
import { Message } from '../../core/messages/message.ts'
import type { ServiceFacts } from '../../core/ports/service-facts.ts'
import { secondsIn } from '../../core/settings/rates.ts'
import { checkNames } from '../../core/settings/options.ts'
import type { RequestWith } from '../../core/types/typed-settings.ts'

/** Everyone may (Z10): states explicitly what an empty list means. */
export class AllowAny implements Permission {
  static readonly options: readonly string[] = []

  hasPermission(): boolean {
    return true
  }

  needsUser(): boolean {
    return false
  }
}

/** Only users that a scheme named (Z11). Afterwards `request.user` is known to be one. */
export class IsAuthenticated implements Permission<unknown, { readonly isAuthenticated: true }> {
  static readonly options: readonly string[] = []
  declare readonly '~grants'?: { readonly isAuthenticated: true }

  hasPermission({ user }: ApiRequest): boolean {
    return has(user, 'isAuthenticated')
  }

  needsUser(): boolean {
    return true
  }
}

/** Only staff (Z12). Another authenticated user gets 403. */
export class IsAdminUser implements Permission<
  unknown,
  { readonly isAuthenticated: true; readonly isStaff: boolean }
> {
  static readonly options: readonly string[] = []
  declare readonly '~grants'?: { readonly isAuthenticated: true; readonly isStaff: boolean }

  hasPermission({ user }: ApiRequest): boolean {
    return has(user, 'isStaff')
  }

  needsUser(): boolean {
    return true
  }
}

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Everyone may read; only users that a scheme named may do more (Z13). */
export class IsAuthenticatedOrReadOnly implements Permission {
  static readonly options: readonly string[] = []

  hasPermission({ method, user }: ApiRequest): boolean {
    return SAFE_METHODS.has(method) || has(user, 'isAuthenticated')
  }

  needsUser(method: string): boolean {
    return !SAFE_METHODS.has(method)
  }
}

/** A user who may have these roles, or none at all. A property is compared more strictly than a method. */
type WithRoles<Role> =
  | { readonly roles: { readonly includes: (role: Role) => boolean } }
  | { readonly isAuthenticated: false }
  | null

/**
 * Only users with one of these roles, at least: those that `defineAccounts({ roles })` declares, or `roles` of the user of
 * your own scheme.
 *
 * @example
 * api.endpoint('notes', { permissions: [new HasRole('doctor', 'nurse')] })
 *
 * @throws ConfigurationError no role is named; and when the service starts, the accounts do not declare this one. Where they
 * declare none, users of a class of yours among the schemes may have any
 */
export class HasRole<const Role extends string> implements Permission<
  unknown,
  { readonly isAuthenticated: true; readonly roles: readonly string[] },
  RequestWith<{ user: WithRoles<Role> }>
> {
  declare readonly '~grants'?: {
    readonly isAuthenticated: true
    readonly roles: readonly string[]
  }

  readonly roles: readonly Role[]
  readonly description: string

  constructor(...roles: readonly Role[]) {
    if (roles.length === 0)
      throw new ConfigurationError('HasRole wants a role at least: new HasRole("doctor").')
    this.roles = Object.freeze(roles)
    this.description = `HasRole(${roles.join(', ')})`
  }

  hasPermission({ user }: RequestWith<{ user: WithRoles<Role> }>): boolean {
    const { roles } = (user ?? {}) as { readonly roles?: unknown }
    return (
      has(user, 'isAuthenticated') &&
      Array.isArray(roles) &&
      this.roles.some((role) => roles.includes(role))
    )
  }

  needsUser(): boolean {
    return true
  }

  check({ roles }: ServiceFacts): string | null {
    const unknown = this.roles.find((role) => !roles?.includes(role))
    if (roles === undefined || unknown === undefined) return null
    if (roles.length === 0)
      return `asks for the role "${unknown}", and no user has one: declare it, defineAccounts({ roles: ["${unknown}"] }).`
    return `asks for the role "${unknown}". defineAccounts({ roles }) has ${roles.join(', ')}: add it there, or name one of these.`
  }
}

/** The scopes that a token needs. */
export interface TokenHasScopeOptions {
  /** All of them are required. */
  readonly scopes: readonly string[]
}

/**
 * Only users, and of tokens only those with these scopes (I4). A scope narrows a token, never a person:
 * a token without a list of scopes, and a user whom another scheme named, may do what the user may.
 *
 * @example
 * api.endpoint('report', { permissions: [new TokenHasScope({ scopes: ['read'] })] })
 *
 * @throws ConfigurationError no scope is named
 */
export class TokenHasScope implements Permission<unknown, { readonly isAuthenticated: true }> {
  static readonly options: readonly string[] = ['scopes']
  declare readonly '~grants'?: { readonly isAuthenticated: true }

  readonly scopes: readonly string[]
  readonly code = 'missing_scope'

  constructor(options: TokenHasScopeOptions) {
    checkNames(new.target, options)
    const { scopes } = options
    if (!Array.isArray(scopes) || scopes.length === 0) {
      throw new ConfigurationError(
        'TokenHasScope wants the scopes that a token needs: new TokenHasScope({ scopes: ["read"] }).',
      )
    }
    this.scopes = Object.freeze([...scopes])
  }

  hasPermission({ user, auth }: ApiRequest): Opinion {
    if (!has(user, 'isAuthenticated')) return false
    const own = scopesOf(auth)
    const missing = own && this.scopes.find((scope) => !own.includes(scope))
    if (typeof missing !== 'string') return true
    return { allowed: false, message: Message.of('permission_denied.scope', { scope: missing }) }
  }

  needsUser(): boolean {
    return true
  }
}

/** The greatest age of a proof, and the address for another one. */
export interface RecentlyAuthenticatedOptions {
  /** Such as `10 minutes` or `1h`. */
  readonly within: string
  /** The name of the address where users prove again who they are, which has no parameters. @default 'reauthenticate' */
  readonly reauthenticate?: string
  /** Milliseconds since 1970. @default Date.now */
  readonly now?: () => number
}

/**
 * Only users who have proved lately who they are: whose session began within that time, or whose password comes with the
 * request. A token is no such proof. The refusal, 403 with the code `reauthentication_required`, names the address where
 * users prove it again (`reauthenticate`), if the service has one.
 *
 * @example
 * const permissions = [new IsRecentlyAuthenticated({ within: '10 minutes' })]
 * api.endpoint('payout', { permissions })
 *
 * @throws ConfigurationError `within` is no length of time
 */
export class IsRecentlyAuthenticated implements Permission<
  unknown,
  { readonly isAuthenticated: true }
> {
  static readonly options: readonly string[] = ['within', 'reauthenticate', 'now']
  declare readonly '~grants'?: { readonly isAuthenticated: true }

  readonly code = 'reauthentication_required'
  readonly description: string
  readonly #milliseconds: number
  readonly #name: string
  readonly #now: () => number

  constructor(options: RecentlyAuthenticatedOptions) {
    checkNames(new.target, options)
    const { within, reauthenticate = 'reauthenticate', now = Date.now } = options
    const seconds = typeof within === 'string' ? secondsIn(within) : null
    if (seconds === null)
      throw new ConfigurationError(
        `IsRecentlyAuthenticated: "within" is ${JSON.stringify(within)}. Write a time such as "10 minutes" or "1h".`,
      )
    this.description = `IsRecentlyAuthenticated(${within})`
    this.#milliseconds = seconds * 1000
    this.#name = reauthenticate
    this.#now = now
  }

  hasPermission(request: ApiRequest): Opinion {
    if (!has(request.user, 'isAuthenticated')) return false
    const { authenticatedAt } = request
    // A clock that was set back makes no proof older, or newer.
    const age = authenticatedAt ? Math.abs(this.#now() - authenticatedAt.getTime()) : Infinity
    if (age < this.#milliseconds) return true
    const detail = Message.of('permission_denied.reauthentication')
    const url = request.linker(this.#name).find({})
    const where = url === null ? {} : { reauthenticate: url }
    return { allowed: false, message: { detail, code: this.code, ...where } }
  }

  needsUser(): boolean {
    return true
  }
}

/** Has the user this fact? A missing user is treated like an anonymous one (A22). */
function has(user: unknown, fact: string): boolean {
  return (
    typeof user === 'object' && user !== null && (user as Record<string, unknown>)[fact] === true
  )
}

/** The scopes of the credentials; `null`: they know no scopes, or are not limited to any. */
function scopesOf(auth: unknown): readonly unknown[] | null {
  const scopes = typeof auth === 'object' && auth !== null && 'scopes' in auth ? auth.scopes : null
  if (scopes === undefined || scopes === null) return null
  // A list of another form allows nothing.
  return Array.isArray(scopes) ? scopes : []
}
