// Done-when 2: who gets 401, who 403, and with which challenge, for every list of schemes (A40–A48).
import { describe, expect, test } from 'vitest'
import {
  type ApiError,
  type App,
  BasicAuthentication,
  IsAdminUser,
  RemoteUserAuthentication,
  SessionAuthentication,
  TokenAuthentication,
  configurationOf,
  defineApi,
  handleException,
  reply,
} from '../../src/index.ts'
import type { Authenticator } from '../../src/types.ts'
import { type Accounts, defineAccounts } from '../../src/accounts.ts'
import { storesOf } from '../../src/accounts/tables/stores.ts'
import { CHEAP } from '../accounts/fixtures.ts'
import { type OpenDatabase, onSqlite } from './databases.ts'
import { notebook } from './fixtures.ts'

/**
 * Only staff may; the one who is forbidden is not. Each cell is the answer to the credentials shown:
 * `B` and `T` 401 with the challenge of Basic or Token, `-` 403 without one; behind it `!` credentials
 * that are not good, `?` nobody was named, `.` somebody is known and may not. Blank: there is no such case.
 */
const TABLE = `
  schemes        | shown   | none | malformed | wrong | expired | inactive | forbidden
  -------------- | ------- | ---- | --------- | ----- | ------- | -------- | ---------
                 | Basic   | -.   | -.        | -.    |         | -.       | -.
                 | Token   | -.   | -.        | -.    | -.      | -.       | -.
                 | Session | -.   | -.        | -.    | -.      | -.       | -.
                 | Remote  | -.   | -.        | -.    |         | -.       | -.
  Basic          | Basic   | B?   | B!        | B!    |         | B!       | -.
  Basic          | Token   | B?   | B?        | B?    | B?      | B?       | B?
  Token          | Token   | T?   | T!        | T!    | T!      | T!       | -.
  Token          | Basic   | T?   | T?        | T?    |         | T?       | T?
  Session        | Session | -?   | -?        | -?    | -?      | -?       | -.
  Session        | Basic   | -?   | -?        | -?    |         | -?       | -?
  Remote         | Remote  | -?   | -?        | -?    |         | -?       | -.
  Remote         | Session | -?   | -?        | -?    | -?      | -?       | -?
  Basic Token    | Basic   | B?   | B!        | B!    |         | B!       | -.
  Basic Token    | Token   | B?   | B!        | B!    | B!      | B!       | -.
  Token Basic    | Basic   | T?   | T!        | T!    |         | T!       | -.
  Token Basic    | Token   | T?   | T!        | T!    | T!      | T!       | -.
  Basic Session  | Basic   | B?   | B!        | B!    |         | B!       | -.
  Basic Session  | Session | B?   | B?        | B?    | B?      | B?       | -.
  Session Basic  | Basic   | -?   | -!        | -!    |         | -!       | -.
  Session Basic  | Session | -?   | -?        | -?    | -?      | -?       | -.
  Basic Remote   | Basic   | B?   | B!        | B!    |         | B!       | -.
  Basic Remote   | Remote  | B?   | B?        | B?    |         | B?       | -.
  Remote Basic   | Basic   | -?   | -!        | -!    |         | -!       | -.
  Remote Basic   | Remote  | -?   | -?        | -?    |         | -?       | -.
  Token Session  | Token   | T?   | T!        | T!    | T!      | T!       | -.
  Token Session  | Session | T?   | T?        | T?    | T?      | T?       | -.
  Session Token  | Token   | -?   | -!        | -!    | -!      | -!       | -.
  Session Token  | Session | -?   | -?        | -?    | -?      | -?       | -.
  Token Remote   | Token   | T?   | T!        | T!    | T!      | T!       | -.
  Token Remote   | Remote  | T?   | T?        | T?    |         | T?       | -.
  Remote Token   | Token   | -?   | -!        | -!    | -!      | -!       | -.
  Remote Token   | Remote  | -?   | -?        | -?    |         | -?       | -.
  Session Remote | Session | -?   | -?        | -?    | -?      | -?       | -.
  Session Remote | Remote  | -?   | -?        | -?    |         | -?       | -.
  Remote Session | Session | -?   | -?        | -?    | -?      | -?       | -.
  Remote Session | Remote  | -?   | -?        | -?    |         | -?       | -.
`

