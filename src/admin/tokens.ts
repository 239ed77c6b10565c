import type { AdminToken } from './access.ts'
import type { Endpoint } from '../api/types.ts'
import type { Token, User } from '../contract/credentials.ts'
import type { ApiRequest, OperationPlace } from '../contract/request.ts'
import { NONE, retrieve } from '../endpoints/found.ts'
import { list } from '../endpoints/list.ts'
import type { InputOf } from '../contract/serializer.ts'
import { Conflict, NotFound } from '../errors/api-errors.ts'
import { FieldFilter } from '../filters/field-filter.ts'
import { SearchFilter } from '../filters/search-filter.ts'
import { Message } from '../messages/message.ts'
import {
  type Listed,
  type TokenPlace,
  auditShown,
  revokedShown,
  shownAs,
  tokenPage,
  tokensShown,
} from './presentation.ts'
import { uncached } from '../replies/reply.ts'
import * as field from '../serializers/fields/index.ts'
import { serializer } from '../serializers/serializer.ts'
import type { ListedToken } from '../sql/accounts/lists.ts'
import {
  type Found,
  type Narrowed,
  Narrowing,
  type Parts,
  asked,
  described,
  holding,
  inHandsOf,
  invalid,
  moment,
  moments,
  oneOf,
  ownOf,
  readOnly,
  userOf,
} from './parts.ts'

const MOST_REVOKED = 100
/** Seconds that an old key may go on working: 30 days. */
const LONGEST_OVERLAP = 30 * 86_400

const scopesOf = (scopes: string | null): readonly string[] | null =>
  scopes === null ? null : scopes.split(' ').filter(Boolean)

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
    expires: moment('expires', { nullable: true }),
    lastUsed: moment('last_used', { nullable: true }),
  },
  { name: 'AccountToken' },
)

const terms = {
  name: field.text({ maxLength: 100, required: false }),
  scopes: field.list(field.text({ maxLength: 100 }), {
    maxLength: 100,
    required: false,
    nullable: true,
  }),
  expires: field.dateTime({ as: 'date', required: false, nullable: true }),
}
const newToken = serializer({ user: field.integer({ min: 1 }), ...terms }, { name: 'AdminToken' })
const newOwnToken = serializer(terms, { name: 'AccountToken' })

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

const keyMade = {
  status: 201,
  shows: (at: OperationPlace) => ({
    allOf: [at.schema(tokenShown, 'output'), holding('key', { type: 'string' })],
  }),
}
const rotated = {
  ...keyMade,
  status: 200,
  errors: [NONE, { status: 409, codes: ['conflict'] }],
}
const ended = { shows: () => holding('revoked', { type: 'integer' }) }
const endedOne = { ...ended, errors: [NONE] }

const m = Message.of
const own = (place: TokenPlace) => (token: AdminToken, request: ApiRequest) =>
  tokenPage(token, request, place)
const listed = (place: TokenPlace) => (page: Listed<AdminToken>, request: ApiRequest) =>
  tokensShown(page, request, place)
const revoked = (place: TokenPlace) => (data: { revoked: number }, request: ApiRequest) =>
  revokedShown(data, request, place)

/** The form for a user's tokens begins with that user. */
const userOfQuery = ({ query }: ApiRequest) => ({ user: query.peek('user') })

/** What the administration and the owner of an account do with tokens alike. */
function tokenActs({ accounts, lists }: Parts) {
  const { areMany } = accounts.tokens
  /** The only answers with a key: no cache keeps them. */
  const withKey = async (token: Token, request: ApiRequest, status: number) => {
    const made = await accounts.database.tokens.ofUser(token.user.id, token.name ?? '')
    const row = made && (await oneOf(lists.tokens, 'id', made.id))
    if (row === null) throw new NotFound()
    const shown = tokenShown.represent(row, request) as AdminToken
    return uncached({ ...shown, key: token.key } satisfies AdminToken, { status })
  }
  const make = async (user: User, input: NewToken, request: ApiRequest) => {
    const { name, scopes, expires } = input
    const { tokens } = inHandsOf(request, accounts)
    if (name === undefined) {
      if ((scopes ?? null) !== null) throw invalid('scopes', 'invalid.usual_token')
      if ((expires ?? null) !== null) throw invalid('expires', 'invalid.usual_token')
      return withKey(await tokens.obtain(user), request, 201)
    }
    if (!areMany) throw invalid('name', 'invalid.one_token')
    const token = await tokens.issue(user, {
      name,
      scopes: scopes ?? null,
      expires: expires ?? null,
    })
    if (token === null) throw invalid('name', 'unique')
    return withKey(token, request, 201)
  }
  const revoke = async (ids: readonly number[], request: ApiRequest) => ({
    revoked: await inHandsOf(request, accounts).tokens.revokeMany(ids),
  })
  return { areMany, withKey, make, revoke }
}

type NewToken = Pick<InputOf<typeof newToken>, keyof typeof terms>

