import { describe, expect, test } from 'vitest'
import fc from 'fast-check'
import {
  CursorPagination,
  LimitOffsetPagination,
  PageNumberPagination,
  type RequestWith,
  configurationOf,
  defineApi,
  defineUrls,
  resource,
  resourceUrls,
} from '../../../src/index.ts'
import { client } from '../../../src/testing.ts'
import { DATABASES } from '../../behaviour/databases.ts'
import { type Rows, type Shop, byHand, serializersOf, shopIn, shopOfOnesOwn } from './shop.ts'

const opened: readonly { on: string; shop: Shop }[] = [
  { on: 'a store of one’s own', shop: shopOfOnesOwn() },
  ...(await Promise.all(
    DATABASES.map(async ([on, open]) => ({ on, shop: await shopIn(await open()) })),
  )),
]

interface Asking {
  readonly id: number
  readonly isAuthenticated: true
  readonly shop: number | null
}
const asking = (shop: number | null): Asking => ({ id: 1, isAuthenticated: true, shop })

const STYLES = {
  none: null,
  numbers: new PageNumberPagination({ pageSize: 100 }),
  offsets: new LimitOffsetPagination({ defaultLimit: 100 }),
  cursors: new CursorPagination({ pageSize: 100, ordering: ['id'] }),
}

function appOf({ stores }: Shop, style: keyof typeof STYLES = 'none') {
  const { invoice } = serializersOf(stores)
  const api = defineApi({
    urls: defineUrls({
      ...resourceUrls('invoice', '/invoices/', ':id<int>'),
      'invoice-list': '/invoices/',
      'own-list': '/own/',
      'own-detail': '/own/:id<int>/',
    }),
    authentication: [{ authenticate: () => null as { user: Asking; auth: null } | null }],
    pagination: STYLES[style],
  })
  const all = resource(api, 'invoice', {
    store: stores.invoice as never,
    serializer: invoice as never,
    only: ['list', 'retrieve'],
  } as never)
  const scope = ({ user }: RequestWith<{ user: Asking }>) =>
    user.shop === null ? {} : { shop: user.shop }
  const own = resource(api, 'own', {
    store: stores.invoice as never,
    serializer: invoice as never,
    scope: scope as never,
    only: ['list', 'retrieve'],
  } as never)
  const endpoints = [...(all as unknown as never[]), ...(own as unknown as never[])]
  return client(
    api.serve(endpoints, { configuration: configurationOf({ SECRET_KEY: 'k'.repeat(50) }) }),
  )
}

const shops = fc.integer({ min: 1, max: 2 })
const ids = fc.integer({ min: 1, max: 6 })
const texts = fc.constantFrom('a', 'b', 'c')
const table = <Row extends object>(columns: { [K in keyof Row]: fc.Arbitrary<Row[K]> }) =>
  fc.uniqueArray(fc.record({ id: fc.integer({ min: 1, max: 30 }), shop: shops, ...columns }), {
    selector: ({ id }) => id,
    maxLength: 12,
  })
const anyRows = fc.record({
  region: table({ name: texts }),
  customer: table({ name: texts, region: fc.option(ids, { nil: null }) }),
  invoice: table({ customer: ids, sent: fc.boolean() }),
  line: table({ invoice: ids, text: texts }),
  payment: table({ invoice: ids, amount: fc.constantFrom('1.50', '20.00') }),
  part: table({ line: ids, name: fc.option(texts, { nil: null }) }),
}) as unknown as fc.Arbitrary<Rows>

/** `size` invoices; each has a customer, `each` lines with as many parts, and as many payments. */
function manyRows(size: number, each: number): Rows {
  const numbers = (count: number) => Array.from({ length: count }, (_, at) => at + 1)
  const of = (count: number, by: string, values: object) =>
    numbers(count).map((id) => ({ id, shop: 1, [by]: ((id - 1) % size) + 1, ...values }))
  return {
    region: of(3, 'shop', { name: 'R' }),
    customer: of(size, 'shop', { name: 'C', region: 2 }),
    invoice: of(size, 'customer', { sent: true }),
    line: of(size * each, 'invoice', { text: 'L' }),
    payment: of(size * each, 'invoice', { amount: '1.00' }),
    part: of(size * each, 'line', { name: 'P' }),
  } as unknown as Rows
}

describe.each(opened)('rows that are embedded, from $on', ({ on, shop }) => {
  const { get } = appOf(shop)
  const isOwn = on === 'a store of one’s own'

  test('are those that a look-up by hand finds, in lists and alone, within a scope and without', async () => {
    await fc.assert(
      fc.asyncProperty(anyRows, shops, async (rows, one) => {
        await shop.keep(rows)
        const expected = byHand(rows)
        expect((await get('/invoices/')).data).toEqual(expected)
        const [first] = expected
        if (first) expect((await get(`/invoices/${first.id}/`)).data).toEqual(first)
        const own = byHand(rows, one)
        expect((await get('/own/', { as: asking(one) })).data).toEqual(own)
        if (own[0])
          expect((await get(`/own/${own[0].id}/`, { as: asking(one) })).data).toEqual(own[0])
        expect((await get('/own/', { as: asking(null) })).data).toEqual(expected)
      }),
      { numRuns: on === 'SQLite' ? 60 : 15 },
    )
  })

  test.each([
    ['none', '', 1],
    ['numbers', '?page=2', 2],
    ['offsets', '?offset=150', 2],
    ['cursors', '', 1],
  ] as const)(
    'cost one statement for each relation in a list with %s, however many rows and pages there are',
    async (style, query, before) => {
      const asked = async (size: number, each: number) => {
        await shop.keep(manyRows(size, each))
        const list = () => appOf(shop, style).get(`/invoices/${query}`)
        // What columns are like is asked once.
        await list()
        const already = shop.asked()
        expect((await list()).status).toBe(200)
        return shop.asked() - already
      }
      // Customer, region, lines, parts and payments.
      const expected = (isOwn ? 0 : before) + 5
      expect(await asked(200, 1)).toBe(expected)
      expect(await asked(300, 2)).toBe(expected)
    },
  )

  test('cost a second statement only where one row has more than the limit', async () => {
    await shop.keep({ ...manyRows(2, 20), part: [] })
    const { data } = await get('/invoices/')
    expect(data).toMatchObject([
      { lines: [{ id: 1 }, { id: 3 }, { id: 5 }], payments: [{ id: 1 }, { id: 3 }, { id: 5 }] },
      { lines: [{ id: 2 }, { id: 4 }, { id: 6 }] },
    ])
    expect(shop.asked()).toBe(isOwn ? 5 : 8)
  })
})
