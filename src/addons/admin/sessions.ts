import type { Endpoint } from '../../core/app/group.ts'
import { NotFound } from '../../core/errors/api-errors.ts'
import { Message } from '../../core/messages/message.ts'
import type { User } from '../../core/ports/credentials.ts'
import type { Behaviour } from '../../core/ports/kernel.ts'
import type { Presentation, PresentedAction } from '../../core/ports/page.ts'
import type { ApiRequest } from '../../core/ports/request.ts'
import type { Serializer } from '../../core/ports/serializer.ts'
import { readCookie } from '../../core/std/http/cookie.ts'
import { CursorPagination } from '../../policies/pagination/cursor.ts'
import { list } from '../../resources/endpoints/list.ts'
import { field, serializer } from '../../resources/serializers/serializer.ts'
import {
  type Columns,
  NO_SUCH_OBJECT,
  type Numbered,
  PAGE_SIZE,
  type AdminParts,
  actOnBody,
  objectWith,
  accountsBy,
  timeField,
  rowWhere,
  ownAccount,
  pathToRoute,
  readOnly,
  tableOf,
  timeCell,
  adminUserNamed,
} from './behaviours.ts'

const m = Message.of

const columns = {
  id: field.text({ source: 'digest', ...readOnly }),
  created: timeField('created'),
  expires: timeField('expires'),
}
const adminShown = serializer(columns, { name: 'AdminSession' })

interface SessionShown {
  readonly id: string
  readonly created: string
  readonly expires: string
  /** Is it the session of the request? Only an account's own pages tell. */
  readonly isCurrent?: boolean
}

export function sessionEndpoints(parts: AdminParts): Endpoint<never>[] {
  const { list: many, end } = sessionsOf<Numbered>(parts, {
    route: 'admin-user-sessions',
    owner: (request) => adminUserNamed(request, parts),
    current: () => null,
    shown: adminShown,
    helpText: 'Leave it out to end all.',
    endAll: m('admin.end_all'),
    sure: m('admin.end_all.sure'),
  })
  const { group } = parts
  return [
    group.endpoint('admin-user-sessions', { title: 'Sessions of a user' }).get(many),
    group.endpoint('admin-user-sessions-end', { title: 'End sessions of a user' }).post(end),
  ]
}

/** Sessions of the user who asks; sessions of others are not found. */
export function ownSessionEndpoints(parts: AdminParts): Endpoint<never>[] {
  const { group, accounts } = parts
  const { sessions } = accounts
  const current = (request: ApiRequest) =>
    readCookie(request.header('cookie'), sessions.settings.sessionCookieName)
  const isCurrent = field.computed(
    ({ digest }: { readonly digest: string }, request) => {
      const cookie = current(request)
      return cookie !== null && sessions.isKeptAs(cookie, digest)
    },
    { type: 'boolean' },
  )
  const { list: many, end } = sessionsOf(parts, {
    route: 'account-sessions',
    owner: (request) => ownAccount(request, accounts),
    current,
    shown: serializer({ ...columns, isCurrent }, { name: 'AccountSession' }),
    helpText: 'Leave it out to end all but this one.',
    endAll: m('admin.end_others'),
    sure: m('admin.end_others.sure'),
  })
  return [
    group.endpoint('account-sessions', { title: 'My sessions' }).get(many),
    group.endpoint('account-sessions-end', { title: 'End my sessions' }).post(end),
  ]
}

interface Whose<Rq> {
  readonly route: 'admin-user-sessions' | 'account-sessions'
  readonly owner: (request: Rq) => Promise<User>
  /** The cookie of the session that stays when all others end; `null`: all end. */
  readonly current: (request: Rq) => string | null
  readonly shown: Serializer<SessionRow, SessionShown>
  readonly helpText: string
  readonly endAll: Message
  readonly sure: Message
}

/** A row of the table, as its columns are read. */
type SessionRow = Parameters<typeof adminShown.represent>[0]

function sessionsOf<Rq extends ApiRequest>(
  { accounts, lists }: AdminParts,
  { route, owner, current, shown, helpText, endAll, sure }: Whose<Rq>,
): { readonly list: Behaviour<Rq>; readonly end: Behaviour<Rq> } {
  const ofUser = ({ id }: User) =>
    lists.sessions.where([{ field: 'user_id', operator: 'equals', value: id }])
  const source = async (request: Rq) => ofUser(await owner(request))
  const session = field.text({ maxLength: 64, required: false, helpText })
  const end = actOnBody({
    reads: serializer({ session }, { name: shown.name! }),
    title: m('admin.end'),
    shows: () => objectWith('ended', { type: 'integer' }),
    errors: [NO_SUCH_OBJECT],
    does: async (input, request: Rq) => {
      const user = await owner(request)
      const { sessions, families } = accountsBy(request, accounts)
      if (input.session === undefined) {
        const ended = await sessions.endAllOf(user, { except: current(request) })
        return { ended: ended + (await families.endAll(user)) }
      }
      const kept = await rowWhere(ofUser(user), 'digest', input.session)
      if (kept === null) throw new NotFound()
      return { ended: Number(await sessions.endKept(kept.digest)) }
    },
    presentation: ({ ended: count }: { readonly ended: number }, request): Presentation => ({
      notice: m('admin.ended', { count }),
      actions: [{ label: m('admin.sessions'), url: pathToRoute(request, route, request.params) }],
      hasNoForms: true,
    }),
  })
  const pagination = new CursorPagination({ pageSize: PAGE_SIZE, ordering: '-created' })
  return {
    end,
    list: {
      ...list({ source, serializer: shown, filters: [], pagination }),
      presentation({ results }: { readonly results: readonly SessionShown[] }, request) {
        const url = pathToRoute(request, `${route}-end`, request.params)
        const all: PresentedAction = { label: endAll, url, sure, isDangerous: true }
        return {
          ...tableOf(COLUMNS, results, request, ({ id, isCurrent = false }) => ({
            id,
            name: id.slice(0, 8),
            actions: isCurrent ? [] : [ending(id, url)],
          })),
          actions: results.length > 0 ? [all] : [],
          hasNoForms: true,
        }
      },
    },
  }
}

const COLUMNS: Columns<SessionShown> = {
  'admin.session': ({ id, isCurrent }) =>
    isCurrent ? { words: [m('admin.this_session')] } : { text: id.slice(0, 8) },
  'admin.created': timeCell('created'),
  'admin.expires': timeCell('expires'),
}

function ending(session: string, url: string): PresentedAction {
  const sure = m('admin.end.sure')
  return { label: m('admin.end'), url, sure, fields: { session }, isDangerous: true }
}
