import type { Accounts } from '../../accounts/create-accounts.ts'
import type { User } from '../../core/ports/credentials.ts'
import type { ApiRequest } from '../../core/ports/request.ts'
import type { Opinion, Permission } from '../../core/ports/policies/permissions.ts'
import { UserRateThrottle } from '../../policies/throttling/rate-throttles.ts'
import type { Validator } from '../../resources/serializers/declaration.ts'

/** What a new password has to be, whether its owner sets it or staff. */
export interface PasswordRules {
  /** What is asked of a new password beside its length: each complains with a sentence. @default nothing */
  readonly passwordValidators?: readonly Validator<string>[]
  /** Characters that a new password must have. @default 8 */
  readonly passwordMinLength?: number
}

/** What is administered, and by whom. */
export interface AdminOptions extends PasswordRules {
  readonly accounts: Accounts
  /**
   * Who may administer. Object permissions are asked about the row of the user or the token, for every action. In any
   * case, no user can exceed their own rights (`accounts.by`), and a request without a user of the accounts is refused.
   *
   * @default [new IsAdministrator()]
   */
  readonly permissions?: readonly Permission[]
}

/** Whose pages they are. */
export interface AccountOptions extends PasswordRules {
  readonly accounts: Accounts
  /**
   * Who may use the pages. In any case, users can only see and change their own account.
   *
   * @default [new IsAccountOwner()]
   */
  readonly permissions?: readonly Permission[]
}

/**
 * Only active users who came with a session, a password or by the web server in front. A token is not enough: a client who
 * found one could make others with it, which outlive it.
 *
 * @example accountEndpoints(api, { accounts, permissions: [new IsAccountOwner(), new FromTheOffice()] })
 */
export class IsAccountOwner implements Permission {
  static readonly options: readonly string[] = []

  hasPermission({ user, auth }: ApiRequest): Opinion {
    const { isActive = false } = (user ?? {}) as Partial<User>
    return isActive && auth === null
  }

  needsUser(): boolean {
    return true
  }
}

/**
 * Only active staff; of tokens only those that are held to no scopes: otherwise a token for one thing would make others
 * for everything.
 *
 * @example adminEndpoints(api, { accounts, permissions: [new IsAdministrator(), new FromTheOffice()] })
 */
export class IsAdministrator implements Permission {
  static readonly options: readonly string[] = []

  hasPermission({ user, auth }: ApiRequest): Opinion {
    const { isStaff = false, isActive = false } = (user ?? {}) as Partial<User>
    const { scopes = null } = (auth ?? {}) as { readonly scopes?: unknown }
    return isStaff && isActive && scopes === null
  }

  needsUser(): boolean {
    return true
  }
}

/** Enough for people who mistype, and too few to guess by. To look at the page is no guess. */
export class PostThrottle extends UserRateThrottle {
  constructor(scope: string) {
    super({ scope, rate: ['5/min', '20/h'] })
  }

  override identify(request: ApiRequest): string | null {
    return request.method === 'POST' ? super.identify(request) : null
  }
}
