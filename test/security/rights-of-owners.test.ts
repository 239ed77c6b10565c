// What is taken from the owner is gone from every live credential at the next request, also where another process took it.
import { generateKeyPairSync, sign } from 'node:crypto'
import { describe, expect, onTestFinished, test } from 'vitest'
import { defineAccounts } from '../../src/accounts.ts'
import {
  BasicAuthentication,
  HasRole,
  IsAdminUser,
  SessionAuthentication,
  TokenAuthentication,
  configurationOf,
  defineApi,
} from '../../src/index.ts'
import { JWTAuthentication, accountUser } from '../../src/jwt.ts'
import { openSqlite } from '../../src/sqlite.ts'
import { client } from '../../src/testing.ts'
import { nextTurn, temporaryPath } from '../contract/temporary.ts'
import { SERVERS, migratedDatabaseUrl, opened } from '../setup/databases.ts'

const issuer = 'https://id.example.com/'
const { publicKey, privateKey } = generateKeyPairSync('ed25519')

function jwtOf(sub: string): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const exp = Math.floor(Date.now() / 1000) + 300
  const text = `${part({ alg: 'EdDSA' })}.${part({ iss: issuer, aud: 'api', sub, exp })}`
  return `${text}.${sign(null, Buffer.from(text), privateKey).toString('base64url')}`
}

/** Two databases of one place: what a process and another one have. */
async function two(name: 'sqlite' | (typeof SERVERS)[number]) {
  if (name !== 'sqlite') {
    const url = await migratedDatabaseUrl(name)
    return [opened(name, url), opened(name, url)] as const
  }
  const path = temporaryPath()
  const both = [openSqlite({ path }), openSqlite({ path })] as const
  onTestFinished(() => both.forEach((each) => each.close()))
  await both[0].migrate()
  return both
}

describe.each(['sqlite', ...SERVERS] as const)('On %s', (name) => {
  test('a role, a flag and the account itself are gone from each kind of credential', async () => {
    const [here, there] = await two(name)
    const options = {
      secretKey: 'a secret of these tests',
      roles: ['doctor', 'nurse'],
      manyTokens: true,
      refreshTokens: {},
    } as const
    const accounts = defineAccounts({ database: here, ...options })
    const other = defineAccounts({ database: there, ...options }).users
    const elsewhere: typeof other.update = async (...change) => {
      const updated = await other.update(...change)
      // SQLite reads of one turn see one state; another process is in no turn of this one.
      await nextTurn()
      return updated
    }
    const { users, tokens, families, sessions } = accounts
    const input = { username: 'ada', password: 'wonderland', roles: ['doctor', 'nurse'] } as const
    const ada = await users.create({ ...input, isStaff: true })
    // Its provider knows this user by the same name.
    const user = accountUser(accounts, { name: ({ sub }) => sub })
    const jwks = { keys: [publicKey.export({ format: 'jwk' })] }
    const api = defineApi({
      urls: { doctors: '/doctors/', staff: '/staff/' },
      authentication: [
        new JWTAuthentication({ issuer, audience: 'api', jwks, user, algorithms: ['EdDSA'] }),
        new TokenAuthentication({ tokens }),
        new BasicAuthentication(accounts),
        new SessionAuthentication(accounts),
      ],
      accounts,
      logger: { error() {} },
    })
    const doctors = { permissions: [new HasRole('doctor')] }
    const app = api.serve(
      [
        api.endpoint('doctors', doctors).get(() => 'ok'),
        api.endpoint('staff', { permissions: [new IsAdminUser()] }).get(() => 'ok'),
      ],
      { configuration: configurationOf() },
    )
    const scopes = ['role:doctor']
    const pair = await families.begin(ada)
    const used = (await families.use((await families.begin(ada, { scopes })).refresh))!
    const credentials: Readonly<Record<string, Readonly<Record<string, string>>>> = {
      token: { authorization: `Token ${(await tokens.obtain(ada)).key}` },
      named: { authorization: `Token ${(await tokens.issue(ada, { name: 'ci', scopes }))!.key}` },
      access: { authorization: `Token ${pair.access}` },
      refreshed: { authorization: `Token ${used.access}` },
      jwt: { authorization: `Bearer ${jwtOf('ada')}` },
      basic: { authorization: `Basic ${Buffer.from('ada:wonderland').toString('base64')}` },
      session: { cookie: `sessionid=${await sessions.start(ada)}` },
    }
    const seen = async (path: string) => {
      const asked = Object.entries(credentials).map(
        async ([kind, headers]) =>
          [kind, (await client(app).get(path, { headers })).status] as const,
      )
      return Object.fromEntries(await Promise.all(asked))
    }
    const each = (status: number, others: object = {}) => ({
      ...Object.fromEntries(Object.keys(credentials).map((kind) => [kind, status])),
      ...others,
    })
    expect(await seen('/doctors/')).toEqual(each(200))
    expect(await seen('/staff/')).toEqual(each(200))
    await elsewhere(ada, { roles: ['nurse'], isStaff: false })
    expect(await seen('/doctors/')).toEqual(each(403))
    expect(await seen('/staff/')).toEqual(each(403))
    // The next pair has no more than its owner, either.
    const next = (await families.use(pair.refresh))!
    expect((await tokens.verify(next.access))!.user).toMatchObject({
      roles: ['nurse'],
      isStaff: false,
    })
    // A scope that is named stays as it is named, and gives what the owner has by then.
    await elsewhere(ada, { roles: ['doctor'] })
    expect(await seen('/doctors/')).toEqual(each(200))
    await elsewhere(ada, { isActive: false })
    expect(await seen('/doctors/')).toEqual(each(401))
    expect(await families.use(used.refresh)).toBeNull()
    // Of what is switched on again, families and sessions stay over.
    await elsewhere(ada, { isActive: true })
    const over = { access: 401, refreshed: 401, session: 401 }
    expect(await seen('/doctors/')).toEqual(each(200, over))
  })
})