type SchemeName = 'Basic' | 'Token' | 'Session' | 'Remote'
const STATES = ['none', 'malformed', 'wrong', 'expired', 'inactive', 'forbidden'] as const
type State = (typeof STATES)[number]

/** What a request shows of somebody: headers, or the name that the web server in front says. */
interface Shown {
  readonly headers?: Readonly<Record<string, string>>
  readonly remoteUser?: string
}

interface Entry {
  scheme(accounts: Accounts): Authenticator
  shown(accounts: Accounts, atTime: AtTime): Promise<Readonly<Partial<Record<State, Shown>>>>
}
/** Does something as if it were another time, in days from now. */
type AtTime = <T>(days: number, work: () => Promise<T>) => Promise<T>

const authorization = (value: string): Shown => ({ headers: { authorization: value } })
const basic = (text: string) => authorization(`Basic ${btoa(text)}`)
const cookie = (value: string): Shown => ({ headers: { cookie: `sessionid=${value}` } })

const ENTRIES: Readonly<Record<SchemeName, Entry>> = {
  Basic: {
    scheme: (accounts) => new BasicAuthentication(accounts),
    shown: async () => ({
      none: {},
      malformed: authorization('Basic am9l'),
      wrong: basic('joe:wrong'),
      inactive: basic('ina:right'),
      forbidden: basic('joe:right'),
    }),
  },
  Token: {
    scheme: (accounts) => new TokenAuthentication(accounts),
    shown: async ({ users, tokens }, atTime) => {
      const [joe, ina] = [await users.byUsername('joe'), await users.byUsername('ina')]
      const over = await atTime(-2, () =>
        tokens.issue(joe!, { name: 'over', expires: new Date(Date.now() - DAY) }),
      )
      return {
        none: {},
        malformed: authorization('Token a b'),
        wrong: authorization(`Token ${'0'.repeat(40)}`),
        expired: authorization(`Token ${over!.key}`),
        inactive: authorization(`Token ${(await tokens.obtain(ina!)).key}`),
        forbidden: authorization(`Token ${(await tokens.obtain(joe!)).key}`),
      }
    },
  },
  Session: {
    scheme: (accounts) => new SessionAuthentication(accounts),
    shown: async ({ users, sessions, database }, atTime) => {
      const joe = await users.byUsername('joe')
      const ina = await users.byUsername('ina')
      await users.update(ina!, { isActive: true })
      const kept = await sessions.start(ina!)
      // Accounts end the sessions of a user whom they switch off; another program may not.
      await storesOf(database).users.update(ina!.id, { isActive: false })
      return {
        none: {},
        malformed: cookie('not a session'),
        wrong: cookie('A'.repeat(43)),
        expired: cookie(await atTime(-400, () => sessions.start(joe!))),
        inactive: cookie(kept),
        forbidden: cookie(await sessions.start(joe!)),
      }
    },
  },
  Remote: {
    scheme: (accounts) => new RemoteUserAuthentication(accounts),
    shown: async () => ({
      none: {},
      malformed: { remoteUser: 'x'.repeat(200) },
      wrong: { remoteUser: 'nobody-of-ours' },
      inactive: { remoteUser: 'ina' },
      forbidden: { remoteUser: 'joe' },
    }),
  },
}

const DAY = 86_400_000
const NAMES = Object.keys(ENTRIES) as SchemeName[]
const LISTS: readonly (readonly SchemeName[])[] = [
  [],
  ...NAMES.map((name) => [name]),
  ...NAMES.flatMap((first) =>
    NAMES.filter((second) => second !== first).map((second) => [first, second]),
  ),
]

const rows = TABLE.trim()
  .split('\n')
  .slice(2)
  .map((line) => line.split('|').map((cell) => cell.trim()))
const cells = rows.flatMap(([schemes = '', shown = '', ...answers]) =>
  answers.flatMap((answer, index) =>
    answer === '' ? [] : [[schemes, shown as SchemeName, STATES[index]!, answer] as const],
  ),
)

interface Matrix {
  readonly shown: Readonly<Record<SchemeName, Readonly<Partial<Record<State, Shown>>>>>
  readonly ask: (path: string, shown: Shown) => Promise<Told>
}

