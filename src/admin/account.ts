import type { Endpoint, Group } from '../api/types.ts'
import type { Scope } from '../types/scope.ts'
import { type AccountOptions, type AccountRoute, IsAccountOwner } from './access.ts'
import { type WithRoutes, partsFor } from './parts.ts'
import { ownSessionEndpoints } from './sessions.ts'
import { ownTokenEndpoints } from './tokens.ts'
import { ownEndpoints } from './users.ts'

/**
 * An account's own pages, as endpoints for `serve`: who am I, my tokens, my sessions, a new password. For clients in JSON,
 * for people as pages; each shows and changes the account of the user who asks, and nothing else. The administration is
 * not needed for them. Schemes, parsers and throttles are those of the group, but for the password, whose guesses are
 * limited to 5 a minute and 20 an hour for each user.
 *
 * @throws ConfigurationError the database of the accounts speaks no SQL
 * @example
 * const api = defineApi({ urls: defineUrls({ ...loginUrls, ...accountUrls }), accounts })
 * export default api.serve([...loginPages(api, { accounts }), ...accountEndpoints(api, { accounts })])
 */
export function accountEndpoints<S extends Scope, R>(
  api: Group<S, R> & WithRoutes<R, AccountRoute>,
  options: AccountOptions,
): readonly Endpoint<never>[] {
  const { accounts, permissions = [new IsAccountOwner()] } = options
  void accounts.sessions
  const parts = partsFor('accountEndpoints', api, accounts, permissions)
  return [
    ...ownEndpoints(parts, options),
    ...ownSessionEndpoints(parts),
    ...ownTokenEndpoints(parts),
  ]
}
