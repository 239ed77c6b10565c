// Answers of the administration, and of an account's own pages, as people read them.
import type { Behaviour } from '../contract/kernel.ts'
import type { Cell, Presentation, PresentedAction, PresentedRow } from '../contract/page.ts'
import type { ApiRequest } from '../contract/request.ts'
import { Message } from '../messages/message.ts'
import type { AccountRoute, AccountSession, AdminRoute, AdminToken } from './access.ts'

const m = Message.of

/** A behaviour whose answers are shown to people like this. */
export function shownAs<Data>(
  behaviour: Behaviour | Behaviour['handle'],
  presentation: (data: Data, request: ApiRequest) => Presentation,
): Behaviour {
  const known = typeof behaviour === 'function' ? { handle: behaviour } : behaviour
  return { ...known, presentation }
}

/** A page of a list. */
export interface Listed<Row> {
  readonly results: readonly Row[]
}

/** The address of a route beside that of the request, as a path: the page may stand behind any host. */
export function pathTo(
  { namespace, reverse, origin }: ApiRequest,
  name: AccountRoute | AdminRoute,
  params: Readonly<Record<string, unknown>> = {},
): string {
  const url = reverse([...namespace, name].join(':') as never, params as never)
  return url.startsWith(origin) ? url.slice(origin.length) : url
}

interface UserShown {
  readonly id: number
  readonly username: string
  readonly email: string
  readonly isActive: boolean
  readonly isStaff: boolean
  readonly isSuperuser: boolean
  readonly dateJoined: string
  readonly lastLogin: string | null
}

const USER_COLUMNS = [
  m('page.username'),
  m('admin.email'),
  m('admin.rights'),
  m('admin.last_login'),
  m('admin.joined'),
]

function userRow(user: UserShown, request: ApiRequest): PresentedRow {
  const { id, username, email, isActive, isStaff, isSuperuser } = user
  const rights = [
    ...(isActive ? [] : [m('admin.inactive')]),
    ...(isSuperuser ? [m('admin.superuser')] : []),
    ...(isStaff ? [m('admin.staff')] : []),
  ]
  const cells: readonly Cell[] = [
    { text: username, url: pathTo(request, 'admin-user', { id }) },
    { text: email || null },
    rights.length === 0 ? { text: null } : { words: rights, isLoud: !isActive },
    moment(user.lastLogin, m('admin.never')),
    moment(user.dateJoined),
  ]
  return { id: String(id), name: username, cells, actions: [] }
}

export function usersShown({ results }: Listed<UserShown>, request: ApiRequest): Presentation {
  const rows = results.map((user) => userRow(user, request))
  const actions = [
    link(m('admin.tokens'), pathTo(request, 'admin-tokens')),
    link(m('admin.audit'), pathTo(request, 'admin-audit')),
  ]
  return { columns: USER_COLUMNS, rows, actions }
}

/** With what can be done to the user; `notice`: what was done. */
export function userPage(user: UserShown, request: ApiRequest, notice?: Message): Presentation {
  const { id, username, isActive } = user
  const own = (name: AdminRoute): string => pathTo(request, name, { id })
  const about = (name: AdminRoute): string => `${pathTo(request, name)}?user=${id}`
  const change: PresentedAction = isActive
    ? {
        label: m('admin.deactivate'),
        url: own('admin-user-deactivate'),
        sure: m('admin.deactivate.sure'),
        isDangerous: true,
      }
    : {
        label: m('admin.activate'),
        url: own('admin-user-activate'),
        sure: m('admin.activate.sure'),
      }
  const actions = [
    link(m('admin.tokens'), about('admin-tokens')),
    link(m('admin.sessions'), own('admin-user-sessions')),
    link(m('admin.set_password'), own('admin-user-password')),
    link(m('admin.audit'), about('admin-audit')),
    change,
  ]
  const row = { ...userRow(user, request), name: username }
  const known = notice === undefined ? {} : { notice }
  return { ...known, columns: USER_COLUMNS, rows: [row], isOne: true, actions, hasNoForms: true }
}

/** The page with the form that sets a password. */
export function passwordPage(user: UserShown, request: ApiRequest): Presentation {
  return { columns: USER_COLUMNS, rows: [userRow(user, request)], isOne: true }
}

/** Whose tokens: those of everyone, or one's own. */
export type TokenPlace = 'admin' | 'account'

const TOKEN_COLUMNS = {
  account: [
    m('admin.token'),
    m('admin.scopes'),
    m('admin.last_used'),
    m('admin.expires'),
    m('admin.created'),
  ],
  get admin() {
    const [first, ...rest] = this.account
    return [first!, m('page.username'), ...rest]
  },
}

