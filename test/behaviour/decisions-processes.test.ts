// Two processes that serve one database: what one of them ends is over at the other, on its next request.
import { afterAll, describe, expect, test } from 'vitest'
import {
  type App,
  BasicAuthentication,
  IsAuthenticated,
  RemoteUserAuthentication,
  SessionAuthentication,
  TokenAuthentication,
  configurationOf,
  defineApi,
} from '../../src/index.ts'
import { openSqlite } from '../../src/sqlite.ts'
import { type Accounts, defineAccounts } from '../../src/accounts.ts'
import type { SqlDatabase } from '../../src/sql.ts'
import { CHEAP } from '../accounts/fixtures.ts'
import { nextTurn } from '../contract/temporary.ts'
import { NAMES, SERVERS, migratedDatabaseUrl, opened } from '../setup/databases.ts'
import { DATABASES } from './databases.ts'
import { type Answer, type Door, check, doors } from './doors.ts'
import { notebook } from './fixtures.ts'

/** The same database twice, each time with connections of its own. */
type Pair = readonly [SqlDatabase, SqlDatabase]

const PAIRS: readonly (readonly [string, () => Promise<Pair>])[] = [
  ['SQLite', twoOfAFile],
  ...SERVERS.map((dialect) => [NAMES[dialect], () => twoOfAServer(dialect)] as const),
]

async function twoOfAFile(): Promise<Pair> {
  const first = await DATABASES[0]![1]()
  const second = openSqlite({ path: (first as SqlDatabase & { readonly path: string }).path })
  afterAll(() => second.close())
  return [first, second]
}

async function twoOfAServer(dialect: (typeof SERVERS)[number]): Promise<Pair> {
  const url = await migratedDatabaseUrl(dialect, afterAll)
  return [opened(dialect, url, {}, afterAll), opened(dialect, url, {}, afterAll)]
}

/** One process: accounts with all that they remember, and an application. */
interface Process {
  readonly accounts: Accounts
  readonly app: App
}

function processOn(database: SqlDatabase): Process {
  const configuration = configurationOf({ SECRET_KEY: 'a secret', REMOTE_USER_SOURCE: 'environ' })
  const accounts = defineAccounts({
    database,
    configuration,
    passwordCost: CHEAP,
    createUnknownUser: false,
    manyTokens: true,
  })
  const permissions = [new IsAuthenticated()]
  const api = defineApi({ urls: { me: '/me/' }, permissions, logger: notebook() })
  const authentication = [
    new BasicAuthentication(accounts),
    new TokenAuthentication(accounts),
    new SessionAuthentication(accounts),
    new RemoteUserAuthentication(accounts),
  ]
  const me = api.endpoint('me', { authentication }).get(({ user }) => user.username)
  return { accounts, app: api.serve([me], { configuration }) }
}

const pairs = await Promise.all(
  PAIRS.map(async ([on, open]) => {
    const [here, there] = (await open()).map(processOn) as [Process, Process]
    return { on, here, there }
  }),
)
const places = pairs.flatMap((pair) =>
  doors(pair.there.app).map((door) => ({ ...pair, door, through: door.name })),
)

let number = 0

describe.each(places)(
  'two processes on $on, asked through the $through',
  ({ here, there, door }) => {
    /** Somebody new, made by the one process and known to the other in every way. */
    async function started() {
      const { users, tokens, sessions } = here.accounts
      const username = `user ${(number += 1)}`
      const user = await users.create({ username, password: 'right' })
      const { key } = await tokens.obtain(user)
      const session = await sessions.start(user)
      const basic = (password: string) =>
        meBy(door, { authorization: `Basic ${btoa(`${username}:${password}`)}` })
      const token = (secret = key) => meBy(door, { authorization: `Token ${secret}` })
      const cookie = (value = session) => meBy(door, { cookie: `sessionid=${value}` })
      const is = { status: 200, data: username }
      for (const answer of [await basic('right'), await token(), await cookie()]) check(answer, is)
      return { user, session, basic, token, cookie, is }
    }

    test('a token is revoked', async () => {
      const { user, token, basic, is } = await started()
      await here.accounts.tokens.revoke(user)
      check(await token(), 401)
      check(await basic('right'), is)
    })

    test('a token is regenerated: the old key is dead, and the new one is good', async () => {
      const { user, token, is } = await started()
      const { key } = await here.accounts.tokens.regenerate(user)
      check(await token(), 401)
      check(await token(key), is)
      expect((await there.accounts.tokens.obtain(user)).key).toBe(key)
    })

    test('a token with a name is rotated', async () => {
      const { user, token, is } = await started()
      const issued = (await here.accounts.tokens.issue(user, { name: 'ci' }))!
      check(await token(issued.key), is)
      const rotated = (await here.accounts.tokens.rotate(user, 'ci'))!
      check(await token(issued.key), 401)
      check(await token(rotated.key), is)
    })

    test('a session is ended, and that of another browser is not', async () => {
      const { user, session, cookie, is } = await started()
      const other = await here.accounts.sessions.start(user)
      await here.accounts.sessions.end(session)
      check(await cookie(), 401)
      check(await cookie(other), is)
      await here.accounts.sessions.endAllOf(user)
      check(await cookie(other), 401)
    })

    test('the password is changed: neither it nor a session counts any more', async () => {
      const { user, basic, cookie, token, is } = await started()
      await here.accounts.users.setPassword(user, 'new')
      check(await basic('right'), 401)
      check(await cookie(), 401)
      check(await basic('new'), is)
      check(await token(), is)
    })

    test('the user is switched off, and on again', async () => {
      const { user, basic, cookie, token, is } = await started()
      await here.accounts.users.update(user, { isActive: false })
      for (const answer of [await basic('right'), await token(), await cookie()]) check(answer, 401)
      await here.accounts.users.update(user, { isActive: true })
      check(await token(), is)
      check(await basic('right'), is)
    })

    test('whoever is known has the rights of now', async () => {
      const { user } = await started()
      await here.accounts.users.update(user, { isStaff: true, email: 'new@example.com' })
      await nextTurn()
      const now = await there.accounts.users.byUsername(user.username)
      expect(now).toMatchObject({ isStaff: true, email: 'new@example.com' })
    })

    test('both make the first token of somebody at once: it is one', async () => {
      const user = await here.accounts.users.create({ username: `first ${(number += 1)}` })
      const tokens = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          [here, there][index % 2]!.accounts.tokens.obtain(user),
        ),
      )
      expect(new Set(tokens.map(({ key }) => key)).size).toBe(1)
    })

    test('while requests come without a pause, none that begins after the end of a token is let in', async () => {
      const { user, token } = await started()
      let ended = false
      const late: number[] = []
      const asking = Array.from({ length: 8 }, async () => {
        for (let turn = 0; turn < 40; turn += 1) {
          const after = ended
          const { status } = await token()
          if (after) late.push(status)
        }
      })
      await token()
      await here.accounts.tokens.revoke(user)
      ended = true
      await Promise.all(asking)
      expect(late.length).toBeGreaterThan(8)
      expect(new Set(late)).toEqual(new Set([401]))
    })
  },
)

/** A request comes from outside, in a turn of the event loop of its own: SQLite is read once a turn. */
async function meBy(door: Door, headers: Readonly<Record<string, string>>): Promise<Answer> {
  await nextTurn()
  return door.send({ method: 'GET', path: '/me/', headers })
}
