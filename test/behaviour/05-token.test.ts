import { describe, expect, test } from 'vitest'
import { type App, IsAuthenticated, TokenAuthentication, defineApi } from '../../src/index.ts'
import type { TokenVerifier } from '../../src/types.ts'
import { defineAccounts } from '../../src/accounts.ts'
import { client } from '../../src/testing.ts'
import { type On, type OpenDatabase, onDatabases } from './databases.ts'
import { type Row, throughDoors } from './doors.ts'
import { DETAIL, bob, notebook, quiet, tokens as own } from './fixtures.ts'

class BearerAuthentication extends TokenAuthentication {
  override readonly keyword = 'Bearer'
}
const later: TokenVerifier = {
  verify: async (key) => (key === 'db' ? { key, user: bob, created: new Date(0) } : null),
}
const api = defineApi({
  urls: {
    open: '/open/',
    members: '/members/',
    bearer: '/bearer/',
    later: '/later/',
    asked: '/asked/',
  },
})
const whoami = (request: { user: { username: string }; auth: { key: string } | null }) => ({
  user: request.user.username,
  key: request.auth?.key ?? null,
})
const permissions = [new IsAuthenticated()]
const asked: string[] = []
function openFor({ tokens }: { readonly tokens: TokenVerifier }): App {
  const authentication = [new TokenAuthentication({ tokens })]
  return api.serve(
    [
      api.endpoint('open', { authentication }).get(whoami).post(whoami),
      api.endpoint('members', { authentication, permissions }).get(whoami).post(whoami),
      api
        .endpoint('bearer', { authentication: [new BearerAuthentication({ tokens })], permissions })
        .get(whoami),
      api
        .endpoint('later', {
          authentication: [new TokenAuthentication({ tokens: later, keyword: 'Key' })],
          permissions,
        })
        .get(whoami),
      api
        .endpoint('asked', {
          authentication: [
            new TokenAuthentication({ tokens: { verify: (key) => (asked.push(key), null) } }),
          ],
        })
        .get(whoami),
    ],
    quiet,
  )
}

/** The same tokens in accounts; whoever has more than one has them by name. */
async function accountsIn(open: OpenDatabase): Promise<{ readonly tokens: TokenVerifier }> {
  const options = { secretKey: 'a secret', manyTokens: true, logger: notebook() }
  const accounts = defineAccounts({ database: await open(), ...options })
  const owner = await accounts.users.create({ username: 'bob' })
  const eve = await accounts.users.create({ username: 'eve', isActive: false })
  await accounts.tokens.create(owner, 'k-bob')
  await accounts.tokens.import(owner, { key: 'clé', name: 'in UTF-8' })
  await accounts.tokens.import(owner, { key: 'k\u00a0bob', name: 'with a no-break space' })
  await accounts.tokens.create(eve, 'k-eve')
  return accounts
}
const ownApp = openFor({ tokens: own })
const services: readonly On<{ app: App }>[] = [
  { on: 'tokens of one’s own', app: ownApp },
  ...(await onDatabases(accountsIn)).map((accounts) => ({
    on: `tokens in ${accounts.on}`,
    app: openFor(accounts),
  })),
]

const bob200 = { status: 200, data: { user: 'bob', key: 'k-bob' } }
const nobody = { status: 200, data: { user: '', key: null } }
const failed = { status: 401, data: DETAIL, headers: { 'www-authenticate': 'Token' } }
const sends = (authorization: string) => ({ headers: { authorization } })
const bytes = (text: string) => Buffer.from(text).toString('latin1')

