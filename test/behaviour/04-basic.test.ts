import { describe, expect, test } from 'vitest'
import {
  type App,
  BasicAuthentication,
  ConfigurationError,
  IsAuthenticated,
  type User,
  configurationOf,
  defineApi,
} from '../../src/index.ts'
import type { PasswordVerifier } from '../../src/types.ts'
import { defineAccounts } from '../../src/accounts.ts'
import { client } from '../../src/testing.ts'
import { CHEAP, openAccounts } from '../accounts/fixtures.ts'
import { type On, type OpenDatabase, onDatabases } from './databases.ts'
import { type Row, throughDoors } from './doors.ts'
import { DETAIL, addresses, notebook, quiet, user } from './fixtures.ts'

const asked: string[] = []
const PASSWORDS = new Map([
  ['joe', 'pw:1'],
  ['zoë', 'пароль-密码'],
  ['eve', 'café'],
  ['dave', '  two  '],
  ['__proto__', 'x'],
])
/** A check of one's own, which gives inactive users too (AB8). */
const own: PasswordVerifier = {
  async authenticate(username, password): Promise<User | null> {
    asked.push(`${username} ${password}`)
    if (username === 'ina' && password === 'right') return user('ina', { isActive: false })
    return PASSWORDS.get(username) === password ? user(username) : null
  },
}
/** The same people with accounts. */
async function accountsIn(open: OpenDatabase): Promise<{ readonly users: PasswordVerifier }> {
  const options = { secretKey: 'a secret', passwordCost: CHEAP, logger: notebook() }
  const accounts = defineAccounts({ database: await open(), ...options })
  for (const [username, password] of PASSWORDS) await accounts.users.create({ username, password })
  await accounts.users.create({ username: 'ina', password: 'right', isActive: false })
  return accounts
}
class ReadingRoom extends BasicAuthentication {
  override readonly realm = 'reading "room"'
}
const whoami = (request: { user: { username: string }; auth: null }) => ({
  user: request.user.username,
  auth: request.auth,
})
function openFor({ users }: { readonly users: PasswordVerifier }): App {
  const schemes = {
    basic: new BasicAuthentication({ users }),
    realm: new BasicAuthentication({ users, realm: 'reading room' }),
    variant: new ReadingRoom({ users }),
  }
  const api = defineApi({
    urls: addresses(Object.keys(schemes).flatMap((name) => [`open/${name}`, `members/${name}`])),
  })
  return api.serve(
    Object.entries(schemes).flatMap(([name, scheme]) => [
      api
        .endpoint(`open/${name}`, { authentication: [scheme] })
        .get(whoami)
        .post(whoami),
      api
        .endpoint(`members/${name}`, {
          authentication: [scheme],
          permissions: [new IsAuthenticated()],
        })
        .get(whoami),
    ]),
    quiet,
  )
}
const ownApp = openFor({ users: own })
const services: readonly On<{ app: App }>[] = [
  { on: 'by a check of one’s own', app: ownApp },
  ...(await onDatabases(accountsIn)).map((accounts) => ({
    on: `by accounts in ${accounts.on}`,
    app: openFor(accounts),
  })),
]

const base64 = (text: string, encoding: BufferEncoding = 'utf8') =>
  Buffer.from(text, encoding).toString('base64')
const sends = (authorization: string) => ({ headers: { authorization } })
const is = (username: string) => ({ status: 200, data: { user: username, auth: null } })
const nobody = is('')
const failed = {
  status: 401,
  data: DETAIL,
  headers: { 'www-authenticate': 'Basic realm="api"' },
}

