// Tokens as people read them, and what can be done to each.
import type { Cell, Presentation, PresentedAction, PresentedRow } from '../contract/page.ts'
import type { ApiRequest } from '../contract/request.ts'
import { Message } from '../messages/message.ts'
import { type Listed, link, pathTo, time } from './presentation.ts'

const m = Message.of

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

/** Whose tokens: those of everyone, or one's own. */
type TokenPlace = 'admin' | 'account'

/** How tokens are shown in a place: many, one, and that some are revoked. */
interface TokenPages {
  readonly many: (page: Listed<AdminToken>, request: ApiRequest) => Presentation
  readonly one: (token: AdminToken, request: ApiRequest) => Presentation
  readonly revoked: (data: Revoked, request: ApiRequest) => Presentation
}

export function tokenPages(place: TokenPlace): TokenPages {
  return {
    many: (page, request) => tokensShown(page, request, place),
    one: (token, request) => tokenShown(token, request, place),
    revoked: (data, request) => revokedShown(data, request, place),
  }
}

const FACTS = [m('admin.scopes'), m('admin.last_used'), m('admin.expires'), m('admin.created')]
const COLUMNS = {
  account: [m('admin.token'), ...FACTS],
  admin: [m('admin.token'), m('page.username'), ...FACTS],
}

function rowOf(token: AdminToken, request: ApiRequest, place: TokenPlace): PresentedRow {
  const { id, name, username, scopes } = token
  const owner = () => ({ text: username, url: pathTo(request, 'admin-user', { id: token.user }) })
  const cells: readonly Cell[] = [
    { text: name || m('admin.usual'), url: pathTo(request, `${place}-token`, { id }) },
    ...(place === 'admin' ? [owner()] : []),
    scopes === null ? { text: m('admin.everything') } : { words: scopes },
    time(token.lastUsed, m('admin.never')),
    time(token.expires, m('admin.never')),
    time(token.created),
  ]
  const revoke: PresentedAction = {
    label: m('admin.revoke'),
    url: pathTo(request, `${place}-token-revoke`, { id }),
    sure: m('admin.revoke.sure'),
    isDangerous: true,
  }
  const actions = place === 'admin' ? [rotation(id, request), revoke] : [revoke]
  return { id: String(id), name: `${username} ${name}`.trim(), cells, actions }
}

const OVERLAPS = [
  ['0', m('admin.overlap.none')],
  ['3600', m('admin.overlap.hour')],
  ['86400', m('admin.overlap.day')],
  ['604800', m('admin.overlap.week')],
] as const

function rotation(id: number, request: ApiRequest): PresentedAction {
  return {
    label: m('admin.rotate'),
    url: pathTo(request, 'admin-token-rotate', { id }),
    sure: m('admin.rotate.sure'),
    choice: { name: 'overlap', label: m('admin.overlap'), choices: OVERLAPS },
  }
}

function tokensShown(
  { results }: Listed<AdminToken>,
  request: ApiRequest,
  place: TokenPlace,
): Presentation {
  const rows = results.map((token) => rowOf(token, request, place))
  const columns = COLUMNS[place]
  if (place === 'account') return { columns, rows }
  const many = {
    label: m('admin.revoke_chosen'),
    url: pathTo(request, 'admin-tokens-revoke'),
    sure: m('admin.revoke_chosen.sure'),
    isDangerous: true,
    field: 'tokens',
  }
  const actions = [
    link(m('admin.users'), pathTo(request, 'admin-users')),
    link(m('admin.audit'), pathTo(request, 'admin-audit')),
  ]
  return { columns, rows, many, actions }
}

/** The key stands in the answer that makes it; of a token with a name, there alone. */
function tokenShown(token: AdminToken, request: ApiRequest, place: TokenPlace): Presentation {
  const { key, name } = token
  const row = rowOf(token, request, place)
  const back = link(backTo(place), pathTo(request, `${place}-tokens`))
  const shown = {
    columns: COLUMNS[place],
    rows: [row],
    isOne: true,
    actions: [back, ...row.actions],
    hasNoForms: true,
  }
  if (key === undefined) return shown
  const note = name === '' ? m('admin.key.usual') : m('admin.key.once')
  return { ...shown, secret: { value: key, note } }
}

interface Revoked {
  readonly revoked: number
}

function revokedShown(
  { revoked: count }: Revoked,
  request: ApiRequest,
  place: TokenPlace,
): Presentation {
  const actions = [link(backTo(place), pathTo(request, `${place}-tokens`))]
  return { notice: m('admin.revoked', { count }), actions, hasNoForms: true }
}

function backTo(place: TokenPlace): Message {
  return place === 'admin' ? m('admin.tokens') : m('account.tokens')
}
