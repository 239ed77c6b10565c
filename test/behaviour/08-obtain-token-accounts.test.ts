// K20–K28 with accounts: who gets a token, which one, and what else happens.
import { describe, expect, test } from 'vitest'
import {
  type App,
  IsAuthenticated,
  TokenAuthentication,
  configurationOf,
  defineApi,
  obtainToken,
} from '../../src/index.ts'
import { type Accounts, defineAccounts } from '../../src/accounts.ts'
import type { SqlDatabase } from '../../src/sql.ts'
import { CHEAP } from '../accounts/fixtures.ts'
import { type OpenDatabase, onDatabases, throughEveryDoor } from './databases.ts'
import { type Answer, type Door, type Expected, type More, check, toSent } from './doors.ts'
import { DETAIL, notebook } from './fixtures.ts'

interface Service {
  readonly accounts: Accounts
  readonly database: SqlDatabase
  /** What the log was told, as `event user reason`. */
  readonly told: string[]
}

const services = await onDatabases(start)

async function start(open: OpenDatabase): Promise<Service> {
  const database = await open()
  const told: string[] = []
  const info = ({ event, user, reason }: Readonly<Record<string, unknown>>) =>
    void told.push([event, user, reason].filter(Boolean).join(' '))
  const logger = { ...notebook(), info }
  const accounts = defineAccounts({
    database,
    secretKey: 'a secret',
    passwordCost: CHEAP,
    logger,
  })
  for (const [username, password] of [
    ['alice', 'wonderland'],
    ['Alice', 'mirror'],
    ['zoë 山', 'пароль-密码😀'],
    ['space', '   '],
    ['around', ' x '],
    ['42', '7'],
    ['1.5', '-0.25'],
    ["o'hara; --", "' or 1=1"],
    ['%', '_'],
  ] as const) {
    await accounts.users.create({ username, password })
  }
  await accounts.users.create({ username: 'ina', password: 'right', isActive: false })
  await accounts.users.create({ username: 'locked', password: null })
  return { accounts, database, told }
}

function serve({ accounts }: Service): App {
  const api = defineApi({
    urls: { token: '/token/', me: '/me/' },
    authentication: [new TokenAuthentication(accounts)],
    permissions: [new IsAuthenticated()],
  })
  return api.serve(
    [
      api.endpoint('token').post(obtainToken({ accounts })),
      api.endpoint('me').get(({ user }) => user.username),
    ],
    { configuration: configurationOf() },
  )
}

const TOKEN = { token: expect.stringMatching(/^[0-9a-f]{40}$/) as unknown }
const given = {
  status: 200,
  data: TOKEN,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store', 'set-cookie': null },
}
const texts = [expect.any(String)]
const refused = { status: 400, data: { non_field_errors: texts } }

const says = (username: unknown, password: unknown): More => ({ json: { username, password } })
const keyIn = ({ text }: Answer): string => (JSON.parse(text) as { token: string }).token

