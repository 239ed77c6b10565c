// SEC11: whose something is, and what a user may, is never read from a body. More: test/resources/resource/resource.test.ts.
import { expect, test } from 'vitest'
import { ALICE, ALICES_TOKEN, IVAN, attacked } from './service.ts'

/** What an attacker would like to be true. */
const CLAIMS = {
  user: 2,
  user_id: 2,
  userId: 2,
  owner: 2,
  id: 99,
  username: IVAN.username,
  is_admin: true,
  isAdmin: true,
  isStaff: true,
  is_staff: true,
  isSuperuser: true,
  is_superuser: true,
  isActive: true,
  scopes: ['write'],
  role: 'admin',
}

test('a note belongs to whoever made it', async () => {
  const { post, database } = await attacked()
  const json = { text: 'mine', ...CLAIMS }
  expect((await post('/notes/', { json, headers: ALICES_TOKEN })).status).toBe(201)
  const sql = `select id, owner from note where text = 'mine'`
  expect(database.read({ sql, parameters: [] })).toEqual([{ id: 4, owner: 1 }])
})

test.each(['put', 'patch'] as const)('%s gives it to nobody else', async (method) => {
  const service = await attacked()
  const json = { text: 'changed', ...CLAIMS }
  const answer = await service[method]('/notes/1/', { json, headers: ALICES_TOKEN })
  expect([answer.status, answer.data]).toEqual([200, { id: 1, text: 'changed' }])
  const sql = 'select count(*) as count from note where owner = 1'
  expect(service.database.read({ sql, parameters: [] })).toEqual([{ count: 3 }])
})

test.each([
  ['a token', '/token/'],
  ['a token by form', '/token/'],
])('%s is that of whoever said the password', async (title, path) => {
  const { accounts, post } = await attacked()
  const { username: _, ...claims } = CLAIMS
  const said = { ...claims, ...ALICE }
  const form = Object.fromEntries(
    Object.entries(said).map(([name, value]) => [name, String(value)]),
  )
  const { data } = await post(path, title.endsWith('form') ? { form } : { json: said })
  const found = await accounts.tokens.verify((data as { token: string }).token)
  expect(found?.user).toMatchObject({ username: 'alice', isStaff: false, isSuperuser: false })
})

test('claims without the password give nothing', async () => {
  const { post } = await attacked()
  const json = { ...CLAIMS, username: ALICE.username, password: 'wrong' }
  expect((await post('/token/', { json })).status).toBe(400)
  expect((await post('/token/', { json, headers: ALICES_TOKEN })).status).toBe(400)
})
