// The ways in which a user logs in beside the password, as the administration shows and ends them.
import type { Accounts } from '../../accounts/create-accounts.ts'
import type { Endpoint } from '../../core/app/group.ts'
import { Conflict, NotFound } from '../../core/errors/api-errors.ts'
import { Message } from '../../core/messages/message.ts'
import type { User } from '../../core/ports/credentials.ts'
import type { Presentation } from '../../core/ports/page.ts'
import type { ApiRequest } from '../../core/ports/request.ts'
import type { DataShownBy } from '../../core/ports/serializer.ts'
import type { OperationPlace } from '../../core/ports/settings/settings.ts'
import { field, serializer } from '../../resources/serializers/serializer.ts'
import {
  type AdminParts,
  type Columns,
  NO_SUCH_OBJECT,
  type Numbered,
  actOnBody,
  adminUserNamed,
  withAnswer,
  accountsBy,
  pathToRoute,
  tableOf,
  timeCell,
} from './behaviours.ts'

const m = Message.of
const KINDS = ['totp', 'passkey', 'device', 'unconfirmed', 'identity', 'refresh_token'] as const
const kindOfWay = field.choice(KINDS)
const way = serializer(
  {
    kind: kindOfWay,
    id: field.integer(),
    name: field.text(),
    created: field.dateTime({ as: 'date' }),
    lastUsed: field.dateTime({ as: 'date', nullable: true }),
  },
  { name: 'AdminWay' },
)
const ways = serializer(
  { ways: field.list(field.nested(way)), recoveryCodes: field.integer() },
  { name: 'AdminWays' },
)
const chosenWay = serializer({ kind: kindOfWay, id: field.integer() }, { name: 'AdminChosenWay' })
type WaysShown = DataShownBy<typeof ways>

/** A user's ways to log in beside the password: second factors, passkeys, known devices, providers, refresh tokens. */
export function wayEndpoints(parts: AdminParts): Endpoint<never>[] {
  const { group, accounts } = parts
  // Reading the stores makes their tables, which only some applications need.
  void [accounts.factors, accounts.identities]
  const shown = async (request: Numbered) =>
    ways.represent(await waysOf(await adminUserNamed(request, parts), accounts), request)
  const answer = {
    shows: (at: OperationPlace) => at.schema(ways, 'output'),
    errors: [NO_SUCH_OBJECT],
    presentation: waysPage,
  }
  const end = actOnBody({
    ...answer,
    errors: [NO_SUCH_OBJECT, { status: 409, codes: ['conflict'] }],
    reads: chosenWay,
    title: m('admin.end'),
    does: async ({ kind, id }, request: Numbered) => {
      await endWay(await adminUserNamed(request, parts), kind, id, request, accounts)
      return shown(request)
    },
  })
  return [
    group
      .endpoint('admin-user-factors', { title: 'Ways to log in' })
      .get(withAnswer(shown, answer)),
    group.endpoint('admin-user-factors-end', { title: 'End a way to log in' }).post(end),
  ]
}

async function waysOf(user: User, { factors, families, identities }: Accounts) {
  const own = await factors.of(user)
  const linked = (await identities.of(user)).map(({ issuer, subject, ...facts }) => {
    return { ...facts, kind: 'identity' as const, name: `${issuer} ${subject}` }
  })
  const others = own.flatMap(({ kind, ...facts }) =>
    kind === 'recovery_code' ? [] : [{ ...facts, kind }],
  )
  const devices = families.areOn ? await families.of(user) : []
  const refreshed = devices.map(({ label: name, ...facts }) => {
    return { ...facts, kind: 'refresh_token' as const, name }
  })
  return { ways: [...others, ...linked, ...refreshed], recoveryCodes: own.length - others.length }
}

async function endWay(
  user: User,
  kind: string,
  id: number,
  request: ApiRequest,
  accounts: Accounts,
): Promise<void> {
  const { factors, families, identities } = accountsBy(request, accounts)
  if (kind === 'refresh_token') {
    if (families.areOn && (await families.end(user, id))) return
    throw new NotFound()
  }
  // A stolen session could otherwise remove the second factor of its own user.
  if (user.id === (request.user as User).id) throw new Conflict(m('conflict.own_factors'))
  const linked = kind === 'identity' ? await identities.of(user) : []
  const identity = linked.find((each) => each.id === id)
  if (identity && (await identities.unlink(user, identity))) return
  const isOwn = (await factors.of(user)).some((own) => own.kind === kind && own.id === id)
  if (!isOwn || !(await factors.remove(user, id))) throw new NotFound()
}

function waysPage(data: WaysShown, request: ApiRequest): Presentation {
  const url = pathToRoute(request, 'admin-user-factors-end', request.params)
  return {
    ...tableOf(WAY_COLUMNS, data.ways, request, ({ kind, id, name }) => ({
      id: `${kind}-${id}`,
      name,
      actions: [
        {
          label: m('admin.end'),
          url,
          sure: m(kind === 'refresh_token' ? 'admin.end.sure' : 'admin.end_way.sure'),
          fields: { kind, id: `${id}` },
          isDangerous: true,
        },
      ],
    })),
    hasNoForms: true,
  }
}

const WAY_COLUMNS: Columns<WaysShown['ways'][number]> = {
  'admin.kind': ({ kind }) => ({ words: [kind] }),
  'admin.name': ({ name }) => ({ text: name || null }),
  'admin.created': timeCell('created'),
  'admin.last_used': timeCell('lastUsed', 'admin.never'),
}
