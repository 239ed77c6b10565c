import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { client } from 'colophon/testing'

const folder = mkdtempSync(join(tmpdir(), 'tracker-'))
process.env['DATABASE_URL'] = `sqlite:${join(folder, 'test.sqlite')}`
process.env['UPLOADS'] = join(folder, 'uploads')
const { default: app } = await import('./app.ts')
const { accounts, database, members, organisations } = await import('./tables.ts')
await database.migrate()
after(async () => {
  await database.close()
  rmSync(folder, { recursive: true })
})

const { get, post, patch, delete: remove } = client(app).expectContract()
const [ada, bob, eve] = await Promise.all(
  ['ada', 'bob', 'eve'].map((username) => accounts.users.create({ username })),
)
for (const [slug, name] of [
  ['acme', 'Acme'],
  ['globex', 'Globex'],
] as const)
  await organisations.insert({ slug, name })
await members.insert({ organisation: 'acme', person: ada!.id, role: 'lead' })
await members.insert({ organisation: 'acme', person: bob!.id })
await members.insert({ organisation: 'globex', person: eve!.id, role: 'lead' })

const acme = '/v2/organisations/acme/issues/'
await post(acme, { as: ada, json: { title: 'Printer', priority: 3 } })
await post(acme, { as: bob, json: { title: 'Paper' } })

test('the versions show the same issue, each in its own way and with its own links', async () => {
  const v1 = await get('/v1/organisations/acme/issues/1/', { as: bob })
  assert.deepEqual(v1.data, { id: 1, title: 'Printer', state: 'open' })
  const { data } = await get(`${acme}1/`, { as: bob })
  const url = `http://localhost${acme}1/`
  assert.deepEqual(data, { ...(v1.data as object), url, author: ada!.id, priority: 3 })
  const old = { title: 'Ink', priority: 9 }
  await post('/v1/organisations/acme/issues/', { as: bob, json: old })
  assert.partialDeepStrictEqual((await get(`${acme}3/`, { as: bob })).data, { priority: 0 })
})

test('strangers find nothing, whatever they do and in either version', async () => {
  for (const address of [acme, `${acme}1/`, `${acme}1/attachments/`, '/v1/organisations/acme/'])
    assert.equal((await get(address, { as: eve })).status, 404)
  assert.equal((await patch(`${acme}1/`, { as: eve, json: { title: 'Mine' } })).status, 404)
  assert.equal((await get('/v2/organisations/globex/issues/1/', { as: eve })).status, 404)
  assert.equal((await get(acme)).status, 401)
  const { data } = await get('/v1/organisations/', { as: eve })
  assert.partialDeepStrictEqual(data, { results: [{ slug: 'globex', name: 'Globex' }] })
})

test('authors and leads change an issue, and leads alone delete it', async () => {
  const json = { state: 'done' }
  assert.equal((await patch(`${acme}1/`, { as: bob, json })).status, 403)
  assert.equal((await patch(`${acme}2/`, { as: bob, json })).status, 200)
  assert.equal((await remove(`${acme}2/`, { as: bob })).status, 403)
  assert.equal((await patch(`${acme}2/`, { as: ada, json: { state: 'open' } })).status, 200)
  assert.equal((await remove(`${acme}2/`, { as: ada })).status, 204)
})

test('an attachment comes back to members as it was sent', async () => {
  const file = new File(['It burns.'], 'report.txt', { type: 'text/plain' })
  const attached = `${acme}1/attachments/`
  assert.equal((await post(attached, { as: bob, multipart: { file } })).status, 201)
  const { text, header } = await get(`${attached}1/content/`, { as: ada })
  assert.equal(text, 'It burns.')
  assert.equal(header('content-disposition'), 'attachment; filename="report.txt"')
  assert.equal((await get(`${attached}1/content/`, { as: eve })).status, 404)
})