function tokenRow(token: AdminToken, request: ApiRequest, place: TokenPlace): PresentedRow {
  const { id, name, username, scopes } = token
  const user = { text: username, url: '' }
  if (place === 'admin') user.url = pathTo(request, 'admin-user', { id: token.user })
  const cells: readonly Cell[] = [
    { text: name || m('admin.usual'), url: pathTo(request, `${place}-token`, { id }) },
    ...(place === 'admin' ? [user] : []),
    scopes === null ? { text: m('admin.everything') } : { words: scopes },
    moment(token.lastUsed, m('admin.never')),
    moment(token.expires, m('admin.never')),
    moment(token.created),
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

export function tokensShown(
  { results }: Listed<AdminToken>,
  request: ApiRequest,
  place: TokenPlace,
): Presentation {
  const rows = results.map((token) => tokenRow(token, request, place))
  const columns = TOKEN_COLUMNS[place]
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
export function tokenPage(token: AdminToken, request: ApiRequest, place: TokenPlace): Presentation {
  const { key, name } = token
  const row = tokenRow(token, request, place)
  const back = link(backTo(place), pathTo(request, `${place}-tokens`))
  const shown = {
    columns: TOKEN_COLUMNS[place],
    rows: [row],
    isOne: true,
    actions: [back, ...row.actions],
    hasNoForms: true,
  }
  if (key === undefined) return shown
  const note = name === '' ? m('admin.key.usual') : m('admin.key.once')
  return { ...shown, secret: { value: key, note } }
}

export function revokedShown(
  { revoked: count }: { readonly revoked: number },
  request: ApiRequest,
  place: TokenPlace,
): Presentation {
  const actions = [link(backTo(place), pathTo(request, `${place}-tokens`))]
  return { notice: m('admin.revoked', { count }), actions, hasNoForms: true }
}

function backTo(place: TokenPlace): Message {
  return place === 'admin' ? m('admin.tokens') : m('account.tokens')
}

/** `end`: the address that ends them. */
export function sessionsShown(
  { results }: Listed<AccountSession>,
  end: string,
  all: PresentedAction,
): Presentation {
  const rows = results.map(({ id, created, expires, isCurrent = false }): PresentedRow => {
    const act = {
      label: m('admin.end'),
      url: end,
      sure: m('admin.end.sure'),
      fields: { session: id },
      isDangerous: true,
    }
    const name: Cell = isCurrent ? { words: [m('admin.this_session')] } : { text: id.slice(0, 8) }
    const cells = [name, moment(created), moment(expires)]
    return { id, name: id.slice(0, 8), cells, actions: isCurrent ? [] : [act] }
  })
  const columns = [m('admin.session'), m('admin.created'), m('admin.expires')]
  return { columns, rows, actions: rows.length > 0 ? [all] : [], hasNoForms: true }
}

interface ChangeShown {
  readonly id: number
  readonly at: string
  readonly actor: string
  readonly systemUser: string
  readonly command: string
  readonly action: string
  readonly user: number
  readonly username: string
  readonly token: string | null
  readonly details: object
}

export function auditShown({ results }: Listed<ChangeShown>, request: ApiRequest): Presentation {
  const columns = [
    m('admin.at'),
    m('admin.actor'),
    m('admin.action'),
    m('page.username'),
    m('admin.token'),
    m('admin.details'),
  ]
  const rows = results.map((change): PresentedRow => {
    const { id, at, actor, systemUser, command, action, username, token, details } = change
    const by = actor || [systemUser, command && `(${command})`].filter(Boolean).join(' ')
    const facts = Object.entries(details).filter(([, value]) => value !== null)
    const cells: readonly Cell[] = [
      moment(at),
      { text: by || null },
      { words: [action] },
      { text: username, url: pathTo(request, 'admin-user', { id: change.user }) },
      { text: token === '' ? m('admin.usual') : token },
      { text: facts.map(([name, value]) => `${name}: ${String(value)}`).join(', ') || null },
    ]
    return { id: String(id), name: action, cells, actions: [] }
  })
  const actions = [
    link(m('admin.users'), pathTo(request, 'admin-users')),
    link(m('admin.tokens'), pathTo(request, 'admin-tokens')),
  ]
  return { columns, rows, actions }
}

export function link(label: Message, url: string): PresentedAction {
  return { label, url }
}

function moment(at: string | null, none: Message | null = null): Cell {
  return at === null ? { text: none } : { at }
}

/** The first page of an account. */
export function accountPage(
  { username, email, dateJoined, lastLogin }: Omit<UserShown, 'id'>,
  request: ApiRequest,
): Presentation {
  const cells = [
    { text: username },
    { text: email || null },
    moment(lastLogin, m('admin.never')),
    moment(dateJoined),
  ]
  const columns = [m('page.username'), m('admin.email'), m('admin.last_login'), m('admin.joined')]
  const actions = (['tokens', 'sessions', 'password'] as const).map((name) =>
    link(m(`account.${name}`), pathTo(request, `account-${name}`)),
  )
  const row = { id: '', name: username, cells, actions: [] }
  return { columns, rows: [row], isOne: true, actions }
}
