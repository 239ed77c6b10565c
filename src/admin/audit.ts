import type { Endpoint } from '../api/types.ts'
import type { Cell, Presentation, PresentedRow } from '../contract/page.ts'
import type { ApiRequest } from '../contract/request.ts'
import type { DataShownBy } from '../contract/serializer.ts'
import { list } from '../endpoints/list.ts'
import { FieldFilter } from '../filters/field-filter.ts'
import { Message } from '../messages/message.ts'
import * as field from '../serializers/fields/index.ts'
import { serializer } from '../serializers/serializer.ts'
import { Narrowing, moments } from './narrowing.ts'
import { type Parts, moment, readOnly } from './parts.ts'
import { type Listed, link, pathTo, shownAs } from './presentation.ts'

const m = Message.of

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

/** What was done to whom, by whom. */
export function auditEndpoint({ group, lists }: Parts): Endpoint<never> {
  const changes = list({
    source: lists.audit,
    serializer: changeShown,
    filters: [new FieldFilter(), new Narrowing(...moments('at', 'at'))],
    filterFields: ['actor', 'user', 'username', 'action', 'systemUser', 'requestId'],
  })
  return group.endpoint('admin-audit', { title: 'Audit trail' }).get(shownAs(changes, changesShown))
}

const COLUMNS = [
  m('admin.at'),
  m('admin.actor'),
  m('admin.action'),
  m('page.username'),
  m('admin.token'),
  m('admin.details'),
]

function changesShown({ results }: Listed<ChangeShown>, request: ApiRequest): Presentation {
  const rows = results.map((change) => rowOf(change, request))
  const actions = [
    link(m('admin.users'), pathTo(request, 'admin-users')),
    link(m('admin.tokens'), pathTo(request, 'admin-tokens')),
  ]
  return { columns: COLUMNS, rows, actions }
}

function rowOf(change: ChangeShown, request: ApiRequest): PresentedRow {
  const { id, at, actor, systemUser, command, action, user, username, token, details } = change
  const by = actor || [systemUser, command && `(${command})`].filter(Boolean).join(' ')
  const facts = Object.entries(details).filter(([, value]) => value !== null)
  const cells: readonly Cell[] = [
    { at, toSecond: true },
    { text: by || null },
    { words: [action] },
    { text: username, url: pathTo(request, 'admin-user', { id: user }) },
    { text: token === '' ? m('admin.usual') : token },
    { text: facts.map(([name, value]) => `${name}: ${String(value)}`).join(', ') || null },
  ]
  return { id: String(id), name: action, cells, actions: [] }
}
