// SEC9, I12: whatever bytes come, wherever: a 4xx or an answer, on every database.
// More: test/security/hostile-requests.test.ts, test/behaviour/04-hostile.test.ts, test/behaviour/04-hostile-accounts.test.ts.
import { describe, expect, test } from 'vitest'
import {
  FieldFilter,
  SearchFilter,
  TokenAuthentication,
  configurationOf,
  defineApi,
  defineUrls,
  field,
  list,
  resource,
  resourceUrls,
  serializer,
} from '../../src/index.ts'
import { defineAccounts } from '../../src/accounts.ts'
import { type SqlDatabase, sqlTable } from '../../src/sql.ts'
import { type TestClient, client } from '../../src/testing.ts'
import { onDatabases } from '../behaviour/databases.ts'

interface Tables {
  odd_bytes: { slug: string; text: string }
}

async function serviceOn(database: SqlDatabase): Promise<TestClient> {
  const sql = 'create table odd_bytes (slug varchar(100) primary key, text varchar(100) not null)'
  await database.write({ sql, parameters: [] })
  const db = database.kysely<Tables>()
  const store = sqlTable({ database, db, table: 'odd_bytes', key: 'slug' })
  const { tokens } = defineAccounts({ database, secretKey: 'a secret of these tests' })
  const text = () => field.text({ maxLength: 100 })
  const shown = serializer({ slug: text(), text: text() })
  const api = defineApi({
    urls: defineUrls({ ...resourceUrls('odd', '/odd/', ':slug'), searched: '/searched/' }),
    authentication: [new TokenAuthentication({ tokens })],
    filters: [new SearchFilter(), new FieldFilter()],
    logger: { error: () => {} },
  })
  const found = list({
    source: store.source,
    serializer: shown,
    searchFields: ['text'],
    filterFields: ['slug', 'text__icontains', 'slug__in'],
  })
  const endpoints = [
    ...resource(api, 'odd', { store, serializer: shown }),
    api.endpoint('searched').get(found),
  ]
  return client(api.serve(endpoints, { configuration: configurationOf() }))
}

const services = await onDatabases(async (open) => serviceOn(await open()))

const ODD = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code)).concat([
  '\ud800',
  'a\udfff',
  '\ufffe',
  '\uffff',
  '\u2028',
  '\u202e',
  'e\u0301',
  '🙂',
  '\ufeff',
])
/** Bytes that are no UTF-8: overlong, halves of surrogates, beyond the end, cut off. */
const INVALID = [
  '%c0%af',
  '%c1%bf',
  '%e0%80%af',
  '%ed%a0%80',
  '%f4%90%80%80',
  '%ff',
  '%80',
  '%c3',
  '%',
  '%4',
]

describe.each(services)('on $on', ({ get, post }) => {
  const expectNoFault = async (
    what: string,
    answer: ReturnType<TestClient['get']>,
  ): Promise<void> => {
    const { status } = await answer
    expect.soft([what, status < 500], `${status}`).toEqual([what, true])
  }

  test('in a header', async () => {
    for (const odd of ODD)
      for (const name of [
        'authorization',
        'accept',
        'content-type',
        'cookie',
        'host',
        'x-request-id',
      ])
        await expectNoFault(`${name} ${odd}`, get('/odd/', { headers: { [name]: `Token ${odd}` } }))
  })

  test('in the path and in the query', async () => {
    for (const odd of [...ODD.map((each) => encodeURIComponent(each.toWellFormed())), ...INVALID])
      for (const target of [
        `/odd/${odd}/`,
        `/odd/x${odd}y/`,
        `/searched/?slug=${odd}&search=${odd}`,
      ])
        await expectNoFault(target, get(target))
    for (const odd of INVALID) await expectNoFault(odd, get(`/searched/?slug__in=a,${odd}`))
  })

  test('in the texts of a body', async () => {
    for (const odd of ODD) {
      await expectNoFault(`JSON ${odd}`, post('/odd/', { json: { slug: `x${odd}`, text: odd } }))
      await expectNoFault(`form ${odd}`, post('/odd/', { form: { slug: `y${odd}`, text: odd } }))
    }
    // What was stored can be shown.
    expect((await get('/odd/')).status).toBe(200)
    expect((await get('/searched/?search=x')).status).toBe(200)
  })
})