const attempted: Row[] = [
  ['AT7 a known key', 'GET /open/', bob200, sends('Token k-bob')],
  ['AT1 the keyword in any case', 'GET /open/', bob200, sends('tOKEN k-bob')],
  ['AT3 several spaces', 'GET /open/', bob200, sends('Token    k-bob')],
  ['AT3 a tab', 'GET /open/', bob200, sends('Token\tk-bob')],
  ['AT1 space around it all', 'GET /open/', bob200, sends('  Token k-bob  ')],
  ['AT7 on POST without any CSRF', 'POST /members/', bob200, sends('Token k-bob')],
  [
    'AT4 a key in UTF-8',
    'GET /open/',
    { status: 200, data: { user: 'bob', key: 'clé' } },
    sends(bytes('Token clé')),
  ],
  [
    'AT4 a key with a no-break space in it is one word',
    'GET /open/',
    { status: 200, data: { user: 'bob', key: 'k\u00a0bob' } },
    sends(bytes('Token k\u00a0bob')),
  ],
]
const notAttempted: Row[] = [
  ['AT2 no header', 'GET /open/', nobody],
  ['AT2 an empty header', 'GET /open/', nobody, sends('')],
  ['AT2 another keyword', 'GET /open/', nobody, sends('Bearer k-bob')],
  ['AT2 a keyword that goes on', 'GET /open/', nobody, sends('Tokens k-bob')],
  ['AT2 a key alone', 'GET /open/', nobody, sends('k-bob')],
  [
    'AT4 a no-break space after the keyword is part of the word',
    'GET /open/',
    nobody,
    sends(bytes('Token\u00a0k-bob')),
  ],
  [
    'AT2 a protected endpoint then asks for credentials',
    'GET /members/',
    failed,
    sends('Bearer k-bob'),
  ],
  ['AT8 with the challenge', 'GET /members/', failed],
]
const refused: Row[] = [
  ['AT3 the keyword alone', 'GET /open/', failed, sends('Token')],
  ['AT3 the keyword and a space', 'GET /open/', failed, sends('Token ')],
  ['AT3 more than two words', 'GET /open/', failed, sends('Token k-bob k-bob')],
  ['AT4 bytes that are not UTF-8', 'GET /open/', failed, sends('Token \xff\xfe')],
  ['AT4 half a character', 'GET /open/', failed, sends('Token k-bob\xc3')],
  ['AT5 an unknown key', 'GET /open/', failed, sends('Token nope')],
  ['AT4 an unknown key in UTF-8', 'GET /open/', failed, sends(bytes('Token clè'))],
  ['AT5 keys are case-sensitive', 'GET /open/', failed, sends('Token K-BOB')],
  ['AT5 quotes are not taken off', 'GET /open/', failed, sends('Token "k-bob"')],
  ['AT6 an inactive owner', 'GET /open/', failed, sends('Token k-eve')],
  ['AT5 a very long key', 'GET /open/', failed, sends(`Token ${'k'.repeat(5000)}`)],
  ['AT5 names of members of objects are no keys', 'GET /open/', failed, sends('Token __proto__')],
]
const variants: Row[] = [
  [
    'AT8 a variant challenges with its keyword',
    'GET /bearer/',
    { status: 401, headers: { 'www-authenticate': 'Bearer' } },
  ],
  ['AT8 and reads it', 'GET /bearer/', bob200, sends('bearer k-bob')],
  ['AT8 and only it', 'GET /bearer/', 401, sends('Token k-bob')],
  [
    'AT10 another storage, asked later',
    'GET /later/',
    { status: 200, data: { user: 'bob', key: 'db' } },
    sends('Key db'),
  ],
  [
    'AT10 which does not know the key',
    'GET /later/',
    { status: 401, headers: { 'www-authenticate': 'Key' } },
    sends('Key nope'),
  ],
]

describe.each(services)('$on', ({ app, on }) => {
  describe('AT1–AT7 tokens that are good', () => {
    throughDoors(app, attempted, on)
  })
  describe('AT2, AT4 not attempted', () => {
    throughDoors(app, notAttempted, on)
  })
  describe('AT3–AT6, AT9 refused, with E1.4', () => {
    throughDoors(app, refused, on)
  })
  describe('AT8, AT10 variants', () => {
    throughDoors(app, variants, on)
  })

  test('I5 an unknown key and an inactive owner look the same', async () => {
    const texts = await Promise.all(
      ['Token nope', 'Token k-eve'].map(
        async (value) => (await client(app).get('/open/', sends(value))).text,
      ),
    )
    expect(texts[0]).toBe(texts[1])
  })
})

test.each<[unknown, unknown]>([
  ...['', 'Bearer ', 'To ken', 'Bé', null, 5].map((keyword): [unknown, unknown] => [keyword, own]),
  ['Token', null],
  ['Token', {}],
])('a service with the keyword %j and the tokens %o does not start', (keyword, tokens) => {
  const scheme = new TokenAuthentication({ tokens, keyword } as never)
  const alone = defineApi({ urls: { open: '/open/' } })
  const open = alone.endpoint('open', { authentication: [scheme] }).get(() => null)
  expect(() => alone.serve([open])).toThrow(
    /endpoint open: DEFAULT_AUTHENTICATION_CLASSES .* has TokenAuthentication, which needs (a "keyword"|"tokens")/,
  )
})

describe('AT9 the storage', () => {
  test.each(['Token', 'Token a b', 'Token \xff', 'Bearer x'])(
    'never hears of "%s"',
    async (value) => {
      asked.length = 0
      await client(ownApp).get('/asked/', sends(value))
      expect(asked).toEqual([])
    },
  )

  test('is asked once', async () => {
    asked.length = 0
    await client(ownApp).get('/asked/', sends('Token x'))
    expect(asked).toEqual(['x'])
  })
})
