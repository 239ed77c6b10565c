import { isPossibleScope } from '../accounts/account-input.ts'
import type { Endpoint } from '../api/types.ts'
import type { Behaviour } from '../contract/kernel.ts'
import type { Token, User } from '../contract/credentials.ts'
import type { ApiRequest, OperationPlace, Reply } from '../contract/request.ts'
import type { InputOf } from '../contract/serializer.ts'
import { NONE, found, retrieve } from '../endpoints/found.ts'
import { list } from '../endpoints/list.ts'
import { Conflict, NotFound } from '../errors/api-errors.ts'
import { FieldFilter } from '../filters/field-filter.ts'
import { SearchFilter } from '../filters/search-filter.ts'
import { Message } from '../messages/message.ts'
import { uncached } from '../replies/reply.ts'
import * as field from '../serializers/fields/index.ts'
import { serializer } from '../serializers/serializer.ts'
import type { ListedToken } from '../sql/accounts/lists.ts'
import { act, described, holding } from './behaviours.ts'
import { type Narrowed, Narrowing, moments } from './narrowing.ts'
import {
  type Numbered,
  type Parts,
  inHandsOf,
  invalid,
  moment,
  momentOrNull,
  oneOf,
  ownOf,
  readOnly,
  userOf,
} from './parts.ts'
import { shownAs } from './presentation.ts'
import { type AdminToken, tokenPages } from './token-pages.ts'

const m = Message.of

const MOST_REVOKED = 100
/** Seconds that an old key may go on working: 30 days. */
const LONGEST_OVERLAP = 30 * 86_400

const tokenShown = serializer(
  {
    id: field.integer(readOnly),
    user: field.integer({ source: 'user_id', ...readOnly }),
    username: field.text(readOnly),
    name: field.text(readOnly),
    scopes: field.computed(({ scopes }: Pick<ListedToken, 'scopes'>) => scopesOf(scopes), {
      schema: { type: ['array', 'null'], items: { type: 'string' } },
    }),
    created: moment('created'),
    expires: momentOrNull('expires'),
    lastUsed: momentOrNull('last_used'),
  },
  { name: 'AccountToken' },
)

function scopesOf(scopes: string | null): readonly string[] | null {
  return scopes === null ? null : scopes.split(' ').filter(Boolean)
}

