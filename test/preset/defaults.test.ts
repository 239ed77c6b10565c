import { beforeEach, describe, expect, test } from 'vitest'
import { defaultsFor } from '../../src/preset/built-in.ts'
import {
  type App,
  BasicAuthentication,
  IsAuthenticated,
  SessionAuthentication,
  configurationOf,
  defineApi,
} from '../../src/index.ts'
import { client } from '../../src/testing.ts'
import { type TestAccounts, openAccounts } from '../accounts/fixtures.ts'
import { notebook } from '../behaviour/fixtures.ts'

let accounts: TestAccounts
beforeEach(async () => {
  accounts = await openAccounts()
  await accounts.users.create({ username: 'joe', password: 'right' })
})

const right = { headers: { authorization: `Basic ${btoa('joe:right')}` } }
const who = (request: { user: { username: string } }) => request.user.username
const serve = (given: object, keys: Record<string, unknown> = {}): App => {
  const api = defineApi({
    urls: { open: '/open/', members: '/members/', off: '/off/' },
    logger: notebook(),
    ...given,
  })
  return api.serve(
    [
      api.endpoint('open').get(who).post(who),
      api.endpoint('members', { permissions: [new IsAuthenticated()] }).get(() => 'member'),
      api.endpoint('off', { authentication: [] }).get(who),
    ],
    { configuration: configurationOf(keys) },
  )
}

describe('A1 the default schemes', () => {
  test('sessions, then Basic, where the application has accounts', () => {
    const names = defaultsFor(accounts).authentication.map((scheme) => scheme.constructor)
    expect(names).toEqual([SessionAuthentication, BasicAuthentication])
  })
  test('none where it has none: then no database is needed', () => {
    expect(defaultsFor(null).authentication).toEqual([])
    expect(serve({}).describe()[0]!.settings.authentication).toEqual([])
  })
  test('everything else is the same', () => {
    const { authentication: _, ...others } = defaultsFor(accounts)
    expect(others).toEqual({ ...defaultsFor(null), authentication: undefined })
  })

  test('name users without a word in the code', async () => {
    const app = serve({ accounts })
    const [basic, nobody, post] = [
      await client(app).get('/open/', right),
      await client(app).get('/open/'),
      await client(app).post('/open/', right),
    ]
    expect([basic.data, nobody.data, post.data]).toEqual(['joe', '', 'joe'])
  })
  test('A41 the first has no challenge, so a denial is 403', async () => {
    const answer = await client(serve({ accounts })).get('/members/')
    expect([answer.status, answer.header('www-authenticate')]).toEqual([403, null])
  })
  test('an endpoint may have none', async () => {
    expect((await client(serve({ accounts })).get('/off/', right)).data).toBe('')
  })
  test('the api may say others', async () => {
    const app = serve({ accounts, authentication: [new BasicAuthentication(accounts)] })
    expect((await client(app).get('/members/')).status).toBe(401)
  })
  test('so may an operator, who gets the realm that is said', async () => {
    const app = serve(
      { accounts },
      { DEFAULT_AUTHENTICATION_CLASSES: [{ class: 'BasicAuthentication', realm: 'reading room' }] },
    )
    const answer = await client(app).get('/members/')
    expect(answer.header('www-authenticate')).toBe('Basic realm="reading room"')
    expect((await client(app).get('/open/', right)).data).toBe('joe')
  })
  test('and who said them can be explained', () => {
    const described = serve({ accounts }).describe()
    expect(described[0]!.provenance.authentication).toBe('defaults')
  })
})
