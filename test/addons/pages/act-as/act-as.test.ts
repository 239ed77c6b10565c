// The choice of a user to act as: whose it is, for how long, and what it is worth elsewhere.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { ActAs, actAsPages, actAsUrls } from '../../../../src/browsable.ts'
import {
  type ApiRequest,
  HasRole,
  PageNumberPagination,
  QueryParameterVersioning,
  SessionAuthentication,
  TokenHasScope,
  arraySource,
  configurationOf,
  defineApi,
  defineUrls,
  list,
} from '../../../../src/index.ts'
import { defineAccounts } from '../../../../src/accounts.ts'
import { openSqlite } from '../../../../src/sqlite.ts'
import { client } from '../../../../src/testing.ts'

const info: unknown[] = []
const rows = Array.from({ length: 60 }, (_, at) => ({ id: at + 1 }))
const pagination = new PageNumberPagination({ pageSize: 5 })
async function start({ allow }: { allow?: string } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-act-as-'))
  const database = openSqlite({ path: join(folder, 'accounts.sqlite') })
  onTestFinished(() => {
    database.close()
    rmSync(folder, { recursive: true })
  })
  await database.migrate()
  const configuration = configurationOf({ SECRET_KEY: 'a secret to act with' })
  const accounts = defineAccounts({
    database,
    configuration,
    manyTokens: true,
    roles: ['guard', 'nurse'],
  })
  const roles = ['guard', 'nurse'] as const
  const jane = await accounts.users.create({ username: 'jane', isStaff: true, roles })
  const bob = await accounts.users.create({ username: 'bob', roles })
  await accounts.tokens.issue(bob, { name: 'guard', scopes: ['role:guard'] })
  await accounts.tokens.issue(bob, { name: 'reader', scopes: ['read'] })
  const permission = {
    hasPermission: ({ user }: ApiRequest) =>
      (user as { username: string }).username === (allow ?? 'jane'),
  }
  const actAs = new ActAs({ accounts, maxAge: 60, ...(allow && { permission }) })
  const api = defineApi({
    urls: defineUrls({
      ...actAsUrls,
      me: '/me/',
      all: '/all/',
      guards: '/guards/',
      nurses: '/nurses/',
      write: '/write/',
      old: '/old/',
      mine: '/mine/',
      same: '/same/',
    }),
    accounts,
    authentication: [new SessionAuthentication({ sessions: accounts.sessions, actAs })],
    logger: { error: console.error, info: (record: unknown) => void info.push(record) },
  })
  const app = api.serve(
    [
      ...actAsPages(api, { accounts, actAs }),
      api.endpoint('me').get(({ user }) => ({ name: user.username, common: 1 })),
      api.endpoint('all').get(() => ({ common: 1 })),
      api.endpoint('guards', { permissions: [new HasRole('guard')] }).get(() => ({ common: 1 })),
      api.endpoint('nurses', { permissions: [new HasRole('nurse')] }).get(() => ({ common: 1 })),
      api
        .endpoint('write', { permissions: [new TokenHasScope({ scopes: ['write'] })] })
        .get(() => ({ common: 1 })),
      api.endpoint('mine', { pagination }).get(
        list({
          source: ({ user }) =>
            arraySource(user.username === 'jane' ? rows : rows.filter(({ id }) => id % 3 === 0), {
              key: 'id',
            }),
        }),
      ),
      api.endpoint('same', { pagination }).get(list({ source: arraySource(rows, { key: 'id' }) })),
      api
        .endpoint('old', {
          versioning: new QueryParameterVersioning(),
          allowedVersions: ['1', '2'],
          defaultVersion: '2',
        })
        .get(({ user, version }) => ({ [`of-${user.username}`]: version, both: `in ${version}` }))
        .put({
          handle: () => null,
          form: ({ user }) => ({
            fields: {
              both: { type: 'string', required: false, read_only: false },
              [`of-${user.username}`]: { type: 'string', required: false, read_only: false },
            },
          }),
        }),
    ],
    { configuration },
  )
  const sessions = {
    jane: await accounts.sessions.start(jane),
    other: await accounts.sessions.start(jane),
    bob: await accounts.sessions.start(bob),
  }
  return { ...client(app), sessions, accounts, bob }
}
type Started = Awaited<ReturnType<typeof start>>

