// Who may administer what, and what never comes out of it.
import { expect, test } from 'vitest'
import { type User, configurationOf, defineApi, defineUrls, include } from 'colophon'
import { IsAdministrator, adminEndpoints, adminUrls } from 'colophon/admin'
import { client } from 'colophon/testing'
import { administration, at } from './service.ts'
import { storesOf } from '../../../src/accounts/tables/stores.ts'

type Service = Awaited<ReturnType<typeof administration>>
type Row = Readonly<Record<string, unknown>>

/** Every method of every endpoint, with a body that would do something. */
function everything(
  { alice }: Service,
  token: number,
  factor = 7,
): readonly [string, string, object?][] {
  return [
    ['GET', at('users/')],
    ['POST', at('users/'), { username: 'eve' }],
    ['GET', at(`users/${alice.id}/`)],
    ['POST', at(`users/${alice.id}/deactivate/`)],
    ['POST', at(`users/${alice.id}/activate/`)],
    ['POST', at(`users/${alice.id}/password/`), { password: 'a new secret' }],
    ['GET', at(`users/${alice.id}/sessions/`)],
    ['POST', at(`users/${alice.id}/sessions/end/`), {}],
    ['GET', at(`users/${alice.id}/factors/`)],
    ['POST', at(`users/${alice.id}/factors/end/`), { kind: 'unconfirmed', id: factor }],
    ['GET', at('tokens/')],
    ['POST', at('tokens/'), { user: alice.id, name: 'new' }],
    ['GET', at(`tokens/${token}/`)],
    ['POST', at(`tokens/${token}/rotate/`), {}],
    ['POST', at('tokens/revoke/'), { tokens: [999_999] }],
    ['POST', at(`tokens/${token}/revoke/`)],
    ['GET', at('audit/')],
  ]
}

async function withToken(service: Service, owner: User, scopes: readonly string[] | null = null) {
  const { key } = (await service.accounts.tokens.issue(owner, { name: 'key', scopes }))!
  const { id } = (await storesOf(service.database).tokens.ofUser(owner.id, 'key'))!
  return { id, headers: { authorization: `Token ${key}` } }
}

