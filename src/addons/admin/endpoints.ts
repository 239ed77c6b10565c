import type { Endpoint, Group } from '../../core/app/group.ts'
import { Message } from '../../core/messages/message.ts'
import type { Cell } from '../../core/ports/page.ts'
import type { DataShownBy } from '../../core/ports/serializer.ts'
import type { HasRoutes } from '../../core/types/routes.ts'
import type { TypedSettings } from '../../core/types/typed-settings.ts'
import { FieldFilter } from '../../policies/filters/field-filter.ts'
import { list } from '../../resources/endpoints/list.ts'
import { field, serializer } from '../../resources/serializers/serializer.ts'
import { type AdminOptions, IsAdministrator } from './access.ts'
import {
  type Columns,
  KeptFilter,
  type AdminParts,
  linksTo,
  moment,
  moments,
  ownerCell,
  partsFor,
  readOnly,
  tableOf,
} from './behaviours.ts'
import { sessionEndpoints } from './sessions.ts'
import { tokenEndpoints } from './tokens.ts'
import type { AdminRoute } from './urls.ts'
import { userEndpoints } from './users.ts'

/**
 * The administration of users, tokens and sessions, and the audit trail, as endpoints for `serve`: for clients in JSON,
 * for people as pages. Whatever changes something is a POST or a PUT, is written into the audit trail, and goes no further than
 * the rights of the user who asks. Schemes, parsers and throttles are those of the group. The key of a token is in the
 * answer that makes it, and nowhere else.
 *
 * @throws ConfigurationError the database of the accounts speaks no SQL
 * @example
 * const api = defineApi({ urls: defineUrls({ ...loginUrls, ...adminUrls }), accounts })
 * export default api.serve([...loginPages(api, { accounts }), ...adminEndpoints(api, { accounts })])
 */
export function adminEndpoints<S extends TypedSettings, R>(
  api: Group<S, R> & HasRoutes<R, AdminRoute>,
  options: AdminOptions,
): readonly Endpoint<never>[] {
  const { accounts, permissions = [new IsAdministrator()] } = options
  const parts = partsFor(api, accounts, permissions)
  return [
    ...userEndpoints(parts, options),
    ...sessionEndpoints(parts),
    ...tokenEndpoints(parts),
    auditEndpoint(parts),
  ]
}

const changeShown = serializer(
  {
    id: field.integer(readOnly),
    at: moment('at'),
    actor: field.text(readOnly),
    systemUser: field.text({ source: 'system_user', ...readOnly }),
    command: field.text(readOnly),
    action: field.text(readOnly),
    user: field.integer({ source: 'user_id', ...readOnly }),
    username: field.text(readOnly),
    token: field.text({ nullable: true, ...readOnly }),
    details: field.computed(({ details }: { details: string }) => JSON.parse(details) as object, {
      schema: { type: 'object' },
    }),
    requestId: field.text({ source: 'request_id', nullable: true, ...readOnly }),
  },
  { name: 'AdminChange' },
)
type ChangeShown = DataShownBy<typeof changeShown>

function auditEndpoint({ group, lists }: AdminParts): Endpoint<never> {
  const changes = list({
    source: lists.audit,
    serializer: changeShown,
    filters: [new FieldFilter(), new KeptFilter(...moments('at', 'at'))],
    filterFields: ['actor', 'user', 'username', 'action', 'systemUser', 'requestId'],
  })
  return group.endpoint('admin-audit', { title: 'Audit trail' }).get({
    ...changes,
    presentation: ({ results }: { readonly results: readonly ChangeShown[] }, request) => ({
      ...tableOf(COLUMNS, results, request, ({ id, action }) => ({ id: `${id}`, name: action })),
      actions: linksTo(request, 'users', 'tokens'),
    }),
  })
}

const COLUMNS: Columns<ChangeShown> = {
  'admin.at': ({ at }) => ({ at, toSecond: true }),
  'admin.actor': actorOf,
  'admin.action': ({ action }) => ({ words: [action] }),
  'page.username': ownerCell,
  'admin.token': ({ token }) => ({ text: token === '' ? Message.of('admin.usual') : token }),
  'admin.details': detailsOf,
}

function actorOf({ actor, systemUser, command }: ChangeShown): Cell {
  const operator = [systemUser, command && `(${command})`].filter(Boolean).join(' ')
  return { text: actor || operator || null }
}

function detailsOf({ details }: ChangeShown): Cell {
  const facts = Object.entries(details).filter(([, value]) => value !== null)
  return { text: facts.map(([name, value]) => `${name}: ${String(value)}`).join(', ') || null }
}
