import type { Endpoint, Group } from '../api/types.ts'
import type { HasRoutes } from '../types/routes.ts'
import type { Scope } from '../types/scope.ts'
import { type AdminOptions, IsAdministrator } from './access.ts'
import { auditEndpoint } from './audit.ts'
import { partsFor } from './parts.ts'
import { sessionEndpoints } from './sessions.ts'
import { tokenEndpoints } from './tokens.ts'
import type { AdminRoute } from './urls.ts'
import { userEndpoints } from './users.ts'

/**
 * The administration of users, tokens and sessions, and the audit trail, as endpoints for `serve`: for clients in JSON,
 * for people as pages. Whatever changes something is a POST, is written into the audit trail, and goes no further than
 * the rights of the user who asks. Schemes, parsers and throttles are those of the group. The key of a token is in the
 * answer that makes it, and nowhere else.
 *
 * @throws ConfigurationError the database of the accounts speaks no SQL
 * @example
 * const api = defineApi({ urls: defineUrls({ ...loginUrls, ...adminUrls }), accounts })
 * export default api.serve([...loginPages(api, { accounts }), ...adminEndpoints(api, { accounts })])
 */
export function adminEndpoints<S extends Scope, R>(
  api: Group<S, R> & HasRoutes<R, AdminRoute>,
  { accounts, permissions = [new IsAdministrator()] }: AdminOptions,
): readonly Endpoint<never>[] {
  const parts = partsFor('adminEndpoints', api, accounts, permissions)
  return [
    ...userEndpoints(parts),
    ...sessionEndpoints(parts),
    ...tokenEndpoints(parts),
    auditEndpoint(parts),
  ]
}
