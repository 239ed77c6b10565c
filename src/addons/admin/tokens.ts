import { ACCOUNT_LIMITS } from '../../accounts/account-input.ts'
import type { Endpoint } from '../../core/app/group.ts'
import { AuthenticationFailed, Conflict, NotFound } from '../../core/errors/api-errors.ts'
import { Message } from '../../core/messages/message.ts'
import type { Token, User } from '../../core/ports/credentials.ts'
import type { Behaviour } from '../../core/ports/kernel.ts'
import type { Presentation, PresentedAction } from '../../core/ports/page.ts'
import type { Reply } from '../../core/ports/representations.ts'
import type { ApiRequest } from '../../core/ports/request.ts'
import type { DataShownBy, InputOf } from '../../core/ports/serializer.ts'
import type { OperationPlace } from '../../core/ports/settings/settings.ts'
import type { MaybePromise } from '../../core/std/after.ts'
import { uncached } from '../../core/replies/reply.ts'
import { FieldFilter } from '../../policies/filters/field-filter.ts'
import { SearchFilter } from '../../policies/filters/search-filter.ts'
import { found, retrieve } from '../../resources/endpoints/retrieve.ts'
import { list } from '../../resources/endpoints/list.ts'
import { field, serializer } from '../../resources/serializers/serializer.ts'
import {
  type Columns,
  KeptFilter,
  NO_SUCH_OBJECT,
  type Numbered,
  type AdminParts,
  SCOPE_PARAMETER,
  actOnBody,
  withAnswer,
  objectWith,
  accountsBy,
  invalid,
  linksTo,
  timeField,
  timeOrNull,
  timeFilters,
  rowWhere,
  ownAccount,
  ownerCell,
  pathToRoute,
  readOnly,
  tableOf,
  timeCell,
  userById,
} from './behaviours.ts'

const m = Message.of

/** The tokens that an endpoint is about: those of all users, or the user's own. */
type TokenPlace = 'admin' | 'account'

const MOST_REVOKED = 100
/** The longest time that an old key may go on working, in seconds: 30 days. */
const LONGEST_OVERLAP = 30 * 86_400

const tokenShown = serializer(
  {
    id: field.integer(readOnly),
    user: field.integer({ source: 'user_id', ...readOnly }),
    username: field.text(readOnly),
    name: field.text(readOnly),
    scopes: field.computed(({ scopes }: { readonly scopes: string | null }) => scopesOf(scopes), {
      schema: { type: ['array', 'null'], items: { type: 'string' } },
    }),
    created: timeField('created'),
    expires: timeOrNull('expires'),
    lastUsed: timeOrNull('last_used'),
  },
  { name: 'AccountToken' },
)
/** `key`: only the answer that makes a token has it. */
type TokenShown = DataShownBy<typeof tokenShown> & { readonly key?: string }

function scopesOf(scopes: string | null): readonly string[] | null {
  return scopes === null ? null : scopes.split(' ').filter(Boolean)
}

/** The members of a new token beside its user. */
const TERMS = {
  name: field.text({ maxLength: ACCOUNT_LIMITS.tokenName, required: false }),
  scopes: field.list(field.text({ maxLength: 100 }), {
    maxLength: 100,
    required: false,
    nullable: true,
  }),
  expires: field.dateTime({ as: 'date', required: false, nullable: true }),
}
const newToken = serializer({ user: field.integer({ min: 1 }), ...TERMS }, { name: 'AdminToken' })

const newOwnToken = serializer(TERMS, { name: 'AccountToken' })

const rotation = serializer(
  {
    overlap: field.integer({
      min: 0,
      max: LONGEST_OVERLAP,
      default: 0,
      helpText: 'Seconds for which the old key goes on working.',
    }),
  },
  { name: 'TokenRotation' },
)

const chosenTokens = serializer(
  {
    tokens: field.list(field.integer({ min: 1 }), { minLength: 1, maxLength: MOST_REVOKED }),
  },
  { name: 'ChosenTokens' },
)

const keyMade = (place: TokenPlace) => ({
  status: 201,
  shows: (at: OperationPlace) => ({
    allOf: [at.schema(tokenShown, 'output'), objectWith('key', { type: 'string' })],
  }),
  presentation: tokenPage(place),
})

const revoked = (place: TokenPlace) => ({
  shows: () => objectWith('revoked', { type: 'integer' }),
  presentation: (
    { revoked: count }: { readonly revoked: number },
    request: ApiRequest,
  ): Presentation => ({
    notice: m('admin.revoked', { count }),
    actions: linksTo(request, `${place}-tokens`),
    hasNoForms: true,
  }),
})

interface Many {
  readonly results: readonly TokenShown[]
}