const CSRF = 'a'.repeat(32)
const HTML = { accept: 'text/html' }
const COOKIE = 'colophon_act_as'

const choose = ({ post }: Started, session: string, form: Readonly<Record<string, string>>) =>
  post('/act-as/', {
    cookies: { sessionid: session, csrftoken: CSRF },
    form: { csrfmiddlewaretoken: CSRF, next: '/all/?page=2', ...form },
  })
const look = (
  { get }: Started,
  path: string,
  session: string,
  chosen = '',
  headers: object = HTML,
) => get(path, { headers: { ...headers }, cookies: { sessionid: session, [COOKIE]: chosen } })
const BANNER = 'class="acting"'

beforeEach(() => {
  info.length = 0
  return () => void vi.useRealTimers()
})

describe('a choice', () => {
  test('sends back to the page, which shows what both see and says so', async () => {
    const service = await start()
    const answer = await choose(service, service.sessions.jane, { username: 'bob' })
    expect([answer.status, answer.header('location')]).toEqual([303, '/all/?page=2'])
    const chosen = answer.cookies[COOKIE]!
    const { text } = await look(service, '/me/', service.sessions.jane, chosen)
    expect(text).toContain(BANNER)
    expect(text).toContain('<b>"common"</b>')
    expect(text).not.toContain('<b>"name"</b>')
    expect(info).toContainEqual(
      expect.objectContaining({ event: 'act_as.shown', by: 'jane', as: 'bob', path: '/me/' }),
    )
  })
  test('of a token shows what the roles allow that its scopes leave', async () => {
    const service = await start()
    const { jane } = service.sessions
    const choice = { username: 'bob', by_token: 'true', token: 'guard' }
    const chosen = (await choose(service, jane, choice)).cookies[COOKIE]!
    expect((await look(service, '/guards/', jane, chosen)).text).toContain('<b>"common"</b>')
    expect((await look(service, '/nurses/', jane, chosen)).text).not.toContain('<b>"common"</b>')
    const own = (await choose(service, jane, { username: 'bob' })).cookies[COOKIE]!
    expect((await look(service, '/nurses/', jane, own)).text).toContain('<b>"common"</b>')
  })
  test.each([
    ['another version', '/old/?_view=compare-1', 'in 1'],
    ['OPTIONS', '/old/?_view=options', 'both'],
  ])('shows of %s what both see of it', async (_, path, common) => {
    const service = await start()
    const chosen = (await choose(service, service.sessions.jane, { username: 'bob' })).cookies[
      COOKIE
    ]!
    const { text } = await look(service, path, service.sessions.jane, chosen)
    expect(text).toContain(common)
    expect(text).not.toMatch(/of-jane|of-bob/)
    expect((await look(service, path, service.sessions.jane)).text).toContain('of-jane')
  })
  test('leads through the pages of the other, without their number', async () => {
    const service = await start()
    const { jane } = service.sessions
    const chosen = (await choose(service, jane, { username: 'bob' })).cookies[COOKIE]!
    const { text } = await look(service, '/mine/?page=2', jane, chosen)
    const ids = [...text.matchAll(/<b>"id"<\/b>: <u>(\d+)<\/u>/g)].map(([, id]) => Number(id))
    expect(ids).toEqual([18, 21, 24, 27, 30])
    expect(text).toMatch(/<a href="[^"]*\?page=3" rel="next">/)
    expect(text).not.toMatch(/aria-label="Page \d|"count"/)
    // Where both see the same, there is nothing to leave out.
    const same = (await look(service, '/same/?page=2', jane, chosen)).text
    expect(same).toMatch(/aria-label="Page 12"/)
    expect(same).toContain('<b>"count"</b>: <u>60</u>')
  })
  test('of a token has no more than its scopes', async () => {
    const service = await start()
    const form = { username: 'bob', by_token: 'true', token: 'reader' }
    const chosen = (await choose(service, service.sessions.jane, form)).cookies[COOKIE]!
    const { jane } = service.sessions
    expect((await look(service, '/write/', jane, chosen)).status).toBe(403)
    expect((await look(service, '/write/', jane)).status).toBe(200)
    expect((await look(service, '/all/', jane, chosen)).text).toContain('bob / reader')
  })
  test.each([
    ['username', { username: 'nemo' }],
    ['token', { username: 'bob', by_token: 'true', token: 'writer' }],
  ])('of nothing that there is names the field %s', async (name, form) => {
    const service = await start()
    const answer = await choose(service, service.sessions.jane, form)
    expect([answer.status, answer.cookies]).toEqual([400, {}])
    expect(answer.text).toContain(name)
  })
  test('of nobody ends it', async () => {
    const service = await start()
    expect((await choose(service, service.sessions.jane, { username: '' })).cookies).toEqual({
      [COOKIE]: '',
    })
  })
  test('goes to no other site', async () => {
    const service = await start()
    const form = { username: 'bob', next: 'https://evil.example/' }
    const answer = await choose(service, service.sessions.jane, form)
    expect(answer.header('location')).toBe('/')
  })
})

describe('it is worth nothing', () => {
  const chosenBy = async (service: Started) =>
    (await choose(service, service.sessions.jane, { username: 'bob' })).cookies[COOKIE]!

  test('to others, who cannot make one either', async () => {
    const service = await start()
    expect((await choose(service, service.sessions.bob, { username: 'jane' })).status).toBe(403)
    const { text } = await look(service, '/all/', service.sessions.bob, await chosenBy(service))
    expect(text).not.toContain(BANNER)
  })
  test('in another session, or changed', async () => {
    const service = await start()
    const chosen = await chosenBy(service)
    const { jane, other } = service.sessions
    for (const [session, cookie] of [
      [other, chosen],
      [jane, `${chosen}x`],
      [jane, 'x'],
    ] as const) {
      const { status, text } = await look(service, '/all/', session, cookie)
      expect([status, text.includes(BANNER)]).toEqual([200, false])
    }
  })
  test('when its time is over', async () => {
    const service = await start()
    const chosen = await chosenBy(service)
    vi.useFakeTimers({ now: Date.now() + 61_000, toFake: ['Date'] })
    expect((await look(service, '/all/', service.sessions.jane, chosen)).text).not.toContain(BANNER)
  })
  test('when the user is no longer active', async () => {
    const service = await start()
    const chosen = await chosenBy(service)
    await service.accounts.users.update(service.bob, { isActive: false })
    expect((await look(service, '/all/', service.sessions.jane, chosen)).text).not.toContain(BANNER)
  })
  test('to programs', async () => {
    const service = await start()
    const chosen = await chosenBy(service)
    const { data } = await look(service, '/me/', service.sessions.jane, chosen, {})
    expect(data).toEqual({ name: 'jane', common: 1 })
  })
  test('without a CSRF token', async () => {
    const { post, sessions } = await start()
    const answer = await post('/act-as/', {
      cookies: { sessionid: sessions.jane },
      form: { username: 'bob' },
    })
    expect([answer.status, answer.cookies]).toEqual([403, {}])
  })
})

test('who may is decided by a permission of the application', async () => {
  const service = await start({ allow: 'bob' })
  expect((await choose(service, service.sessions.jane, { username: 'bob' })).status).toBe(403)
  expect((await choose(service, service.sessions.bob, { username: 'jane' })).status).toBe(303)
})

test('it needs a secret', () => {
  const sessions = { settings: {} } as never
  const actAs = new ActAs({ accounts: { users: null!, tokens: null! } })
  const facts = { hasSecret: false, remoteUserSource: null, routes: [] }
  expect(new SessionAuthentication({ sessions, actAs }).check(facts)).toMatch(/^needs SECRET_KEY/)
  expect(new SessionAuthentication({ sessions }).check(facts)).toBeNull()
})
