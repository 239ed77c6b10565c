import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { client } from 'colophon/testing'
import { emptyDatabase } from './empty-database.ts'

// A database of its own, which the application opens when it is loaded.
const { url, drop } = await emptyDatabase()
process.env['DATABASE_URL'] = url
const { default: app } = await import('./app.ts')
const { accounts, database } = await import('./tables.ts')

await database.migrate()
after(async () => {
  await app.close()
  await database.close()
  await drop()
})

const { get, post, patch, delete: remove } = client(app)
const ada = await accounts.users.create({ username: 'ada', password: 'ada likes tea' })

test('a note is kept, shown, changed and deleted', async () => {
  const made = await post('/notes/', { as: ada, json: { text: 'Write a test' } })
  assert.equal(made.status, 201)
  assert.partialDeepStrictEqual((await get('/notes/1/')).data, { id: 1, text: 'Write a test' })
  assert.equal((await patch('/notes/1/', { as: ada, json: { done: true } })).status, 200)
  assert.partialDeepStrictEqual((await get('/notes/?done=true')).data, { count: 1 })
  assert.equal((await remove('/notes/1/', { as: ada })).status, 204)
  assert.equal((await get('/notes/1/')).status, 404)
})

test('a note without a text is refused, and says why', async () => {
  const { status, data } = await post('/notes/', { as: ada, json: {} })
  assert.equal(status, 400)
  assert.deepEqual(Object.keys(data as object), ['text'])
})

test('a note with a member that no field has is refused, and nothing is kept', async () => {
  const before = (await get('/notes/')).data
  const { status, data } = await post('/notes/', { as: ada, json: { text: 'Done', dnoe: true } })
  assert.equal(status, 400)
  assert.deepEqual(Object.keys(data as object), ['dnoe'])
  assert.deepEqual((await get('/notes/')).data, before)
})

test('a misspelt filter is refused, and so is a page that is too long', async () => {
  for (const [name, value] of Object.entries({ dnoe: 'true', page_size: '101' })) {
    const { status, data } = await get(`/notes/?${name}=${value}`)
    assert.equal(status, 400)
    assert.deepEqual(Object.keys(data as object), [name])
  }
})

test('strangers may read, and not write', async () => {
  assert.equal((await get('/notes/')).status, 200)
  assert.equal((await post('/notes/', { json: { text: 'Mine' } })).status, 401)
})

test('a password gives a token, and the token writes', async () => {
  const form = { username: 'ada', password: 'ada likes tea' }
  const { token } = (await post('/token/', { form })).data as { token: string }
  const headers = { Authorization: `Token ${token}` }
  assert.equal((await post('/notes/', { headers, json: { text: 'By a program' } })).status, 201)
})