const good: Row[] = [
  ['AB9 the user, and no credential', 'GET /open/basic/', is('joe'), sends('Basic am9lOnB3OjE=')],
  ['AB2 the word in small letters', 'GET /open/basic/', is('joe'), sends('basic am9lOnB3OjE=')],
  ['AB1 more than one space', 'GET /open/basic/', is('joe'), sends('BASIC  am9lOnB3OjE=')],
  ['AB1 a tab', 'GET /open/basic/', is('joe'), sends('Basic\tam9lOnB3OjE=')],
  ['AB1 space at the ends', 'GET /open/basic/', is('joe'), sends(' Basic am9lOnB3OjE= ')],
  ['AB9 writing needs no CSRF token', 'POST /open/basic/', is('joe'), sends('Basic am9lOnB3OjE=')],
  ['AB6 a password with colons', 'GET /members/basic/', is('joe'), sends('Basic am9lOnB3OjE=')],
  ['AB5 UTF-8', 'GET /members/basic/', is('zoë'), sends(`Basic ${base64('zoë:пароль-密码')}`)],
  [
    'AB5 Latin-1 where it is not UTF-8',
    'GET /members/basic/',
    is('eve'),
    sends(`Basic ${base64('eve:café', 'latin1')}`),
  ],
  ['AB6 spaces count', 'GET /members/basic/', is('dave'), sends(`Basic ${base64('dave:  two  ')}`)],
  [
    'names of members of objects are names',
    'GET /members/basic/',
    is('__proto__'),
    sends(`Basic ${base64('__proto__:x')}`),
  ],
]
const notAttempted: Row[] = [
  ['AB2 no header', 'GET /open/basic/', nobody],
  ['AB2 an empty header', 'GET /open/basic/', nobody, sends('')],
  ['AB2 another scheme', 'GET /open/basic/', nobody, sends('Bearer x')],
  ['AB2 one that nobody knows', 'GET /open/basic/', nobody, sends('Digest username="joe"')],
  ['AB2 a longer word', 'GET /open/basic/', nobody, sends('Basicx am9lOnB3OjE=')],
  ['AB2 no space behind it', 'GET /open/basic/', nobody, sends('Basicam9lOnB3OjE=')],
  ['AB2 a colon behind it', 'GET /open/basic/', nobody, sends('Basic: am9lOnB3OjE=')],
  ['AB2 a comma behind it', 'GET /open/basic/', nobody, sends('Basic,am9lOnB3OjE=')],
  ['AB1 a no-break space is none', 'GET /open/basic/', nobody, sends('Basic\xa0am9lOnB3OjE=')],
  ['AB2 a word that is not ASCII', 'GET /open/basic/', nobody, sends('B\xc3\xa4sic abc')],
  ['AB11 and protected: who are you?', 'GET /members/basic/', failed],
  ['AB11 the same', 'GET /members/basic/', failed, sends('Bearer x')],
]
const BAD: readonly (readonly [string, string])[] = [
  ['AB3 the word alone', 'Basic'],
  ['AB3 the word and a space', 'Basic '],
  ['AB3 three words', 'Basic a b'],
  ['AB3 good credentials and one word more', 'Basic am9lOnB3OjE= x'],
  ['AB4 bad base64', 'Basic =a='],
  ['AB4 padding missing', 'Basic am9lOnB3OjE'],
  ['I6 characters outside of the alphabet (instead of AB4)', 'Basic !!!!am9lOnB3OjE='],
  ['AB4 plain text', 'Basic joe:pw:1'],
  ['AB6 no colon', 'Basic am9l'],
  ['AB11 empty name and password', 'Basic Og=='],
  ['AB7 an unknown user', `Basic ${base64('nope:pw:1')}`],
  ['AB7 a wrong password', `Basic ${base64('joe:pw:2')}`],
  ['AB7 only the first part of the password', `Basic ${base64('joe:pw')}`],
  ['AB7 the password in another case', `Basic ${base64('joe:PW:1')}`],
  ['AB7 name and password swapped', `Basic ${base64('pw:1:joe')}`],
  ['AB8 an inactive user with the right password', `Basic ${base64('ina:right')}`],
  ['I6 a line break behind the password', `Basic ${base64('joe:pw:1\n')}`],
  ['I6 NUL', `Basic ${base64('joe\0:pw:1')}`],
  ['a password of 10,000 characters', `Basic ${base64(`joe:${'x'.repeat(7500)}`)}`],
]

