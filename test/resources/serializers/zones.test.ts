// The zone in which a request sees points in time.
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Generated } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Incoming,
  configurationOf,
  create,
  defineApi,
  defineUrls,
  field,
  list,
  serializer,
} from '../../../src/index.ts'
import { sqlTable } from '../../../src/sql.ts'
import { openSqlite } from '../../../src/sqlite.ts'
import { client } from '../../../src/testing.ts'
import type { Authenticator } from '../../../src/types.ts'

interface Person {
  readonly name: string
  readonly zone: string | null
}
const ZONES: Readonly<Record<string, string | null>> = {
  berta: 'Europe/Berlin',
  neha: 'Asia/Kathmandu',
  una: 'UTC',
  nemo: null,
  other: undefined as never,
  lost: 'Mars/Olympus',
}

/** Whoever they say they are. */
class ByName implements Authenticator<Person, null> {
  authenticate(request: Incoming) {
    const name = request.header('x-name') ?? 'nemo'
    return { user: { name, zone: ZONES[name]! }, auth: null }
  }
}

const visit = serializer({
  id: field.integer({ readOnly: true }),
  at: field.dateTime({ naive: 'zone' }),
  here: field.dateTime({ zone: 'America/New_York', source: 'at', readOnly: true }),
} as const)

interface Tables {
  visit: { id: Generated<number>; at: string }
}
const database = openSqlite({ path: join(mkdtempSync(join(tmpdir(), 'colophon-')), 'a.sqlite') })
const visits = sqlTable({ database, db: database.kysely<Tables>(), table: 'visit', key: 'id' })
const logged: unknown[] = []
let asked = 0
const api = defineApi({
  urls: defineUrls({ visits: '/visits/', zone: '/zone/', there: '/there/' }),
  authentication: [new ByName()],
  unauthenticatedUser: null,
  timeZone: ({ user }) => {
    asked += 1
    return user === null ? null : user.zone
  },
  logger: { error: (record) => logged.push(record) },
})
const app = api.serve(
  [
    api
      .endpoint('visits')
      .get(list({ source: visits.source, serializer: visit }))
      .post(create({ serializer: visit, save: (input) => visits.insert(input) })),
    api.endpoint('zone').get(({ timeZone }) => timeZone),
    api
      .endpoint('there', { timeZone: (request) => request.header('x-zone') })
      .get(list({ source: visits.source, serializer: visit })),
  ],
  { configuration: configurationOf() },
)
const { request } = client(app)
const get = (name: string, path: string, headers = {}) =>
  request('GET', path, { headers: { 'x-name': name, ...headers } })
const post = (name: string, json: object) =>
  request('POST', '/visits/', { headers: { 'x-name': name }, json })

beforeAll(async () => {
  await database.migrate()
  await database.write({
    sql: 'create table visit (id integer primary key, at text not null)',
    parameters: [],
  })
  await visits.insert({ at: '2024-07-01T12:00:00Z' })
  await visits.insert({ at: '2024-12-01T12:00:00.500000Z' })
})
afterAll(() => database.close())

describe('a function as timeZone', () => {
  test.each([
    ['berta', '2024-07-01T14:00:00+02:00', '2024-12-01T13:00:00.500000+01:00'],
    ['neha', '2024-07-01T17:45:00+05:45', '2024-12-01T17:45:00.500000+05:45'],
    ['una', '2024-07-01T12:00:00Z', '2024-12-01T12:00:00.500000Z'],
    ['nemo', '2024-07-01T12:00:00Z', '2024-12-01T12:00:00.500000Z'],
    ['other', '2024-07-01T12:00:00Z', '2024-12-01T12:00:00.500000Z'],
  ])('shows rows to %s in their zone', async (name, summer, winter) => {
    const { data } = await get(name, '/visits/')
    const [first, second] = data as readonly { at: string; here: string }[]
    expect([first!.at, second!.at]).toEqual([summer, winter])
    expect(first!.here).toBe('2024-07-01T08:00:00-04:00')
    expect(logged).toEqual([])
  })

  test('reads times without an offset in it', async () => {
    const { data } = await post('neha', { at: '2024-01-01T05:45' })
    expect(data).toMatchObject({ at: '2024-01-01T05:45:00+05:45' })
    const { data: other } = await post('berta', { at: '2024-01-01T01:00' })
    expect(other).toMatchObject({ at: '2024-01-01T01:00:00+01:00' })
    expect(await visits.find(3)).toMatchObject({ at: '2024-01-01T00:00:00Z' })
    expect(await visits.find(4)).toMatchObject({ at: '2024-01-01T00:00:00Z' })
    const skipped = await post('berta', { at: '2024-03-31T02:30' })
    expect(skipped.status).toBe(400)
  })

  test('is asked once for a request, and not where no point in time is shown', async () => {
    asked = 0
    await get('berta', '/visits/')
    expect(asked).toBe(1)
    await request('OPTIONS', '/visits/', { headers: { 'x-name': 'berta' } })
    expect(asked).toBe(1)
  })

  test('is what handlers are told', async () => {
    expect((await get('berta', '/zone/')).data).toBe('Europe/Berlin')
    expect((await get('nemo', '/zone/')).data).toBe('UTC')
  })

  test('gives UTC where its name is no zone, and the log says so', async () => {
    logged.length = 0
    const { status, data } = await get('lost', '/visits/')
    expect(status).toBe(200)
    expect(data).toMatchObject({ 0: { at: '2024-07-01T12:00:00Z' } })
    expect((await get('lost', '/zone/')).data).toBe('UTC')
    expect(logged).toMatchObject([{ event: 'time_zone.unknown', zone: 'Mars/Olympus' }])
  })

  test('gives UTC where claims of a scheme hold no text', async () => {
    const claims = defineApi({
      urls: defineUrls({ zone: '/zone/' }),
      timeZone: () => 5 as never,
      logger: { error: () => {} },
    })
    const zone = claims.endpoint('zone').get(({ timeZone }) => timeZone)
    const own = client(claims.serve([zone], { configuration: configurationOf() }))
    expect((await own.get('/zone/')).data).toBe('UTC')
  })

  test('of an endpoint may follow a header, which answers then vary by', async () => {
    const answer = await get('berta', '/there/', { 'x-zone': 'Asia/Kathmandu' })
    expect(answer.data).toMatchObject({ 0: { at: '2024-07-01T17:45:00+05:45' } })
    expect(answer.header('vary')).toMatch(/x-zone/i)
    const hostile = `${'Europe/'.repeat(1000)}Berlin`
    const { status } = await get('berta', '/there/', { 'x-zone': hostile })
    expect(status).toBe(200)
  })
})