async function startMatrix(open: OpenDatabase): Promise<Matrix> {
  let shift = 0
  const accounts = defineAccounts({
    database: await open(),
    secretKey: 'a long random text',
    passwordCost: CHEAP,
    createUnknownUser: false,
    manyTokens: true,
    now: () => Date.now() + shift,
  })
  const atTime: AtTime = async (days, work) => {
    shift = days * DAY
    return work().finally(() => {
      shift = 0
    })
  }
  await accounts.users.create({ username: 'joe', password: 'right' })
  await accounts.users.create({ username: 'ina', password: 'right', isActive: false })
  const shown: Record<string, Readonly<Partial<Record<State, Shown>>>> = {}
  for (const name of NAMES) shown[name] = await ENTRIES[name].shown(accounts, atTime)
  return { shown: shown as Matrix['shown'], ask: askerOf(serveLists(accounts)) }
}

/** A closed and an open endpoint for every list of schemes; answers tell the code of their error. */
function serveLists(accounts: Accounts): App {
  const paths: Record<string, `/${string}`> = {}
  for (const list of LISTS)
    for (const kind of ['staff', 'open']) paths[nameOf(kind, list)] = pathOf(kind, list)
  const api = defineApi({
    urls: paths,
    accounts,
    logger: notebook(),
    exceptionHandler: (error, request) => {
      const answer = handleException(error, request)
      if (answer === null) return null
      const { code } = error as ApiError
      return reply(answer.data, {
        status: answer.status,
        headers: { ...answer.headers, 'X-Code': code },
      })
    },
  })
  const endpoints = LISTS.flatMap((list) => {
    const authentication = list.map((name) => ENTRIES[name].scheme(accounts))
    return [
      api
        .endpoint(nameOf('staff', list), { authentication, permissions: [new IsAdminUser()] })
        .get(() => 'staff'),
      api.endpoint(nameOf('open', list), { authentication }).get(() => 'open'),
    ]
  })
  const source = { header: 'X-Remote-User', proxies: ['127.0.0.1'] }
  return api.serve(endpoints, { configuration: configurationOf({ REMOTE_USER_SOURCE: source }) })
}
const nameOf = (kind: string, list: readonly string[]) => [kind, ...list].join('-')
const pathOf = (kind: string, list: readonly string[]): `/${string}` =>
  `/${nameOf(kind, list).toLowerCase()}/`

interface Told {
  readonly status: number
  readonly challenge: string | null
  readonly code: string | null
}

function askerOf(app: App): Matrix['ask'] {
  return async (path, { headers = {}, remoteUser }) => {
    const environ = remoteUser === undefined ? {} : { REMOTE_USER: remoteUser }
    const request = new Request(`http://localhost${path}`, { headers })
    const answer = await app.fetch(request, { environ })
    return toTold(answer.status, (name) => answer.headers.get(name))
  }
}

function toTold(status: number, header: (name: string) => string | null): Told {
  return { status, challenge: header('www-authenticate'), code: header('x-code') }
}

const CHALLENGES: Readonly<Record<string, string | null>> = {
  B: 'Basic realm="api"',
  T: 'Token',
  '-': null,
}
const CODES: Readonly<Record<string, string>> = {
  '!': 'authentication_failed',
  '?': 'not_authenticated',
  '.': 'permission_denied',
}

function toldBy(answer: string): Told {
  const challenge = CHALLENGES[answer[0]!]!
  return { status: challenge === null ? 403 : 401, challenge, code: CODES[answer[1]!]! }
}

test('the table names every list of schemes with the credentials of each of them', () => {
  const wanted = LISTS.filter((list) => list.length > 0).flatMap((list) =>
    list.map((name) => `${list.join(' ')} | ${name}`),
  )
  const there = rows.map(([schemes, name]) => `${schemes} | ${name}`)
  expect(there).toEqual(expect.arrayContaining(wanted))
})

// What the schemes say decides, whichever way a request came; each scheme alone is tried through both doors.
describe.each(await onSqlite(startMatrix))('on $on', ({ shown, ask }) => {
  test.each(cells)('[%s] %s %s: %s', async (schemes, name, state, answer) => {
    const list = schemes.split(' ').filter(Boolean)
    const credentials = shown[name][state]!
    expect(await ask(pathOf('staff', list), credentials)).toEqual(toldBy(answer))
    // A3, A7: where anybody may, only credentials that are not good are in the way.
    const open = answer.endsWith('!')
      ? toldBy(answer)
      : { status: 200, challenge: null, code: null }
    expect(await ask(pathOf('open', list), credentials)).toEqual(open)
  })
})
