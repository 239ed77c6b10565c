import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { emptyDatabase } from './empty-database.ts'

// A database of its own, which the application opens when it is loaded.
const { url, drop } = await emptyDatabase()
process.env['DATABASE_URL'] = url
const { default: app } = await import('./app.ts')
const { web } = await import('./web.ts')
const { accounts, database } = await import('./tables.ts')

await database.migrate()
const server = web.listen(0, '127.0.0.1')
await once(server, 'listening')
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
after(async () => {
  server.close()
  await app.close()
  await database.close()
  await drop()
})

const ada = await accounts.users.create({ username: 'ada', password: 'ada likes tea' })
const { key } = await accounts.tokens.obtain(ada)

/** Sends a note, as the owner of the token. */
function send(note: object, token = key): Promise<Response> {
  const headers = { 'content-type': 'application/json', authorization: `Token ${token}` }
  return fetch(`${origin}/api/notes/`, { method: 'POST', headers, body: JSON.stringify(note) })
}

test('Express answers its own pages', async () => {
  assert.match(await (await fetch(origin)).text(), /<a href="\/api\/notes\/">/)
  assert.equal((await fetch(`${origin}/nothing/`)).status, 404)
})

test('a note is kept and shown, beside Express', async () => {
  assert.equal((await send({ text: 'Write a test' })).status, 201)
  const page = await (await fetch(`${origin}/api/notes/`)).json()
  assert.partialDeepStrictEqual(page, { count: 1, results: [{ text: 'Write a test' }] })
})

test('a note without a text or with an unknown member is refused, and strangers do not write', async () => {
  assert.equal((await send({})).status, 400)
  assert.equal((await send({ text: 'Done', dnoe: true })).status, 400)
  assert.equal((await send({ text: 'Mine' }, 'of nobody')).status, 401)
})