test('the table has every address', async () => {
  const service = await administration('sqlite')
  const paths = everything(service, 7).map(([, path]) => path.replace(/\/\d+\//, '/:id<int>/'))
  expect([...new Set(paths)].toSorted()).toEqual(Object.values(adminUrls).toSorted())
})

test.each([
  ['without credentials', () => Promise.resolve({}), 403],
  ['as a user', ({ alice }: Service) => Promise.resolve({ as: alice }), 403],
  ['with the token of a user', (s: Service) => withToken(s, s.bob), 403],
  ['with a token of staff for one thing', (s: Service) => withToken(s, s.staff, ['read']), 403],
  ['with a token of staff for nothing', (s: Service) => withToken(s, s.staff, []), 403],
  [
    'as staff who is not active',
    ({ staff }: Service) => Promise.resolve({ as: { ...staff, isActive: false } }),
    403,
  ],
  ['as staff', ({ staff }: Service) => Promise.resolve({ as: staff }), null],
  ['with a token of staff', (s: Service) => withToken(s, s.staff), null],
] as const)('everything %s', async (_, credentials, refusal) => {
  const service = await administration('sqlite')
  const { request, alice, trail } = service
  const { id } = await withToken(service, alice)
  const factor = await service.accounts.factors.begin(alice, 'phone', 'ORSXG5A')
  const own = await credentials(service)
  for (const [method, path, json] of everything(service, id, factor.id)) {
    const { status } = await request(method, path, { ...own, ...(json && { json }) })
    if (refusal === null) expect([method, path, status < 300]).toEqual([method, path, true])
    else expect([method, path, status]).toEqual([method, path, refusal])
  }
  expect((await trail()).length > 0).toBe(refusal === null)
})

test('a token makes no other for its own user, and gets none of their keys', async () => {
  const service = await administration('sqlite')
  const { post, accounts, staff, alice } = service
  const usual = await accounts.tokens.obtain(staff)
  const { id, headers } = await withToken(service, staff)
  const tokens = async () =>
    (await accounts.lists.tokens.slice(0, 10)).map((row) => ({ ...row, last_used: null }))
  const before = await tokens()
  for (const json of [{ user: staff.id }, { user: staff.id, name: 'forever' }]) {
    const { status, text } = await post(at('tokens/'), { headers, json })
    expect(status).toBe(409)
    expect(text).not.toContain(usual.key)
  }
  expect((await post(at(`tokens/${id}/rotate/`), { headers, json: {} })).status).toBe(409)
  expect(await tokens()).toEqual(before)
  const ofAnother = { user: alice.id, name: 'ci' }
  expect((await post(at('tokens/'), { headers, json: ofAnother })).status).toBe(201)
})

test('staff who is no superuser changes no other staff, whatever the way', async () => {
  const service = await administration('sqlite')
  const { post, accounts, staff, root, trail } = service
  const { id } = await withToken(service, root)
  await accounts.tokens.obtain(root)
  for (const [path, json] of [
    [`users/${root.id}/deactivate/`],
    [`users/${root.id}/password/`, { password: 'mine now' }],
    [`users/${root.id}/sessions/end/`, {}],
    ['tokens/', { user: root.id, name: 'mine' }],
    // The key that is there already.
    ['tokens/', { user: root.id }],
    [`tokens/${id}/rotate/`, {}],
    [`tokens/${id}/rotate/`, { overlap: 60 }],
    [`tokens/${id}/revoke/`],
    ['tokens/revoke/', { tokens: [id] }],
    ['users/', { username: 'eve', isStaff: true }],
    ['users/', { username: 'eve', isSuperuser: true }],
  ] as const) {
    const { status, data } = await post(at(path), { as: staff, ...(json && { json }) })
    expect([path, status, Object.keys(data as object)]).toEqual([path, 403, ['detail']])
  }
  expect(await trail()).toEqual([])
  expect(await accounts.tokens.of(root)).toHaveLength(2)
})

test('nobody locks the own account', async () => {
  const { post, staff, root } = await administration('sqlite')
  for (const user of [staff, root]) {
    const { status, data } = await post(at(`users/${user.id}/deactivate/`), { as: user })
    expect([status, data]).toEqual([409, { detail: 'You cannot deactivate your own account.' }])
  }
})

test('staff do not set the own password without the current one, by a session or a token', async () => {
  const service = await administration('sqlite')
  const { accounts, post, root, staff } = service
  for (const user of [root, staff])
    for (const credentials of [{ as: user }, await withToken(service, user)]) {
      const json = { password: 'mine from now on' }
      const { status, data } = await post(at(`users/${user.id}/password/`), {
        ...('headers' in credentials ? { headers: credentials.headers } : credentials),
        json,
      })
      const detail = 'Your own password can be changed only with the current one.'
      expect([status, data]).toEqual([409, { detail }])
    }
  expect(await accounts.users.authenticate('staff', 'staff secret')).not.toBeNull()
})

test('a password that staff set is judged as one that its owner sets', async () => {
  const { accounts, alice, staff } = await administration('sqlite')
  const api = defineApi({ urls: defineUrls(adminUrls), accounts })
  const noAlice = (value: string) => (value.includes('alice') ? 'Do not use the name.' : null)
  const rules = { passwordMinLength: 5, passwordValidators: [noAlice] }
  const app = api.serve(adminEndpoints(api, { accounts, ...rules }), {
    configuration: configurationOf(),
  })
  const { post } = client(app)
  const refusal = async (path: string, json: object) => {
    const { status, data } = await post(at(path), { as: staff, json })
    return status < 300 ? null : data
  }
  const short = { password: ['Use at least 5 characters.'] }
  for (const [password, expected] of [
    ['four', short],
    ['alice alice', { password: ['Do not use the name.'] }],
    ['a fine one', null],
    [null, null],
  ] as const) {
    expect(await refusal(`users/${alice.id}/password/`, { password })).toEqual(expected)
    const username = `of ${password}`
    expect(await refusal('users/', { username, password })).toEqual(expected)
  }
})

test('a session needs a CSRF token for whatever changes something', async () => {
  const service = await administration('sqlite')
  const { accounts, request, staff, alice, trail } = service
  const { id } = await withToken(service, alice)
  const cookies = {
    [accounts.sessions.settings.sessionCookieName]: await accounts.sessions.start(staff),
  }
  for (const [method, path, json] of everything(service, id)) {
    const { status, text } = await request(method, path, { cookies, ...(json && { json }) })
    expect([path, status]).toEqual([path, method === 'GET' ? 200 : 403])
    if (method === 'POST') expect(text).toContain('CSRF')
  }
  expect(await trail()).toEqual([])
})

test('keys come in the answer that makes them, once, and are in no log and no list', async () => {
  const service = await administration('sqlite')
  const { get, post, database, logged, staff, alice, bob } = service
  const answers = [
    await post(at('tokens/'), { as: staff, json: { user: alice.id, name: 'ci' } }),
    await post(at('tokens/'), { as: staff, json: { user: bob.id } }),
  ]
  const { id } = answers[0]!.data as { readonly id: number }
  answers.push(await post(at(`tokens/${id}/rotate/`), { as: staff, json: {} }))
  const keys = answers.map(({ data }) => String((data as Row)['key']))
  for (const [at_, { text }] of answers.entries()) expect(text.split(keys[at_]!)).toHaveLength(2)
  await post(at('users/'), { as: staff, json: { username: 'x', password: 'told to no one' } })
  const bad = await post(at('users/'), {
    as: staff,
    json: { username: '', password: 'told to no one' },
  })
  expect([bad.status, bad.text.includes('told')]).toEqual([400, false])
  const shown = [
    ...logged,
    ...(await Promise.all(
      ['users/', 'tokens/', `tokens/${id}/`, 'audit/'].map(
        async (path) => (await get(at(path), { as: staff })).text,
      ),
    )),
    JSON.stringify(await database.read({ sql: 'select * from colophon_audit', parameters: [] })),
  ].join('\n')
  expect(shown).toContain('token.created')
  for (const secret of [...keys, 'told to no one', 'argon2']) expect(shown).not.toContain(secret)
})

test('the usual token can be read again, and each time is in the trail', async () => {
  const { post, staff, alice, trail } = await administration('sqlite', { manyTokens: false })
  const read = () => post(at('tokens/'), { as: staff, json: { user: alice.id } })
  const [one, two] = [await read(), await read()]
  expect((two.data as Row)['key']).toBe((one.data as Row)['key'])
  expect((await trail()).map(({ action }) => action)).toEqual(['token.created', 'token.shown'])
  const id = (one.data as Row)['id']
  for (const [path, json, field] of [
    ['tokens/', { user: alice.id, name: 'ci' }, 'name'],
    ['tokens/', { user: alice.id, scopes: ['read'] }, 'scopes'],
    ['tokens/', { user: alice.id, expires: '2030-01-01T00:00:00Z' }, 'expires'],
    [`tokens/${String(id)}/rotate/`, { overlap: 60 }, 'overlap'],
  ] as const) {
    const { status, data } = await post(at(path), { as: staff, json })
    expect([status, Object.keys(data as object)]).toEqual([400, [field]])
  }
})

test.each([
  ['users/', { username: 'x'.repeat(151) }, 400],
  ['users/', { username: 'a\u0000b' }, 400],
  ['users/', { username: ' ' }, 400],
  ['users/', { username: 'long', password: 'x'.repeat(5000) }, 400],
  ['users/', { username: 'long', password: '€'.repeat(2000) }, 400],
  ['users/', [], 400],
  ['users/999999/deactivate/', {}, 404],
  ['users/999999/password/', { password: 'a new secret' }, 404],
  ['users/1/password/', {}, 400],
  // Of users 1 and 3, root asks.
  ['users/1/password/', { password: 'a new secret' }, 409],
  ['users/3/password/', { password: 'seven c' }, 400],
  ['users/', { username: 'short', password: 'seven c' }, 400],
  ['users/999999/sessions/end/', {}, 404],
  ['users/1/sessions/end/', { session: 'x'.repeat(65) }, 400],
  ['tokens/', { user: 999_999, name: 'ci' }, 400],
  ['tokens/', { user: 1e300, name: 'ci' }, 400],
  ['tokens/', { user: 3, name: 'x'.repeat(101) }, 400],
  ['tokens/', { user: 3, name: 'ci', scopes: ['with space'] }, 400],
  ['tokens/', { user: 3, name: 'ci', scopes: Array.from({ length: 101 }, () => 'a') }, 400],
  ['tokens/', { user: 3, name: 'ci', expires: 'soon' }, 400],
  ['tokens/999999/rotate/', {}, 404],
  ['tokens/999999/rotate/', { overlap: 1e9 }, 400],
  ['tokens/revoke/', { tokens: [] }, 400],
  ['tokens/revoke/', { tokens: Array.from({ length: 101 }, (_, n) => n + 1) }, 400],
  ['tokens/revoke/', { tokens: ['x'] }, 400],
] as const)('POST %s with %j is %i', async (path, json, expected) => {
  const { post, root, trail } = await administration('sqlite')
  expect((await post(at(path), { as: root, json })).status).toBe(expected)
  expect(await trail()).toEqual([])
})

test.each([
  'scope=a+b',
  'scope=%00',
  'expires__lt=soon',
  'lastUsed__gte=2024-13-01',
  'user=x',
  'cursor=x',
])('GET of tokens with ?%s is refused', async (query) => {
  const { get, staff } = await administration('sqlite')
  const { status } = await get(at(`tokens/?${query}`), { as: staff })
  expect(status).toBe(query === 'cursor=x' ? 404 : 400)
})

test('the addresses may be elsewhere, and permissions others', async () => {
  const { accounts, alice, bob, staff } = await administration('sqlite')
  const api = defineApi({ urls: defineUrls({ office: include('/office', adminUrls) }), accounts })
  const onlyAlice = { hasPermission: ({ user }: { user: unknown }) => user === alice }
  const app = api.serve(adminEndpoints(api, { accounts, permissions: [onlyAlice] }), {
    configuration: configurationOf(),
  })
  const { get, post } = client(app)
  expect((await get('/office/admin/users/', { as: alice })).status).toBe(200)
  expect((await get('/office/admin/users/', { as: staff })).status).toBe(403)
  const path = (user: User) => `/office/admin/users/${user.id}/deactivate/`
  expect((await post(path(bob), { as: alice })).status).toBe(200)
  // Permissions let on, and rights do not grow.
  expect((await post(path(staff), { as: alice })).status).toBe(403)
})

test('rules about single users and tokens hold for whatever is done to them', async () => {
  const service = await administration('sqlite')
  const { accounts, alice, bob, staff, trail } = service
  const { id } = await withToken(service, alice)
  const theirs = await withToken(service, bob)
  const permissions = [
    new IsAdministrator(),
    { hasObjectPermission: (_: unknown, row: { username: string }) => row.username !== 'alice' },
  ]
  const api = defineApi({ urls: defineUrls(adminUrls), accounts })
  const app = api.serve(adminEndpoints(api, { accounts, permissions }), {
    configuration: configurationOf(),
  })
  const { request } = client(app)
  const send = async (path: string, json: object = {}) =>
    (await request('POST', at(path), { as: staff, json })).status
  for (const path of ['activate', 'deactivate', 'password', 'sessions/end'])
    expect([path, await send(`users/${alice.id}/${path}/`, { password: 'a new secret' })]).toEqual([
      path,
      403,
    ])
  for (const path of [`tokens/${id}/rotate/`, `tokens/${id}/revoke/`])
    expect([path, await send(path)]).toEqual([path, 403])
  expect(await send('tokens/revoke/', { tokens: [theirs.id, id] })).toBe(403)
  expect(await trail()).toEqual([])
  expect(await send(`users/${bob.id}/deactivate/`)).toBe(200)
  expect(await send('tokens/revoke/', { tokens: [theirs.id] })).toBe(200)
})

test('links to what concerns a user keep the format that the page was asked for in', async () => {
  const { get, alice, staff } = await administration('sqlite')
  const { text } = await get(`${at(`users/${alice.id}/`)}?format=api`, { as: staff })
  expect(text).toContain(`href="/admin/tokens/?format=api&amp;user=${alice.id}"`)
})

test('people get pages with forms, which never show a password', async () => {
  const { accounts, get, post, staff } = await administration('sqlite')
  const { sessionCookieName } = accounts.sessions.settings
  const session = { [sessionCookieName]: await accounts.sessions.start(staff) }
  const headers = { accept: 'text/html' }
  const page = await get(at('users/'), { cookies: session, headers })
  expect(page.text).toMatch(/<input id="[^"]*" name="password" value="" type="password"/)
  const csrfmiddlewaretoken = /name="csrfmiddlewaretoken" value="([^"]+)"/.exec(page.text)![1]!
  const cookies = { ...session, ...page.cookies }
  const send = (username: string) => {
    const form = { csrfmiddlewaretoken, username, password: 'not to be seen' }
    return post(at('users/'), { cookies, headers, form })
  }
  for (const [username, status] of [
    ['x'.repeat(151), 400],
    ['carol', 201],
  ] as const) {
    const sent = await send(username)
    expect([sent.status, sent.text.includes(username)]).toEqual([status, true])
    expect(sent.text).not.toContain('not to be seen')
  }
  expect(await accounts.users.authenticate('carol', 'not to be seen')).not.toBeNull()
})
