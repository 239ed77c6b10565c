import type { AccountSession } from './access.ts'
import type { Endpoint } from '../api/types.ts'
import { sentCookie } from '../authentication/cookies.ts'
import type { User } from '../contract/credentials.ts'
import type { ApiRequest } from '../contract/request.ts'
import type { InputSerializer } from '../contract/serializer.ts'
import { NONE } from '../endpoints/found.ts'
import { list } from '../endpoints/list.ts'
import { NotFound } from '../errors/api-errors.ts'
import type { Presentation, PresentedAction } from '../contract/page.ts'
import { Message } from '../messages/message.ts'
import { type Listed, link, pathTo, sessionsShown, shownAs } from './presentation.ts'
import { CursorPagination } from '../pagination/cursor.ts'
import * as field from '../serializers/fields/index.ts'
import { serializer } from '../serializers/serializer.ts'
import {
  type Found,
  PAGE_SIZE,
  type Parts,
  asked,
  described,
  holding,
  inHandsOf,
  moment,
  oneOf,
  ownOf,
  readOnly,
  userOf,
} from './parts.ts'

const columns = {
  id: field.text({ source: 'digest', ...readOnly }),
  created: moment('created'),
  expires: moment('expires'),
}
const sessionShown = serializer(columns, { name: 'AdminSession' })

const sessionToEnd = serializer(
  {
    session: field.text({ maxLength: 64, required: false, helpText: 'Leave it out to end all.' }),
  },
  { name: 'AdminSession' },
)
const otherToEnd = serializer(
  {
    session: field.text({
      maxLength: 64,
      required: false,
      helpText: 'Leave it out to end all but this one.',
    }),
  },
  { name: 'AccountSession' },
)

const ending = (reads: Pick<InputSerializer<unknown>, 'schema'>) => ({
  reads,
  shows: () => holding('ended', { type: 'integer' }),
  errors: [NONE],
})

export function sessionEndpoints(parts: Parts): Endpoint<never>[] {
  const { group, accounts } = parts
  const owner = (request: ApiRequest) => userOf(accounts, (request as Found).params.id)
  const end = async (request: ApiRequest): Promise<unknown> => {
    const { session } = await sessionToEnd.parse(await request.body(), request)
    return ended(session, await owner(request), request, parts)
  }
  return [
    group.endpoint('admin-user-sessions', { title: 'Sessions of a user' }).get(
      shownAs(sessionsOf(owner, sessionShown, parts), (page: Listed<AccountSession>, request) => {
        const url = pathTo(request, 'admin-user-sessions-end', request.params)
        return sessionsShown(page, url, all('admin', url))
      }),
    ),
    group
      .endpoint('admin-user-sessions-end', { title: 'End sessions of a user' })
      .post(
        shownAs(
          described(asked(sessionToEnd, end, Message.of('admin.end')), ending(sessionToEnd)),
          (data: Ended, request) =>
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
  const end = async (request: ApiRequest): Promise<unknown> => {
    const { session } = await otherToEnd.parse(await request.body(), request)
    return ended(session, await owner(request), request, parts, current(request))
  }
  return [
    group.endpoint('account-sessions', { title: 'My sessions' }).get(
      shownAs(sessionsOf(owner, shown, parts), (page: Listed<AccountSession>, request) => {
        const url = pathTo(request, 'account-sessions-end')
        return sessionsShown(page, url, all('account', url))
      }),
    ),
    group
      .endpoint('account-sessions-end', { title: 'End my sessions' })
      .post(
        shownAs(
          described(asked(otherToEnd, end, Message.of('admin.end')), ending(otherToEnd)),
          (data: Ended, request) => endedShown(data, pathTo(request, 'account-sessions')),
        ),
      ),
  ]
}

interface Ended {
  readonly ended: number
}

function endedShown({ ended: count }: Ended, back: string): Presentation {
  const actions = [link(Message.of('admin.sessions'), back)]
  return { notice: Message.of('admin.ended', { count }), actions, hasNoForms: true }
}

function all(place: 'admin' | 'account', url: string): PresentedAction {
  const [label, sure] =
    place === 'admin'
      ? [Message.of('admin.end_all'), Message.of('admin.end_all.sure')]
      : [Message.of('admin.end_others'), Message.of('admin.end_others.sure')]
  return { label, url, sure, isDangerous: true }
}

function sessionsOf(
  owner: (request: ApiRequest) => Promise<User>,
  shown: typeof sessionShown,
  { lists }: Parts,
) {
  const source = async (request: ApiRequest) => ofUser(await owner(request), lists)
  return list({
    source: source as never,
    serializer: shown as never,
    filters: [],
    pagination: new CursorPagination({ pageSize: PAGE_SIZE, ordering: '-created' }),
  })
}

function ofUser({ id }: User, { sessions }: Parts['lists']) {
  return sessions.where([{ field: 'user_id', operator: 'equals', value: id }])
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
  const found = await oneOf(ofUser(user, lists), 'digest', session)
  if (found === null) throw new NotFound()
  return { ended: Number(await sessions.endKept(found.digest)) }
}
