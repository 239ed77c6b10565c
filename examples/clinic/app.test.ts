import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { client } from 'colophon/testing'

const folder = mkdtempSync(join(tmpdir(), 'clinic-'))
process.env['DATABASE_URL'] = `sqlite:${join(folder, 'test.sqlite')}`
process.env['UPLOADS'] = join(folder, 'uploads')
const { default: app } = await import('./app.ts')
const { accounts, clinics, database, doctors, patients } = await import('./tables.ts')
await database.migrate()
after(async () => {
  await database.close()
  rmSync(folder, { recursive: true })
})

const { get, post, patch, delete: remove } = client(app).expectContract()
const keyOf = async (username: string, clinic: number, role: 'receptionist' | 'doctor') => {
  const user = await accounts.users.create({ username, clinic, roles: [role] })
  const { key } = await accounts.tokens.obtain(user)
  return { headers: { authorization: `Token ${key}` } }
}
for (const name of ['North', 'South']) await clinics.insert({ name })
await doctors.insert({ clinic: 1, name: 'Dr. Lee' })
await doctors.insert({ clinic: 2, name: 'Dr. Moss' })
await patients.insert({ clinic: 1, first: 'Ada', last: 'King Noel' })
await patients.insert({ clinic: 2, first: 'Bob', last: 'Shaw' })
const desk = await keyOf('desk', 1, 'receptionist')
const lee = await keyOf('lee', 1, 'doctor')
const south = await keyOf('south', 2, 'receptionist')

const VISITS = '/v2/visits/'
const visit = {
  doctorId: 1,
  patientId: 1,
  starts: '2026-12-01T09:00:00Z',
  ends: '2026-12-01T09:30:00Z',
}

test('of 50 who want the same time of a doctor, one gets it', async () => {
  const sent = Array.from({ length: 50 }, () => post(VISITS, { ...desk, json: visit }))
  const statuses = (await Promise.all(sent)).map(({ status }) => status)
  assert.equal(statuses.filter((status) => status === 201).length, 1)
  assert.equal(statuses.filter((status) => status === 400).length, 49)
  const { data } = await get(`${VISITS}?state=planned`, desk)
  assert.partialDeepStrictEqual(data, { results: [{ ...visit, doctor: { name: 'Dr. Lee' } }] })
})

test('visits follow one another, and are not moved into each other', async () => {
  const next = { ...visit, starts: visit.ends, ends: '2026-12-01T10:00:00Z' }
  const { data } = await post(VISITS, { ...desk, json: next })
  const { id } = data as { id: number }
  const late = await get(`${VISITS}?starts__gte=${visit.ends}`, desk)
  assert.deepEqual(
    (late.data as { results: { id: number }[] }).results.map((each) => each.id),
    [id],
  )
  const found = await get(`${VISITS}?search=lee&ordering=doctor.name,-starts`, desk)
  assert.partialDeepStrictEqual(found.data, { results: [next, visit] })
  const none = await get(`${VISITS}?search=moss`, desk)
  assert.partialDeepStrictEqual(none.data, { results: [] })
  const moved = await patch(`${VISITS}${id}/`, { ...desk, json: { starts: visit.starts } })
  assert.deepEqual(moved.data, { starts: ['The doctor has another visit then.'] })
  assert.equal(
    (await patch(`${VISITS}${id}/`, { ...desk, json: { ends: visit.starts } })).status,
    400,
  )
})

test('a time is free again after its visit was cancelled, which happens once and with a reason', async () => {
  const address = `${VISITS}1/cancel/`
  assert.equal((await post(address, { ...desk, json: {} })).status, 400)
  const { data } = await post(address, { ...desk, json: { reason: 'Fever' } })
  assert.partialDeepStrictEqual(data, { state: 'cancelled', reason: 'Fever' })
  assert.equal((await post(address, { ...desk, json: { reason: 'Again' } })).status, 409)
  assert.equal((await post(VISITS, { ...desk, json: visit })).status, 201)
})

test('another clinic finds nothing of this one, and refers to nothing of it', async () => {
  for (const path of ['visits/1/', 'patients/1/', 'doctors/1/', 'visits/1/reports/'])
    assert.equal((await get(`/v2/${path}`, south)).status, 404)
  const cancelled = await post(`${VISITS}1/cancel/`, { ...south, json: { reason: 'Mine' } })
  assert.equal(cancelled.status, 404)
  const mixed = await post(VISITS, { ...south, json: { ...visit, doctorId: 2 } })
  assert.deepEqual([mixed.status, Object.keys(mixed.data as object)], [400, ['patientId']])
})

test('the first version has one name for what the second has split', async () => {
  const old = await post('/v1/patients/', { ...desk, json: { name: 'Eve Grey' } })
  assert.deepEqual(old.data, { id: 3, name: 'Eve Grey' })
  const { data } = await patch('/v2/patients/3/', { ...desk, json: { last: 'Black' } })
  assert.deepEqual(data, { id: 3, first: 'Eve', last: 'Black' })
  const wrong = await post('/v1/patients/', { ...desk, json: { name: 'Eve' } })
  assert.deepEqual(wrong.data, { name: ['Write both names.'] })
  const found = await get('/v2/patients/?search=noel', desk)
  assert.partialDeepStrictEqual(found.data, { results: [{ first: 'Ada', last: 'King Noel' }] })
})

test('roles: the desk plans and deletes, doctors report', async () => {
  assert.equal((await post(VISITS, { ...lee, json: visit })).status, 403)
  assert.equal((await remove('/v2/patients/3/', lee)).status, 403)
  assert.equal((await remove('/v2/patients/3/', desk)).status, 204)
  const file = new File(['%PDF-1.7 …'], 'blood.pdf', { type: 'application/pdf' })
  const reports = `${VISITS}1/reports/`
  assert.equal((await post(reports, { ...desk, multipart: { file } })).status, 403)
  assert.equal((await post(reports, { ...lee, multipart: { file } })).status, 201)
  const content = await get(`${reports}1/content/`, desk)
  assert.equal(content.text, '%PDF-1.7 …')
  assert.match(content.header('content-disposition') ?? '', /filename="blood\.pdf"/)
  assert.equal((await get(`${reports}1/content/`, south)).status, 404)
  const stranger = await accounts.tokens.obtain(await accounts.users.create({ username: 'eve' }))
  const headers = { authorization: `Token ${stranger.key}` }
  assert.equal((await get('/v2/doctors/', { headers })).status, 403)
})