/** What a new token has beside its user. */
const TERMS = {
  name: field.text({ maxLength: 100, required: false }),
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

/** An answer with a key. */
const KEY_MADE = {
  status: 201,
  shows: (at: OperationPlace) => ({
    allOf: [at.schema(tokenShown, 'output'), holding('key', { type: 'string' })],
  }),
}
const REVOKED = { shows: () => holding('revoked', { type: 'integer' }) }

/** Tokens in the hands of the administration. */
export function tokenEndpoints(parts: Parts): Endpoint<never>[] {
  const { group, accounts, lists } = parts
  const { tokens: source } = lists
  const pages = tokenPages('admin')
  const find = ({ params }: Numbered) => oneOf(source, 'id', params.id)
  const one: Behaviour<Numbered> = shownAs(retrieve({ find, serializer: tokenShown }), pages.one)
  const make = act({
    reads: newToken,
    title: m('admin.make_token'),
    // The form for a user's tokens begins with that user.
    values: ({ query }) => ({ user: query.peek('user') }),
    ...KEY_MADE,
    does: async ({ user: id, ...input }, request) => {
      const user = await accounts.users.byId(id)
      if (user === null) throw invalid('user', 'does_not_exist')
      return makeToken(user, input, request, parts)
    },
  })
  const rotate = act({
    reads: rotation,
    title: m('admin.rotate'),
    ...KEY_MADE,
    status: 200,
    errors: [NONE, { status: 409, codes: ['conflict'] }],
    does: async ({ overlap }, request: Numbered) => {
      if (overlap > 0 && !accounts.tokens.areMany) throw invalid('overlap', 'invalid.one_token')
      const { user_id: id, name } = await found(request, find(request))
      const user = await userOf(accounts, id)
      const { tokens } = inHandsOf(request, accounts)
      const token = await tokens.rotate(user, name, { overlap: overlap * 1000 })
      if (token === null) throw new Conflict()
      return withKey(token, request, parts)
    },
  })
  const revoke = async (request: Numbered) => {
    const { id } = await found(request, find(request))
    return revokeTokens([id], request, parts)
  }
  const revokeMany = act({
    reads: chosenTokens,
    title: m('admin.revoke'),
    ...REVOKED,
    does: async ({ tokens }, request) => {
      const known = source.where([{ field: 'id', operator: 'in', value: tokens }])
      for (const row of await known.slice(0, MOST_REVOKED))
        await request.checkObjectPermissions(row)
      return revokeTokens(tokens, request, parts)
    },
  })
  return [
    group
      .endpoint('admin-tokens', { title: 'Tokens' })
      .get(
        shownAs(
          list({
            source,
            serializer: tokenShown,
            filters: [
              new SearchFilter(),
              new FieldFilter(),
              new Narrowing(
                SCOPE,
                ...moments('expires', 'expires'),
                ...moments('lastUsed', 'last_used'),
              ),
            ],
            searchFields: ['username', 'name'],
            filterFields: [
              'user',
              'username',
              'name',
              // What never expires, and what was never used.
              { name: 'expires__isnull', column: 'expires', lookup: 'isnull' },
              { name: 'lastUsed__isnull', column: 'last_used', lookup: 'isnull' },
            ],
          }),
          pages.many,
        ),
      )
      .post(shownAs(make, pages.one)),
    group.endpoint('admin-token', { title: 'Token' }).get(one),
    group
      .endpoint('admin-token-rotate', { title: 'A new key' })
      .get(one)
      .post(shownAs(rotate, pages.one)),
    group
      .endpoint('admin-token-revoke', { title: 'Revoke a token' })
      .get(one)
      .post(shownAs(described(revoke, { ...REVOKED, errors: [NONE] }), pages.revoked)),
    group
      .endpoint('admin-tokens-revoke', { title: 'Revoke tokens' })
      .post(shownAs(revokeMany, pages.revoked)),
  ]
}

/** Tokens of the user who asks; those of others are not there. */
export function ownTokenEndpoints(parts: Parts): Endpoint<never>[] {
  const { group, accounts, lists } = parts
  const pages = tokenPages('account')
  const source = async (request: ApiRequest) => {
    const { id } = await ownOf(request, accounts)
    return lists.tokens.where([{ field: 'user_id', operator: 'equals', value: id }])
  }
  const find = async (request: Numbered) => oneOf(await source(request), 'id', request.params.id)
  const one: Behaviour<Numbered> = shownAs(retrieve({ find, serializer: tokenShown }), pages.one)
  const make = act({
    reads: newOwnToken,
    title: m('admin.make_token'),
    ...KEY_MADE,
    does: async (input, request) =>
      makeToken(await ownOf(request, accounts), input, request, parts),
  })
  const revoke = async (request: Numbered) => {
    const { id } = await found(request, find(request))
    return revokeTokens([id], request, parts)
  }
  return [
    group
      .endpoint('account-tokens', { title: 'My tokens' })
      .get(shownAs(list({ source, serializer: tokenShown, filters: [] }), pages.many))
      .post(shownAs(make, pages.one)),
    group.endpoint('account-token', { title: 'My token' }).get(one),
    group
      .endpoint('account-token-revoke', { title: 'Revoke my token' })
      .get(one)
      .post(shownAs(described(revoke, { ...REVOKED, errors: [NONE] }), pages.revoked)),
  ]
}

/** Without a name the usual one, which is as it is. */
async function makeToken(
  user: User,
  { name, scopes = null, expires = null }: Omit<InputOf<typeof newToken>, 'user'>,
  request: ApiRequest,
  parts: Parts,
): Promise<Reply> {
  const { tokens } = inHandsOf(request, parts.accounts)
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

/** The only answers with a key: no cache keeps them. */
async function withKey(
  { user, name, key }: Token,
  request: ApiRequest,
  { accounts, lists }: Parts,
  status = 200,
): Promise<Reply> {
  const made = await accounts.database.tokens.ofUser(user.id, name ?? '')
  const row = made && (await oneOf(lists.tokens, 'id', made.id))
  if (row === null) throw new NotFound()
  const shown: AdminToken = { ...tokenShown.represent(row, request), key }
  return uncached(shown, { status })
}

/** Of these numbers those that there are. */
async function revokeTokens(
  ids: readonly number[],
  request: ApiRequest,
  { accounts }: Parts,
): Promise<{ readonly revoked: number }> {
  return { revoked: await inHandsOf(request, accounts).tokens.revokeMany(ids) }
}

/** Tokens that are held to scopes, by one of them. */
const SCOPE: Narrowed = {
  name: 'scope',
  field: 'words',
  operator: 'icontains',
  read: (scope) => (isPossibleScope(scope) ? ` ${scope} ` : null),
  wrong: 'invalid.unfit',
}
