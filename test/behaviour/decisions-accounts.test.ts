import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { HashQueue } from '../../src/accounts/passwords/hash-queue.ts'
import {
  IsAuthenticated,
  TokenAuthentication,
  configurationOf,
  defineApi,
  defineUrls,
  obtainToken,
} from '../../src/index.ts'
import { defineAccounts } from '../../src/accounts.ts'
import type { SqlDatabase } from '../../src/sql.ts'
import { client } from '../../src/testing.ts'
import { CHEAP } from '../accounts/fixtures.ts'
import { migratedSqlite } from '../contract/temporary.ts'
import { NAMES, SERVERS, migratedDatabase } from '../setup/databases.ts'
import { CHARACTER } from '../setup/characters.ts'

type Open = () => Promise<SqlDatabase>

const DATABASES: readonly (readonly [string, Open])[] = [
  ['SQLite', () => migratedSqlite()],
  ...SERVERS.map((dialect) => [NAMES[dialect], () => migratedDatabase(dialect)] as const),
]

async function withAlice(open: Open, hashQueue = new HashQueue()) {
  let now = Date.now()
  const accounts = defineAccounts({
    database: await open(),
    secretKey: 'a secret',
    passwordCost: CHEAP,
    manyTokens: true,
    hashQueue,
    now: () => now,
  })
  const api = defineApi({
    urls: defineUrls({ token: '/token/', me: '/me/' }),
    authentication: [new TokenAuthentication({ tokens: accounts.tokens })],
  })
  const app = api.serve(
    [
      api.endpoint('token').post(obtainToken({ accounts })),
      api.endpoint('me', { permissions: [new IsAuthenticated()] }).get(({ auth }) => auth?.name),
    ],
    { configuration: configurationOf() },
  )
  const alice = await accounts.users.create({ username: 'alice', password: 'wonderland' })
  await accounts.users.create({ username: 'carol', password: 'wonderland', isActive: false })
  const post = (username: unknown, password: unknown) =>
    client(app).post('/token/', { json: { username, password } })
  const me = (key: string) =>
    client(app).get('/me/', { headers: { authorization: `Token ${key}` } })
  return { ...accounts, alice, post, me, advance: (by: number) => void (now += by) }
}

describe.each(DATABASES)('I5 the obtain endpoint on %s', (_, open) => {
  test('gives one answer to every wrong password, however it is wrong', async () => {
    const { post } = await withAlice(open)
    const answers = []
    for (const [username, password] of [
      ['nobody', 'wonderland'],
      ['alice', 'wrong'],
      ['carol', 'wonderland'],
      ['alice', 'x'.repeat(2 ** 20)],
      ['x'.repeat(2 ** 20), 'wonderland'],
      ['alice', '\ud800'],
      ['\ud800', 'wonderland'],
      ['alice\u0001', 'wonderland'],
    ]) {
      const { status, data } = await post(username, password)
      answers.push(JSON.stringify({ status, data }))
    }
    expect(new Set(answers).size).toBe(1)
    expect(JSON.parse(answers[0]!)).toMatchObject({ status: 400 })
  })

  test('never falls over a text', async () => {
    const { post } = await withAlice(open)
    const texts = fc.string({ unit: CHARACTER, maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(texts, texts, async (username, password) => {
        expect((await post(username, password)).status).toBe(400)
      }),
      { numRuns: 200 },
    )
    for (let code = 0; code < 256; code++) {
      const text = String.fromCharCode(code)
      expect((await post(`alice${text}`, text)).status).toBe(400)
    }
  })
})

// On one database alone: how many wait at a time would depend on how fast a server finds users.
test('the obtain endpoint says when there is too much to do: 503, come back in a second', async () => {
  const { post } = await withAlice(
    () => migratedSqlite(),
    new HashQueue({ running: 1, waiting: 2 }),
  )
  const answers = await Promise.all(Array.from({ length: 8 }, () => post('alice', 'wrong')))
  const statuses = answers.map(({ status }) => status).toSorted((one, other) => one - other)
  expect(statuses).toEqual([400, 400, 400, 503, 503, 503, 503, 503])
  const busy = answers.find(({ status }) => status === 503)!
  expect(busy.header('retry-after')).toBe('1')
  expect(busy.data).toEqual({ detail: expect.any(String) as string })
  expect((await post('alice', 'wonderland')).status).toBe(200)
})

describe.each(DATABASES)('I4, I5 a token on %s', (_, open) => {
  test('that has expired is answered like one that is not known, revoked or of an inactive user', async () => {
    const { tokens, users, alice, me, advance } = await withAlice(open)
    const carol = (await users.byUsername('carol'))!
    const week = await tokens.issue(alice, { name: 'week', expires: new Date(Date.now() + 6e8) })
    const phone = await tokens.issue(alice, { name: 'phone' })
    expect(await me(week!.key)).toMatchObject({ status: 200, data: 'week' })
    await tokens.revoke(alice, 'phone')
    advance(7 * 86_400_000)
    const answers = []
    for (const key of [week!.key, phone!.key, (await tokens.obtain(carol)).key, 'nope']) {
      const { status, data } = await me(key)
      answers.push(JSON.stringify({ status, data }))
    }
    expect(new Set(answers).size).toBe(1)
    expect(JSON.parse(answers[0]!)).toMatchObject({ status: 401 })
  })
})
