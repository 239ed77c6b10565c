import type { Permission, ApiRequest } from '../contract/request.ts'

/** Everyone may (Z10). The same as an empty list, stated explicitly. */
export class AllowAny implements Permission {
  static readonly options: readonly string[] = []

  hasPermission(): boolean {
    return true
  }
}

/** Only users that a scheme named (Z11). Afterwards `request.user` is known to be one. */
export class IsAuthenticated implements Permission<unknown, { readonly isAuthenticated: true }> {
  static readonly options: readonly string[] = []
  declare readonly '~grants'?: { readonly isAuthenticated: true }

  hasPermission({ user }: ApiRequest): boolean {
    return isAuthenticated(user)
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
}

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Everyone may read; only users that a scheme named may do more (Z13). */
export class IsAuthenticatedOrReadOnly implements Permission {
  static readonly options: readonly string[] = []

  hasPermission({ method, user }: ApiRequest): boolean {
    return SAFE_METHODS.has(method) || isAuthenticated(user)
  }
}

/** No user at all is treated like an anonymous one (A22). */
export function isAuthenticated(user: unknown): boolean {
  return has(user, 'isAuthenticated')
}

function has(user: unknown, fact: string): boolean {
  return (
    typeof user === 'object' && user !== null && (user as Record<string, unknown>)[fact] === true
  )
}
