import type { Endpoint } from '../api/types.ts'
import { sentCookie } from '../authentication/cookies.ts'
import type { User } from '../contract/credentials.ts'
import type { Cell, Presentation, PresentedAction, PresentedRow } from '../contract/page.ts'
import type { ApiRequest } from '../contract/request.ts'
import { NONE } from '../endpoints/found.ts'
import { list } from '../endpoints/list.ts'
import { NotFound } from '../errors/api-errors.ts'
import { Message } from '../messages/message.ts'
import { CursorPagination } from '../pagination/cursor.ts'
import * as field from '../serializers/fields/index.ts'
import { serializer } from '../serializers/serializer.ts'
import { act, holding } from './behaviours.ts'
import {
  type Numbered,
  PAGE_SIZE,
  type Parts,
  inHandsOf,
  moment,
  oneOf,
  ownOf,
  readOnly,
  userNamed,
} from './parts.ts'
import { type Listed, link, pathTo, shownAs, time } from './presentation.ts'

const m = Message.of

/** A session as its owner and the administration see it. Times are as in ISO 8601, in UTC. */
export interface AccountSession {
  /** What ends it: a digest of its cookie, which is no secret. */
  readonly id: string
  readonly created: string
  readonly expires: string
  /** Is it that of the request? Only on an account's own pages. */
  readonly isCurrent?: boolean
}

const columns = {
  id: field.text({ source: 'digest', ...readOnly }),
  created: moment('created'),
  expires: moment('expires'),
}
const sessionShown = serializer(columns, { name: 'AdminSession' })

/** Sessions in the hands of the administration. */
export function sessionEndpoints(parts: Parts): Endpoint<never>[] {
  const { group } = parts
  const owner = (request: Numbered) => userNamed(request, parts)
  const end = act({
    ...ending('AdminSession', 'Leave it out to end all.'),
    does: async ({ session }, request: Numbered) =>
      ended(session, await owner(request), request, parts),
  })
  return [
    group.endpoint('admin-user-sessions', { title: 'Sessions of a user' }).get(
      shownAs(
        list({ ...ONE_USERS, source: sessionsOf(owner, parts), serializer: sessionShown }),
        (page: Listed<AccountSession>, request) => {
          const url = pathTo(request, 'admin-user-sessions-end', request.params)
          return sessionsShown(page, url, m('admin.end_all'), m('admin.end_all.sure'))
        },
      ),
    ),
    group
      .endpoint('admin-user-sessions-end', { title: 'End sessions of a user' })
      .post(
        shownAs(end, (data: Ended, request) =>
          endedShown(data, pathTo(request, 'admin-user-sessions', request.params)),
        ),
      ),
  ]
}

/** Sessions of the user who asks; those of others are not there. */
export function ownSessionEndpoints(parts: Parts): Endpoint<never>[] {
  const { group, accounts } = parts
  const owner = (request: ApiRequest) => ownOf(request, accounts)
  const current = (request: ApiRequest) =>
    sentCookie(request, accounts.sessions.settings.sessionCookieName)
  const shown = serializer(
    {
      ...columns,
      isCurrent: field.computed(
        ({ digest }: { readonly digest: string }, request) => {
          const cookie = current(request)
          return cookie !== null && accounts.sessions.isKeptAs(cookie, digest)
        },
        { type: 'boolean' },
      ),
    },
    { name: 'AccountSession' },
  )
  const end = act({
    ...ending('AccountSession', 'Leave it out to end all but this one.'),
    does: async ({ session }, request) =>
      ended(session, await owner(request), request, parts, current(request)),
  })
  return [
    group.endpoint('account-sessions', { title: 'My sessions' }).get(
      shownAs(
        list({ ...ONE_USERS, source: sessionsOf(owner, parts), serializer: shown }),
        (page: Listed<AccountSession>, request) => {
          const url = pathTo(request, 'account-sessions-end')
          return sessionsShown(page, url, m('admin.end_others'), m('admin.end_others.sure'))
        },
      ),
    ),
    group
      .endpoint('account-sessions-end', { title: 'End my sessions' })
      .post(
        shownAs(end, (data: Ended, request) =>
          endedShown(data, pathTo(request, 'account-sessions')),
        ),
      ),
  ]
}

/** A list of the sessions of one user. */
const ONE_USERS = {
  filters: [],
  pagination: new CursorPagination({ pageSize: PAGE_SIZE, ordering: '-created' }),
}

function sessionsOf<Rq>(owner: (request: Rq) => Promise<User>, { lists }: Parts) {
  return async (request: Rq) => ofUser(await owner(request), lists)
}

function ofUser({ id }: User, { sessions }: Parts['lists']) {
  return sessions.where([{ field: 'user_id', operator: 'equals', value: id }])
}

interface Ended {
  readonly ended: number
}

/** What is known of ending sessions, beside whose they are. */
function ending(name: string, helpText: string) {
  const session = field.text({ maxLength: 64, required: false, helpText })
  return {
    reads: serializer({ session }, { name }),
    title: m('admin.end'),
    shows: () => holding('ended', { type: 'integer' }),
    errors: [NONE],
  }
}

/** The one that is asked for, or all of the user but that of the cookie `except`. */
async function ended(
  session: string | undefined,
  user: User,
  request: ApiRequest,
  { accounts, lists }: Parts,
  except: string | null = null,
): Promise<Ended> {
  const { sessions } = inHandsOf(request, accounts)
  if (session === undefined) return { ended: await sessions.endAllOf(user, { except }) }
  const kept = await oneOf(ofUser(user, lists), 'digest', session)
  if (kept === null) throw new NotFound()
  return { ended: Number(await sessions.endKept(kept.digest)) }
}

function endedShown({ ended: count }: Ended, back: string): Presentation {
  const actions = [link(m('admin.sessions'), back)]
  return { notice: m('admin.ended', { count }), actions, hasNoForms: true }
}

/** `end`: the address that ends one, or all that the last action names. */
function sessionsShown(
  { results }: Listed<AccountSession>,
  end: string,
  label: Message,
  sure: Message,
): Presentation {
  const columnNames = [m('admin.session'), m('admin.created'), m('admin.expires')]
  const all: PresentedAction = { label, url: end, sure, isDangerous: true }
  return {
    columns: columnNames,
    rows: results.map((session) => rowOf(session, end)),
    actions: results.length > 0 ? [all] : [],
    hasNoForms: true,
  }
}

function rowOf(session: AccountSession, end: string): PresentedRow {
  const { id, created, expires, isCurrent = false } = session
  const ends: PresentedAction = {
    label: m('admin.end'),
    url: end,
    sure: m('admin.end.sure'),
    fields: { session: id },
    isDangerous: true,
  }
  const name: Cell = isCurrent ? { words: [m('admin.this_session')] } : { text: id.slice(0, 8) }
  const cells = [name, time(created), time(expires)]
  return { id, name: id.slice(0, 8), cells, actions: isCurrent ? [] : [ends] }
}
