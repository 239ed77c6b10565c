import type { Permission, Opinion } from '../../core/ports/policies/permissions.ts'
import type { ApiRequest } from '../../core/ports/request.ts'
import { ConfigurationError } from '../../core/errors/configuration-error.ts'
import { Message } from '../../core/messages/message.ts'
import { checkNames } from '../../core/settings/options.ts'

/** Everyone may (Z10). The same as an empty list, stated explicitly. */
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

/** What a token has to have. */
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

/** No user at all is treated like an anonymous one (A22). */
function has(user: unknown, fact: string): boolean {
  return (
    typeof user === 'object' && user !== null && (user as Record<string, unknown>)[fact] === true
  )
}

/** `null`: whatever proved the identity knows no scopes, or is held to none. */
function scopesOf(auth: unknown): readonly unknown[] | null {
  const scopes = typeof auth === 'object' && auth !== null && 'scopes' in auth ? auth.scopes : null
  if (scopes === undefined || scopes === null) return null
  // A list of another shape allows nothing.
  return Array.isArray(scopes) ? scopes : []
}