/** The last member: whose token it is. */
const ROWS: readonly (readonly [string, More, Expected, string?])[] = [
  ['K24 name and password', says('alice', 'wonderland'), given, 'alice'],
  ['K24 by a form', { form: { username: 'alice', password: 'wonderland' } }, given, 'alice'],
  ['another case is another user', says('Alice', 'mirror'), given, 'Alice'],
  ['characters of every language', says('zoë 山', 'пароль-密码😀'), given, 'zoë 山'],
  [
    'the name in another spelling of Unicode',
    says('zoe\u0308 山', 'пароль-密码😀'),
    given,
    'zoë 山',
  ],
  ['K26 the name is trimmed', says('\t alice \u00a0\n', 'wonderland'), given, 'alice'],
  ['K26 a password of spaces', says('space', '   '), given, 'space'],
  ['K26 a password with space around it', says('around', ' x '), given, 'around'],
  ['K26 numbers are texts', says(42, 7), given, '42'],
  ['K26 also those with fractions and signs', says(1.5, -0.25), given, '1.5'],
  [
    'K26 other members are ignored',
    { json: { username: 'alice', password: 'wonderland', id: 2, token: 'mine' } },
    given,
    'alice',
  ],
  ['names that look like SQL', says("o'hara; --", "' or 1=1"), given, "o'hara; --"],
  ['names that look like patterns', says('%', '_'), given, '%'],
  ['a wrong password', says('alice', 'Wonderland'), refused],
  ['the password of somebody else', says('alice', 'mirror'), refused],
  ['a name in capitals', says('ALICE', 'wonderland'), refused],
  ['a name without its accent', says('zoe 山', 'пароль-密码😀'), refused],
  ['K26 a password is not trimmed', says('alice', ' wonderland '), refused],
  ['K26 nor is this one', says('around', 'x'), refused],
  ['fewer spaces', says('space', '  '), refused],
  ['a number of another spelling', says('42', '7.0'), refused],
  ['an unknown user', says('nobody', 'wonderland'), refused],
  ['an inactive user with the right password', says('ina', 'right'), refused],
  ['an inactive user with a wrong one', says('ina', 'wrong'), refused],
  ['a user without a password', says('locked', 'x'), refused],
  ['what is stored for it is none', says('locked', '!'), refused],
  ['SQL for a password', says('alice', "' or '1'='1"), refused],
  ['a pattern for a name', says('a%', 'wonderland'), refused],
  ['a name that is too long', says('a'.repeat(151), 'wonderland'), refused],
  ['half a character', says('\ud800', '\udc00'), refused],
  ['control characters', says('alice\u0001', 'wonderland'), refused],
  ['no password', { json: { username: 'alice' } }, { status: 400, data: { password: texts } }],
  ['an empty one', says('space', ''), { status: 400, data: { password: texts } }],
  ['a boolean', says(true, false), { status: 400, data: { username: texts, password: texts } }],
  ['NUL', says('alice\0', 'wonderland'), { status: 400, data: { username: texts } }],
]

