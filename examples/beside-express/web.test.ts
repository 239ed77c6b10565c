import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'

const folder = mkdtempSync(join(tmpdir(), 'books-'))
process.env['DATABASE_URL'] = `sqlite:${join(folder, 'test.sqlite')}`
const { web } = await import('./web.ts')
const { accounts, database } = await import('./books.ts')
await database.migrate()
const server = web.listen(0, '127.0.0.1')
await once(server, 'listening')
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
after(async () => {
  server.close()
  await database.close()
  rmSync(folder, { recursive: true })
})

const { key } = await accounts.tokens.obtain(await accounts.users.create({ username: 'seller' }))
const headers = { 'content-type': 'application/json', authorization: `Token ${key}` }
const send = (path: string, json: object, other: object = headers) =>
  fetch(origin + path, { method: 'POST', body: JSON.stringify(json), headers: { ...other } })

test('what the api keeps, pages of Express show, each with its own links', async () => {
  const made = await send('/api/books/', { title: 'Emma', cents: 1250 })
  assert.equal(made.status, 201)
  assert.partialDeepStrictEqual(await made.json(), { url: `${origin}/api/books/1/` })
  const old = await fetch(`${origin}/books.json`)
  assert.deepEqual(await old.json(), [{ title: 'Emma', cents: 1250 }])
  assert.match(old.headers.get('link')!, /^<\/api\/books\/>; rel="successor-version"$/)
})

test('each answers for its own addresses', async () => {
  const { status, headers: sent } = await fetch(`${origin}/api/nothing/`)
  assert.deepEqual([status, sent.get('content-type')], [404, 'application/json'])
  assert.match(await (await fetch(`${origin}/nothing`)).text(), /Cannot GET/)
  assert.match(await (await fetch(origin)).text(), /All books/)
})

test('each reads the bodies that are its own, and strangers write nowhere', async () => {
  const json = { 'content-type': 'application/json' }
  assert.deepEqual(await (await send('/quote', { copies: 12 })).json(), { discount: '10 %' })
  assert.equal((await send('/quote', {})).status, 400)
  assert.equal((await send('/api/books/', { title: 'Emma', cents: 1 }, json)).status, 401)
  assert.equal((await send('/api/books/', { title: 'Emma', cents: 'much' })).status, 400)
})
