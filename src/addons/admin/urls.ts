/**
 * Addresses of the administration. Take them into your own with `...adminUrls`, or under a prefix with
 * `staff: include('/staff', adminUrls)`.
 */
export const adminUrls = {
  'admin-users': '/admin/users/',
  'admin-user': '/admin/users/:id<int>/',
  'admin-user-activate': '/admin/users/:id<int>/activate/',
  'admin-user-deactivate': '/admin/users/:id<int>/deactivate/',
  'admin-user-password': '/admin/users/:id<int>/password/',
  'admin-user-sessions': '/admin/users/:id<int>/sessions/',
  'admin-user-sessions-end': '/admin/users/:id<int>/sessions/end/',
  'admin-user-factors': '/admin/users/:id<int>/factors/',
  'admin-user-factors-end': '/admin/users/:id<int>/factors/end/',
  'admin-tokens': '/admin/tokens/',
  'admin-tokens-revoke': '/admin/tokens/revoke/',
  'admin-token': '/admin/tokens/:id<int>/',
  'admin-token-rotate': '/admin/tokens/:id<int>/rotate/',
  'admin-token-revoke': '/admin/tokens/:id<int>/revoke/',
  'admin-audit': '/admin/audit/',
} as const

/**
 * Addresses of an account's own pages. Take them into your own with `...accountUrls`, or under a prefix with
 * `my: include('/my', accountUrls)`.
 */
export const accountUrls = {
  account: '/account/',
  'account-password': '/account/password/',
  'account-sessions': '/account/sessions/',
  'account-sessions-end': '/account/sessions/end/',
  'account-tokens': '/account/tokens/',
  'account-token': '/account/tokens/:id<int>/',
  'account-token-revoke': '/account/tokens/:id<int>/revoke/',
} as const

/** Names of the addresses that an account's own pages need: `accountUrls` has them. */
export type AccountRoute = keyof typeof accountUrls

/** Names of the addresses that the administration needs: `adminUrls` has them. */
export type AdminRoute = keyof typeof adminUrls