describe.each(throughEveryDoor(services, serve))(
  '$through on $on',
  ({ door, accounts, database, told }) => {
    const post = (more: More) => door.send(toSent('POST /token/', more))
    const me = (key: string) => meThrough(door, key)
    const alice = says('alice', 'wonderland')
    const count = async (table: string) =>
      (await database.rows({ sql: `select count(*) from ${table}`, parameters: [] })).values[0]![0]

    for (const [title, more, expected, owner] of ROWS) {
      test(title, async () => {
        const before = await count('colophon_token')
        const answer = await post(more)
        check(answer, expected)
        if (owner === undefined) expect(await count('colophon_token')).toBe(before)
        else check(await me(keyIn(answer)), { status: 200, data: owner })
      })
    }

    test('I5 wrong, unknown, inactive and without a password look the same', async () => {
      const wrong = [says('alice', 'x'), says('nobody', 'x'), says('ina', 'right')]
      const answers: string[] = []
      for (const more of [...wrong, says('locked', 'x')]) answers.push((await post(more)).text)
      expect(new Set(answers).size).toBe(1)
    })

    test('K24 it is the same token on every call', async () => {
      const keys = new Set<string>()
      for (let call = 0; call < 3; call += 1) keys.add(keyIn(await post(alice)))
      const { key } = await accounts.tokens.obtain((await accounts.users.byUsername('alice'))!)
      expect([...keys]).toEqual([key])
    })

    test('K24 twenty first calls at once make one token', async () => {
      const username = `crowd by the ${door.name}`
      const user = await accounts.users.create({ username, password: 'x' })
      const before = told.length
      const call = () => post(says(username, 'x'))
      const answers = await Promise.all(Array.from({ length: 20 }, call))
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
      expect(new Set(answers.map(keyIn)).size).toBe(1)
      expect(await accounts.tokens.of(user)).toHaveLength(1)
      expect(told.slice(before)).toEqual([`token.created ${username}`])
    })

    test('K28 nobody is logged in by it', async () => {
      const [before, sessions] = [told.length, await count('colophon_session')]
      const answer = await post(alice)
      expect(answer.cookies).toEqual([])
      expect(await count('colophon_session')).toBe(sessions)
      expect((await accounts.users.byUsername('alice'))?.lastLogin).toBeNull()
      expect(told.slice(before)).toEqual([])
    })

    test('K28 the log learns of a refusal and why, and not what was typed', async () => {
      const before = told.length
      for (const more of [says('alice', 'x'), says('nobody', 'x'), says('ina', 'right')])
        await post(more)
      expect(told.slice(before)).toEqual([
        'login.failed password',
        'login.failed unknown',
        'login.failed inactive',
      ])
    })

    test('a new password counts from the next call on, and the token stays', async () => {
      const username = `changing by the ${door.name}`
      const user = await accounts.users.create({ username, password: 'old' })
      const first = keyIn(await post(says(username, 'old')))
      await accounts.users.setPassword(user, 'new')
      check(await post(says(username, 'old')), refused)
      expect(keyIn(await post(says(username, 'new')))).toBe(first)
    })

    test('K23 a wrong token in the header is refused before anything is read', async () => {
      const headers = { authorization: 'Token nope', 'content-type': 'application/json' }
      const answer = await door.send(toSent('POST /token/', { headers, body: '{' }))
      check(answer, { status: 401, data: DETAIL, headers: { 'www-authenticate': 'Token' } })
    })

    test.each(['GET', 'PUT', 'PATCH', 'DELETE', 'HEAD'])('K20 %s is 405', async (method) => {
      const answer = await door.send(toSent(`${method} /token/`))
      check(answer, { status: 405, headers: { allow: 'POST, OPTIONS' } })
    })

    describe('K7 the states of a token', () => {
      const refusedToken = { status: 401, data: DETAIL, headers: { 'www-authenticate': 'Token' } }
      /** Somebody of the test alone, whose token has been used already. */
      const started = async (what: string) => {
        const username = `${what} by the ${door.name}`
        const user = await accounts.users.create({ username, password: 'x' })
        const key = keyIn(await post(says(username, 'x')))
        const known = { status: 200, data: username }
        check(await me(key), known)
        return { user, key, known }
      }

      test('suspended while its user is inactive, and good again after', async () => {
        const { user, key, known } = await started('suspended')
        for (let round = 0; round < 2; round += 1) {
          await accounts.users.update(user, { isActive: false })
          check(await me(key), refusedToken)
          await accounts.users.update(user, { isActive: true })
          check(await me(key), known)
        }
      })

      test('K42 regenerated: the old key is dead at once, and the new one serves', async () => {
        const { user, key, known } = await started('regenerated')
        const next = await accounts.tokens.regenerate(user)
        check(await me(key), refusedToken)
        check(await me(next.key), known)
        expect(keyIn(await post(says(user.username, 'x')))).toBe(next.key)
      })

      test('revoked: dead at once; the next call makes another', async () => {
        const { user, key, known } = await started('revoked')
        expect(await accounts.tokens.revoke(user)).toBe(true)
        check(await me(key), refusedToken)
        const next = keyIn(await post(says(user.username, 'x')))
        expect(next).not.toBe(key)
        check(await me(next), known)
        check(await me(key), refusedToken)
      })

      test('K1 gone with its user', async () => {
        const { user, key } = await started('deleted')
        const sql = `delete from colophon_user where id = ${user.id}`
        await database.write({ sql, parameters: [] })
        check(await me(key), refusedToken)
        check(await post(says(user.username, 'x')), refused)
      })

      test('one that is refused looks like one that is unknown', async () => {
        const { user, key } = await started('inactive')
        await accounts.users.update(user, { isActive: false })
        expect((await me(key)).text).toBe((await me('nope')).text)
      })

      test('K3 any text up to 40 characters is a key, and no other spelling of it', async () => {
        const username = `own by the ${door.name}`
        const user = await accounts.users.create({ username })
        const key = `Clé-${door.name}`.replace(' ', '-').padEnd(40, 'x')
        await accounts.tokens.create(user, key)
        check(await me(key), { status: 200, data: username })
        for (const other of [key.toLowerCase(), key.replace('é', 'e'), key.slice(0, -1), `${key}x`])
          check(await me(other), refusedToken)
      })
    })
  },
)

/** Keys travel as UTF-8 (AT4). */
function meThrough(door: Door, key: string): Promise<Answer> {
  const authorization = `Token ${Buffer.from(key).toString('latin1')}`
  return door.send({ method: 'GET', path: '/me/', headers: { authorization } })
}
