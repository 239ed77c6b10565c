import type { Accounts } from '../accounts/create-accounts.ts'
import type { User } from '../contract/credentials.ts'
import type { ApiRequest, Opinion, Permission } from '../contract/request.ts'
import type { Validator } from '../serializers/declaration.ts'

/** What is administered, and by whom. */
export interface AdminOptions {
  readonly accounts: Accounts
  /**
   * Who may administer. Rules about single objects are asked about the row of the user or the token, whatever is done to
   * it. Whatever they let on, no user goes beyond the own rights (`accounts.by`), and a request without a user of the
   * accounts is refused.
   *
   * @default [new IsAdministrator()]
   */
  readonly permissions?: readonly Permission[]
}

/** Whose pages they are, and what a new password has to be. */
export interface AccountOptions {
  readonly accounts: Accounts
  /**
   * Who may come. Whatever they let on, everyone sees and changes the own account alone.
   *
   * @default [new IsAccountOwner()]
   */
  readonly permissions?: readonly Permission[]
  /** What is asked of a new password beside its length: each complains with a sentence. @default nothing */
  readonly passwordValidators?: readonly Validator<string>[]
  /** Characters that a new password must have. @default 8 */
  readonly passwordMinLength?: number
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