describe.each(services)('$on', ({ app, on }) => {
  describe('AB1–AB9 credentials that are good', () => {
    throughDoors(app, good, on)
  })
  describe('AB2 not attempted', () => {
    throughDoors(app, notAttempted, on)
  })
  describe('AB11 refused, with E1.4, on an open endpoint too', () => {
    throughDoors(
      app,
      BAD.map(([title, value]) => [title, 'GET /open/basic/', failed, sends(value)]),
      on,
    )
  })
  describe('AB10 the realm', () => {
    const realm = (name: string) => ({ status: 401, headers: { 'www-authenticate': name } })
    throughDoors(
      app,
      [
        ['of an option', 'GET /members/realm/', realm('Basic realm="reading room"')],
        [
          'of a variant, quoted',
          'GET /members/variant/',
          realm('Basic realm="reading \\"room\\""'),
        ],
        [
          'after bad credentials',
          'GET /open/realm/',
          realm('Basic realm="reading room"'),
          sends('Basic'),
        ],
        ['and otherwise as ever', 'GET /open/variant/', is('joe'), sends('Basic am9lOnB3OjE=')],
      ],
      on,
    )
  })

  test('I5 all failures look the same', async () => {
    const answers = await Promise.all(
      BAD.map(async ([, value]) => (await client(app).get('/open/basic/', sends(value))).text),
    )
    expect(new Set(answers).size).toBe(1)
  })
})

test('AB3–AB6 what is malformed is not looked up, and what is not is looked up once', async () => {
  asked.length = 0
  for (const value of ['Basic', 'Basic a b', 'Basic =a=', 'Basic am9l', 'Bearer am9lOnB3OjE='])
    await client(ownApp).get('/open/basic/', sends(value))
  expect(asked).toEqual([])
  await client(ownApp).get('/open/basic/', sends('Basic am9lOnB3OjE='))
  expect(asked).toEqual(['joe pw:1'])
})

describe('AB10 a realm that no header can hold is refused at once', () => {
  test.each([['a\r\nX-Evil: 1'], ['café'], ['\0'], [7], [null]])('%j', (realm) => {
    const make = () => new BasicAuthentication({ users: own, realm: realm as string })
    expect(make).toThrow(ConfigurationError)
    expect(make).toThrow(/realm/)
  })
})

test('a variant with such a realm is our fault, and an answer still', async () => {
  class Broken extends BasicAuthentication {
    override readonly realm = 'a\r\nX-Evil: 1'
  }
  const log = notebook()
  const broken = defineApi({ urls: { a: '/a/' }, logger: log })
  const endpoint = broken
    .endpoint('a', { authentication: [new Broken({ users: own })] })
    .get(() => 'a')
  const served = broken.serve([endpoint], quiet)
  const answer = await client(served).get('/a/', sends('Basic'))
  expect([answer.status, answer.header('x-evil')]).toEqual([500, null])
  expect(log.records[0]!['error']).toContain('printable ASCII')
})

describe('by configuration keys', () => {
  const serve = (value: unknown, more: object = {}) =>
    defineApi({ urls: { a: '/a/' }, ...more }).serve([], {
      configuration: configurationOf({ DEFAULT_AUTHENTICATION_CLASSES: [value] }),
    })

  test('BasicAuthentication needs accounts', () => {
    expect(() => serve('BasicAuthentication')).toThrow(/BasicAuthentication needs the users/)
  })
  test('an unknown attribute is named', async () => {
    const accounts = await openAccounts()
    const value = { class: 'BasicAuthentication', relm: 'x' }
    expect(() => serve(value, { accounts })).toThrow(/"relm".*"realm"/)
  })
  test('a realm of the wrong type is named', async () => {
    const accounts = await openAccounts()
    const value = { class: 'BasicAuthentication', realm: 7 }
    expect(() => serve(value, { accounts })).toThrow(/"realm" must be printable ASCII, but is 7/)
  })
})