export function tokenEndpoints(parts: AdminParts): Endpoint<never>[] {
  const { group, lists } = parts
  const { find, one, revoke } = aboutOne('admin', parts, () => lists.tokens)
  return [
    group
      .endpoint('admin-tokens', { title: 'Tokens' })
      .get({ ...listTokens(parts), presentation: allTokensPage })
      .post(issueToken(parts)),
    group.endpoint('admin-token', { title: 'Token' }).get(one),
    group
      .endpoint('admin-token-rotate', { title: 'A new key' })
      .get(one)
      .post(rotateToken(find, parts)),
    group.endpoint('admin-token-revoke', { title: 'Revoke a token' }).get(one).post(revoke),
    group.endpoint('admin-tokens-revoke', { title: 'Revoke tokens' }).post(revokeChosen(parts)),
  ]
}

function listTokens({ lists }: AdminParts) {
  const times = [...timeFilters('expires', 'expires'), ...timeFilters('lastUsed', 'last_used')]
  return list({
    source: lists.tokens,
    serializer: tokenShown,
    filters: [new SearchFilter(), new FieldFilter(), new KeptFilter(SCOPE_PARAMETER, ...times)],
    searchFields: ['username', 'name'],
    filterFields: [
      'user',
      'username',
      'name',
      // Finds tokens that never expire, and tokens that were never used.
      { name: 'expires__isnull', column: 'expires', lookup: 'isnull' },
      { name: 'lastUsed__isnull', column: 'last_used', lookup: 'isnull' },
    ],
  })
}

function issueToken(parts: AdminParts) {
  return actOnBody({
    reads: newToken,
    title: m('admin.make_token'),
    errors: [{ status: 409, codes: ['conflict'] }],
    // The link from a user's tokens names that user in the query.
    values: ({ query }) => ({ user: query.peek('user') }),
    ...keyMade('admin'),
    does: async ({ user: id, ...input }, request) => {
      checkMaker(id, request)
      const gone = invalid('user', 'does_not_exist')
      const user = await parts.accounts.users.byId(id)
      if (user === null) throw gone
      return unlessDeleted(gone, makeToken(user, input, request, parts))
    },
  })
}

function rotateToken(find: ReturnType<typeof aboutOne>['find'], parts: AdminParts) {
  const { accounts } = parts
  return actOnBody({
    reads: rotation,
    title: m('admin.rotate'),
    ...keyMade('admin'),
    status: 200,
    errors: [NO_SUCH_OBJECT, { status: 409, codes: ['conflict'] }],
    does: async ({ overlap }, request: Numbered) => {
      if (overlap > 0 && !accounts.tokens.areMany) throw invalid('overlap', 'invalid.one_token')
      const { user_id: id, name } = await found(request, find(request))
      checkMaker(id, request)
      const user = await userById(accounts, id)
      const { tokens } = accountsBy(request, accounts)
      const rotated = tokens.rotate(user, name, { overlap: overlap * 1000 })
      const token = await unlessDeleted(new NotFound(), rotated)
      if (token === null) throw new Conflict()
      return withKey(token, request, parts)
    },
  })
}

function revokeChosen(parts: AdminParts) {
  return actOnBody({
    reads: chosenTokens,
    title: m('admin.revoke'),
    ...revoked('admin'),
    does: async ({ tokens }, request) => {
      const known = parts.lists.tokens.where([{ field: 'id', operator: 'in', value: tokens }])
      for (const row of await known.slice(0, MOST_REVOKED))
        await request.checkObjectPermissions(row)
      return { revoked: await accountsBy(request, parts.accounts).tokens.revokeMany(tokens) }
    },
  })
}

/** Tokens of the user who asks; tokens of others are not found. */
export function ownTokenEndpoints(parts: AdminParts): Endpoint<never>[] {
  const { group, accounts, lists } = parts
  const source = async (request: ApiRequest) => {
    const { id } = await ownAccount(request, accounts)
    return lists.tokens.where([{ field: 'user_id', operator: 'equals', value: id }])
  }
  const { one, revoke } = aboutOne('account', parts, source)
  const make = actOnBody({
    reads: newOwnToken,
    title: m('admin.make_token'),
    ...keyMade('account'),
    does: async (input, request) =>
      makeToken(await ownAccount(request, accounts), input, request, parts),
  })
  return [
    group
      .endpoint('account-tokens', { title: 'My tokens' })
      .get({
        ...list({ source, serializer: tokenShown, filters: [] }),
        presentation: ({ results }: Many, request) => tokensTable('account', results, request),
      })
      .post(make),
    group.endpoint('account-token', { title: 'My token' }).get(one),
    group.endpoint('account-token-revoke', { title: 'Revoke my token' }).get(one).post(revoke),
  ]
}

/** The endpoints of one token: it is shown, and revoked. */
function aboutOne(
  place: TokenPlace,
  parts: AdminParts,
  source: (request: Numbered) => MaybePromise<ReturnType<AdminParts['lists']['tokens']['where']>>,
) {
  const find = async (request: Numbered) => rowWhere(await source(request), 'id', request.params.id)
  const one: Behaviour<Numbered> = {
    ...retrieve({ find, serializer: tokenShown }),
    presentation: tokenPage(place),
  }
  const revoke = async (request: Numbered) => {
    const { id } = await found(request, find(request))
    return { revoked: await accountsBy(request, parts.accounts).tokens.revokeMany([id]) }
  }
  return { find, one, revoke: withAnswer(revoke, { ...revoked(place), errors: [NO_SUCH_OBJECT] }) }
}