export function tokenEndpoints(parts: Parts): Endpoint<never>[] {
  const { group, accounts, lists } = parts
  const { tokens: source } = lists
  const { areMany, withKey, make, revoke } = tokenActs(parts)
  const find = ({ params }: Found) => oneOf(source, 'id', params.id)
  const one = shownAs(
    retrieve({ find: find as never, serializer: tokenShown as never }),
    own('admin'),
  )
  const stored = async (request: ApiRequest): Promise<ListedToken> => {
    const found = await find(request as Found)
    if (found === null) throw new NotFound()
    return found
  }
  const makeFor = async (request: ApiRequest) => {
    const { user: id, ...input } = await newToken.parse(await request.body(), request)
    const user = await accounts.users.byId(id)
    if (user === null) throw invalid('user', 'does_not_exist')
    return make(user, input, request)
  }
  const rotate = async (request: ApiRequest) => {
    const { overlap } = await rotation.parse(await request.body(), request)
    if (overlap > 0 && !areMany) throw invalid('overlap', 'invalid.one_token')
    const { user_id: id, name } = await stored(request)
    const { tokens } = inHandsOf(request, accounts)
    const token = await tokens.rotate(await userOf(accounts, id), name, { overlap: overlap * 1000 })
    if (token === null) throw new Conflict()
    return withKey(token, request, 200)
  }
  const revokeMany = async (request: ApiRequest) => {
    const { tokens: ids } = await chosenTokens.parse(await request.body(), request)
    return revoke(ids, request)
  }
  return [
    group
      .endpoint('admin-tokens', { title: 'Tokens' })
      .get(
        shownAs(
          list({
            source: source as never,
            serializer: tokenShown as never,
            filters: [
              new SearchFilter(),
              new FieldFilter(),
              new Narrowing(
                SCOPE,
                ...moments('expires', 'expires'),
                ...moments('lastUsed', 'last_used'),
              ),
            ],
            searchFields: ['username', 'name'] as never,
            filterFields: ['user', 'username', 'name', ...NEVER] as never,
          }),
          listed('admin'),
        ),
      )
      .post(
        shownAs(
          described(asked(newToken, makeFor, m('admin.make_token'), userOfQuery), {
            reads: newToken,
            ...keyMade,
          }),
          own('admin'),
        ),
      ),
    group.endpoint('admin-token', { title: 'Token' }).get(one),
    group
      .endpoint('admin-token-rotate', { title: 'A new key' })
      .get(one)
      .post(
        shownAs(
          described(asked(rotation, rotate, m('admin.rotate')), { reads: rotation, ...rotated }),
          own('admin'),
        ),
      ),
    group
      .endpoint('admin-token-revoke', { title: 'Revoke a token' })
      .get(one)
      .post(
        shownAs(
          described(async (request) => revoke([(await stored(request)).id], request), endedOne),
          revoked('admin'),
        ),
      ),
    group.endpoint('admin-tokens-revoke', { title: 'Revoke tokens' }).post(
      shownAs(
        described(asked(chosenTokens, revokeMany, m('admin.revoke')), {
          reads: chosenTokens,
          ...ended,
        }),
        revoked('admin'),
      ),
    ),
  ]
}

/** Tokens of the user who asks; those of others are not there. */
export function ownTokenEndpoints(parts: Parts): Endpoint<never>[] {
  const { group, accounts, lists } = parts
  const { make, revoke } = tokenActs(parts)
  const ofOwner = async (request: ApiRequest) => {
    const { id } = await ownOf(request, accounts)
    return lists.tokens.where([{ field: 'user_id', operator: 'equals', value: id }])
  }
  const find = async (request: Found) => oneOf(await ofOwner(request), 'id', request.params.id)
  const one = shownAs(
    retrieve({ find: find as never, serializer: tokenShown as never }),
    own('account'),
  )
  const makeOwn = async (request: ApiRequest) => {
    const input = await newOwnToken.parse(await request.body(), request)
    return make(await ownOf(request, accounts), input, request)
  }
  const revokeOwn = async (request: ApiRequest) => {
    const found = await find(request as Found)
    if (found === null) throw new NotFound()
    return revoke([found.id], request)
  }
  return [
    group
      .endpoint('account-tokens', { title: 'My tokens' })
      .get(
        shownAs(
          list({ source: ofOwner as never, serializer: tokenShown as never, filters: [] }),
          listed('account'),
        ),
      )
      .post(
        shownAs(
          described(asked(newOwnToken, makeOwn, m('admin.make_token')), {
            reads: newOwnToken,
            ...keyMade,
          }),
          own('account'),
        ),
      ),
    group.endpoint('account-token', { title: 'My token' }).get(one),
    group
      .endpoint('account-token-revoke', { title: 'Revoke my token' })
      .get(one)
      .post(shownAs(described(revokeOwn, endedOne), revoked('account'))),
  ]
}

/** What never expires, and what was never used. */
const NEVER = [
  { name: 'expires__isnull', column: 'expires', lookup: 'isnull' },
  { name: 'lastUsed__isnull', column: 'last_used', lookup: 'isnull' },
]

const SCOPE: Narrowed = {
  name: 'scope',
  field: 'words',
  operator: 'icontains',
  read: (text) => (/^[!#-[\]-~]{1,100}$/.test(text) ? ` ${text} ` : null),
  wrong: 'invalid.unfit',
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
    details: field.computed(({ details }: { details: string }) => JSON.parse(details) as unknown, {
      schema: { type: 'object' },
    }),
    requestId: field.text({ source: 'request_id', nullable: true, ...readOnly }),
  },
  { name: 'AdminChange' },
)

export function auditEndpoint({ group, lists }: Parts): Endpoint<never> {
  return group.endpoint('admin-audit', { title: 'Audit trail' }).get(
    shownAs(
      list({
        source: lists.audit as never,
        serializer: changeShown as never,
        filters: [new FieldFilter(), new Narrowing(...moments('at', 'at'))],
        filterFields: ['actor', 'user', 'username', 'action', 'systemUser', 'requestId'] as never,
      }),
      auditShown,
    ),
  )
}
