import { ACCOUNT_LIMITS } from '../../accounts/account-input.ts'
import type { Accounts } from '../../accounts/create-accounts.ts'
import type { User } from '../../core/ports/credentials.ts'
import type { ApiRequest } from '../../core/ports/request.ts'
import type { Opinion, Permission } from '../../core/ports/policies/permissions.ts'
import { UserRateThrottle } from '../../policies/throttling/rate-throttles.ts'
import type { Validator } from '../../resources/serializers/declaration.ts'

/** The rules for a new password, whether its owner or staff set it. */
export interface PasswordRules {
  /** Further rules for a new password: each one complains with a sentence. @default none */
  readonly passwordValidators?: readonly Validator<string>[]
  /** The least number of characters in a new password. @default 8 */
  readonly passwordMinLength?: number
}

/** The accounts to administer, and the rights that this needs. */
export interface AdminOptions extends PasswordRules {
  readonly accounts: Accounts
  /**
   * The permissions to administer. Object permissions are asked about the row of the user or the token, for every action. In
   * any case, no user can exceed their own rights (`accounts.by`), and a request without a user of the accounts is refused.
   *
   * @default [new IsAdministrator()]
   */
  readonly permissions?: readonly Permission[]
}

/** The accounts that the pages belong to. */
export interface AccountOptions extends PasswordRules {
  readonly accounts: Accounts
  /**
   * The permissions to use the pages. In any case, users can only see and change their own account.
   *
   * @default [new IsAccountOwner()]
   */
  readonly permissions?: readonly Permission[]
}

/**
 * Allows active users with a session, a password, or a log-in by the web server in front. A token is not enough: with a found
 * token, a client could make others, which outlive it.
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
 * Allows active staff. Their tokens must not be limited to scopes: a token for one thing could otherwise make tokens for
 * everything.
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

/** Of what people do to their own accounts. */
export const ACCOUNT_RATE = ['5/min', '20/h'] as const

/** Allows enough attempts for people who mistype, and too few for guessing. Opening the page is not an attempt. */
export class PostThrottle extends UserRateThrottle {
  constructor(scope: string) {
    super({ scope, rate: ACCOUNT_RATE })
  }

  override identify(request: ApiRequest): string | null {
    return request.method === 'POST' ? super.identify(request) : null
  }
}

/** A password in a body: spaces at its ends are kept, and answers and logs leave it out. */
export const PASSWORD: {
  readonly maxLength: number
  readonly trim: false
  readonly writeOnly: true
  readonly secret: true
} = { maxLength: ACCOUNT_LIMITS.password, trim: false, writeOnly: true, secret: true }

/** The field of a new password, whether its owner or staff set it. */
export function newPasswordBy(rules: PasswordRules): typeof PASSWORD & {
  readonly minLength: number
  readonly validators: readonly Validator<string>[]
} {
  const { passwordValidators: validators = [], passwordMinLength: minLength = 8 } = rules
  return { ...PASSWORD, minLength, validators }
}
