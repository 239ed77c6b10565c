// What stands in a header or a cookie goes into queries: no text of anybody troubles a database, and none is
// taken for another.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type App,
  BasicAuthentication,
  SessionAuthentication,
  TokenAuthentication,
  configurationOf,
  defineApi,
} from '../../src/index.ts'
import { type Accounts, defineAccounts } from '../../src/accounts.ts'
import { client } from '../../src/testing.ts'
import { CHEAP } from '../accounts/fixtures.ts'
import { type OpenDatabase, onDatabases } from './databases.ts'
import { notebook } from './fixtures.ts'
import { CHARACTER } from '../setup/characters.ts'

interface Service {
  readonly accounts: Accounts
  readonly app: App
  readonly cookie: string
  readonly errors: readonly unknown[]
}

const services = await onDatabases(start)

/** `joe` with `pw`, and `bob` whose token is `k-bob`. */
async function start(open: OpenDatabase): Promise<Service> {
  const log = notebook()
  const accounts = defineAccounts({
    database: await open(),
    secretKey: 'a secret',
    passwordCost: CHEAP,
    noteTokenUse: 0,
    logger: log,
  })
  const joe = await accounts.users.create({ username: 'joe', password: 'pw' })
  await accounts.tokens.create(await accounts.users.create({ username: 'bob' }), 'k-bob')
  const api = defineApi({
    urls: { open: '/open/' },
    authentication: [
      new BasicAuthentication(accounts),
      new TokenAuthentication(accounts),
      new SessionAuthentication(accounts),
    ],
    logger: log,
  })
  const app = api.serve([api.endpoint('open').get(({ user }) => user.username)], {
    configuration: configurationOf(),
  })
  return { accounts, app, cookie: await accounts.sessions.start(joe), errors: log.records }
}

const BYTES = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code))
/** Texts that databases take amiss, or take for another one. */
const ODD = [
  '\0',
  'k-bob\0',
  '\ud800',
  'k-bob\udc00',
  '\u{10ffff}',
  '\ufffe',
  'K-BOB',
  'k-b\u00f6b',
  'k-bo\u200bb',
  'k\u2010bob',
  'k_bob',
  'k%bob',
  "k-bob' or '1'='1",
  "'; drop table colophon_user; --",
  '\\',
  '$1',
  '?',
  ':key',
  '{',
  '0',
  '-1',
  '1e309',
  'null',
  'x'.repeat(100_000),
  'é'.repeat(41),
]

describe.each(services)('on $on', ({ accounts, app, cookie, errors }) => {
  const ask = async (headers: Readonly<Record<string, string>>): Promise<string> => {
    const answer = await client(app).get('/open/', { headers })
    return answer.status === 200 ? `is ${String(answer.data)}` : String(answer.status)
  }
  const token = (key: string) =>
    ask({ authorization: `Token ${Buffer.from(key).toString('latin1')}` })
  const basic = (text: string) =>
    ask({ authorization: `Basic ${Buffer.from(text).toString('base64')}` })

  test('the good ones are good', async () => {
    expect(await token('k-bob')).toBe('is bob')
    expect(await basic('joe:pw')).toBe('is joe')
    expect(await ask({ cookie: `sessionid=${cookie}` })).toBe('is joe')
  })

  test('any byte in the place of any of a token, all at once', async () => {
    const good = 'k-bob'
    for (let at = 0; at < good.length; at += 1) {
      const changed = BYTES.filter((byte) => byte !== good[at] && !/[\s\v\f]/.test(byte))
      const answers = await Promise.all(
        changed.map(async (byte) => {
          const key = good.slice(0, at) + byte + good.slice(at + 1)
          return ask({ authorization: `Token ${key}` })
        }),
      )
      expect(new Set(answers)).toEqual(new Set(['401']))
    }
  })

  test('any character in the place of any of a session, all at once', async () => {
    const changed = Array.from(cookie, (character, at) =>
      ['A', 'z', '-', ' ', '%00', '\u00e9', "'"]
        .filter((other) => other !== character)
        .map((other) => cookie.slice(0, at) + other + cookie.slice(at + 1)),
    ).flat()
    const answers = await Promise.all(changed.map((value) => ask({ cookie: `sessionid=${value}` })))
    expect(new Set(answers)).toEqual(new Set(['is ']))
  })

  test.each(ODD)('%j', async (text) => {
    expect(await token(text)).toBe('401')
    expect(await basic(`${text}:pw`)).toBe('401')
    expect(await basic(`joe:${text}`)).toBe('401')
    expect(await basic(text)).toBe('401')
  })

  test('any text', async () => {
    const texts = fc.string({ unit: CHARACTER, maxLength: 45 })
    await fc.assert(
      fc.asyncProperty(texts, texts, async (one, other) => {
        fc.pre(one.trim() !== 'k-bob' && `${one}:${other}` !== 'joe:pw')
        expect(await Promise.all([token(`x${one}`), basic(`${one}:${other}`)])).not.toContain('500')
      }),
      { numRuns: 200 },
    )
  })

  test('a flood of tokens that nobody knows is answered, and hinders nobody', async () => {
    const flood = Array.from({ length: 2000 }, (_, index) => token(`${index}`.padStart(40, '0')))
    expect(await token('k-bob')).toBe('is bob')
    expect(new Set(await Promise.all(flood))).toEqual(new Set(['401']))
  })

  test('everybody at once, good and bad mixed: each is answered for oneself', async () => {
    const people = await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        const isActive = index % 5 !== 0
        const user = await accounts.users.create({ username: `person ${index}` })
        const { key } = await accounts.tokens.obtain(user)
        const session = await accounts.sessions.start(user)
        if (!isActive) await accounts.users.update(user, { isActive })
        return { user, key, isActive, session }
      }),
    )
    const asked = people.flatMap(({ user, key, isActive, session }) => {
      const is = `is ${user.username}`
      return [
        { expected: isActive ? is : '401', answer: token(key) },
        { expected: isActive ? is : 'is ', answer: ask({ cookie: `sessionid=${session}` }) },
        { expected: '401', answer: token(`${key.slice(0, -1)}-`) },
        { expected: 'is ', answer: ask({ cookie: `sessionid=${session.toLowerCase()}` }) },
        { expected: '401', answer: basic(`${user.username}:${key}`) },
      ]
    })
    const answers = await Promise.all(asked.map(({ answer }) => answer))
    expect(answers).toEqual(asked.map(({ expected }) => expected))
  })

  test('nothing of it was an error of ours', () => {
    expect(errors.filter((record) => JSON.stringify(record).includes('failed"'))).toEqual([])
  })
})