/** @throws Conflict (409) a token would make another key for its own user, which outlives it */
function checkMaker(id: number, { user, auth }: ApiRequest): void {
  if (auth !== null && id === (user as User).id) throw new Conflict(m('conflict.own_tokens'))
}

/** @throws `gone` the user is deleted meanwhile, which is no 401 of the client who asks for another's key */
async function unlessDeleted<T>(gone: Error, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw error instanceof AuthenticationFailed ? gone : error
  }
}

/** Without a name, gives the usual token of the user, which has no options. */
async function makeToken(
  user: User,
  { name, scopes = null, expires = null }: Omit<InputOf<typeof newToken>, 'user'>,
  request: ApiRequest,
  parts: AdminParts,
): Promise<Reply> {
  const { tokens } = accountsBy(request, parts.accounts)
  if (name === undefined) {
    if (scopes !== null) throw invalid('scopes', 'invalid.usual_token')
    if (expires !== null) throw invalid('expires', 'invalid.usual_token')
    return withKey(await tokens.obtain(user), request, parts, 201)
  }
  if (!tokens.areMany) throw invalid('name', 'invalid.one_token')
  const token = await tokens.issue(user, { name, scopes, expires })
  if (token === null) throw invalid('name', 'unique')
  return withKey(token, request, parts, 201)
}

/** Answers with a key, and keeps it out of caches. No other answer has one. */
async function withKey(
  { user, name, key }: Token,
  request: ApiRequest,
  { lists }: AdminParts,
  status = 200,
): Promise<Reply> {
  const ofUser = lists.tokens.where([{ field: 'user_id', operator: 'equals', value: user.id }])
  const row = await rowWhere(ofUser, 'name', name ?? '')
  if (row === null) throw new NotFound()
  const shown: TokenShown = { ...tokenShown.represent(row, request), key }
  return uncached(shown, { status })
}

function columnsOf(place: TokenPlace): Columns<TokenShown> {
  return {
    'admin.token': ({ name, id }, request) => ({
      text: name || m('admin.usual'),
      url: pathToRoute(request, `${place}-token`, { id }),
    }),
    ...(place === 'admin' && { 'page.username': ownerCell }),
    'admin.scopes': ({ scopes }) =>
      scopes === null ? { text: m('admin.everything') } : { words: scopes },
    'admin.last_used': timeCell('lastUsed', 'admin.never'),
    'admin.expires': timeCell('expires', 'admin.never'),
    'admin.created': timeCell('created'),
  }
}

function tokensTable(place: TokenPlace, tokens: readonly TokenShown[], request: ApiRequest) {
  return tableOf(columnsOf(place), tokens, request, ({ id, name, username }) => ({
    id: String(id),
    name: `${username} ${name}`.trim(),
    actions: actionsOf(id, request, place),
  }))
}

function actionsOf(id: number, request: ApiRequest, place: TokenPlace): readonly PresentedAction[] {
  const revoke: PresentedAction = {
    label: m('admin.revoke'),
    url: pathToRoute(request, `${place}-token-revoke`, { id }),
    sure: m('admin.revoke.sure'),
    isDangerous: true,
  }
  if (place === 'account') return [revoke]
  const rotate: PresentedAction = {
    label: m('admin.rotate'),
    url: pathToRoute(request, 'admin-token-rotate', { id }),
    sure: m('admin.rotate.sure'),
    choice: { name: 'overlap', label: m('admin.overlap'), choices: OVERLAPS },
  }
  return [rotate, revoke]
}

const OVERLAPS = [
  ['0', m('admin.overlap.none')],
  ['3600', m('admin.overlap.hour')],
  ['86400', m('admin.overlap.day')],
  ['604800', m('admin.overlap.week')],
] as const

function allTokensPage({ results }: Many, request: ApiRequest): Presentation {
  const many = {
    label: m('admin.revoke_chosen'),
    url: pathToRoute(request, 'admin-tokens-revoke'),
    sure: m('admin.revoke_chosen.sure'),
    isDangerous: true,
    field: 'tokens',
  }
  const actions = linksTo(request, 'admin-users', 'admin-audit')
  return { ...tokensTable('admin', results, request), many, actions }
}

/** The page of one token. It shows the key in the answer that makes the token, and that of the usual token later, too. */
function tokenPage(place: TokenPlace) {
  return (token: TokenShown, request: ApiRequest): Presentation => {
    const { id, key, name } = token
    const shown = {
      ...tokensTable(place, [token], request),
      isOne: true,
      actions: [...linksTo(request, `${place}-tokens`), ...actionsOf(id, request, place)],
      hasNoForms: true,
    }
    if (key === undefined) return shown
    const note = name === '' ? m('admin.key.usual') : m('admin.key.once')
    return { ...shown, secret: { value: key, note } }
  }
}
