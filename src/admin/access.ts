import type { Accounts } from '../accounts/create-accounts.ts'
import type { User } from '../contract/credentials.ts'
import type { ApiRequest, Opinion, Permission } from '../contract/request.ts'
import { defineUrls } from '../links/address-table.ts'
import type { Validator } from '../serializers/declaration.ts'

/**
 * Addresses of the administration. Take them into your own with `...adminUrls`, or under a prefix with
 * `staff: include('/staff', adminUrls)`.
 */
export const adminUrls: {
  readonly 'admin-users': '/admin/users/'
  readonly 'admin-user': '/admin/users/:id<int>/'
  readonly 'admin-user-activate': '/admin/users/:id<int>/activate/'
  readonly 'admin-user-deactivate': '/admin/users/:id<int>/deactivate/'
  readonly 'admin-user-password': '/admin/users/:id<int>/password/'
  readonly 'admin-user-sessions': '/admin/users/:id<int>/sessions/'
  readonly 'admin-user-sessions-end': '/admin/users/:id<int>/sessions/end/'
  readonly 'admin-tokens': '/admin/tokens/'
  readonly 'admin-tokens-revoke': '/admin/tokens/revoke/'
  readonly 'admin-token': '/admin/tokens/:id<int>/'
  readonly 'admin-token-rotate': '/admin/tokens/:id<int>/rotate/'
  readonly 'admin-token-revoke': '/admin/tokens/:id<int>/revoke/'
  readonly 'admin-audit': '/admin/audit/'
} = defineUrls({
  'admin-users': '/admin/users/',
  'admin-user': '/admin/users/:id<int>/',
  'admin-user-activate': '/admin/users/:id<int>/activate/',
  'admin-user-deactivate': '/admin/users/:id<int>/deactivate/',
  'admin-user-password': '/admin/users/:id<int>/password/',
  'admin-user-sessions': '/admin/users/:id<int>/sessions/',
  'admin-user-sessions-end': '/admin/users/:id<int>/sessions/end/',
  'admin-tokens': '/admin/tokens/',
  'admin-tokens-revoke': '/admin/tokens/revoke/',
  'admin-token': '/admin/tokens/:id<int>/',
  'admin-token-rotate': '/admin/tokens/:id<int>/rotate/',
  'admin-token-revoke': '/admin/tokens/:id<int>/revoke/',
  'admin-audit': '/admin/audit/',
})

/**
 * Addresses of an account's own pages. Take them into your own with `...accountUrls`, or under a prefix with
 * `my: include('/my', accountUrls)`.
 */
export const accountUrls: {
  readonly account: '/account/'
  readonly 'account-password': '/account/password/'
  readonly 'account-sessions': '/account/sessions/'
  readonly 'account-sessions-end': '/account/sessions/end/'
  readonly 'account-tokens': '/account/tokens/'
  readonly 'account-token': '/account/tokens/:id<int>/'
  readonly 'account-token-revoke': '/account/tokens/:id<int>/revoke/'
} = defineUrls({
  account: '/account/',
  'account-password': '/account/password/',
  'account-sessions': '/account/sessions/',
  'account-sessions-end': '/account/sessions/end/',
  'account-tokens': '/account/tokens/',
  'account-token': '/account/tokens/:id<int>/',
  'account-token-revoke': '/account/tokens/:id<int>/revoke/',
})

/** Names of the addresses that an account's own pages need: `accountUrls` has them. */
export type AccountRoute = keyof typeof accountUrls

/** Names of the addresses that the administration needs: `adminUrls` has them. */
export type AdminRoute = keyof typeof adminUrls

/** What is administered, and by whom. */
export interface AdminOptions {
  readonly accounts: Accounts
  /**
   * Who may administer. Whatever they let on, no user goes beyond the own rights (`accounts.by`), and a request
   * without a user of the accounts is refused.
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

/** A token as the administration shows it. Times are as in ISO 8601, in UTC. */
export interface AdminToken {
  readonly id: number
  /** Number of its user. */
  readonly user: number
  readonly username: string
  /** `''`: the usual one. */
  readonly name: string
  /** `null`: everything that its user may do. */
  readonly scopes: readonly string[] | null
  readonly created: string
  /** `null`: never. */
  readonly expires: string | null
  /** `null`: not yet. */
  readonly lastUsed: string | null
  /** Only in the answer that makes it. */
  readonly key?: string
}

/** A session as its owner and the administration see it. Times are as in ISO 8601, in UTC. */
export interface AccountSession {
  /** What ends it: a digest of its cookie, which is no secret. */
  readonly id: string
  readonly created: string
  readonly expires: string
  /** Is it that of the request? Only on an account's own pages. */
  readonly isCurrent?: boolean
}
