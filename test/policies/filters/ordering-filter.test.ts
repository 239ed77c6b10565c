import { describe, expect, test } from 'vitest'
import { OrderingFilter } from '../../../src/index.ts'
import type { SortKey } from '../../../src/types.ts'
import { sortKeys } from '../../../src/core/settings/ordering-terms.ts'
import { ask, fieldsOf } from './asked.ts'
import { expectLinear } from '../../setup/linear.ts'

const FIELDS = ['id', 'price', 'created', 'author__name']
const DEFAULT = sortKeys('-created')

const short = (keys: readonly SortKey[]) =>
  keys.map(({ field, descending, nulls }) => `${descending ? '-' : ''}${field} ${nulls}`)

const ordered = async (
  query: string,
  orderingFields: readonly string[] | null = FIELDS,
  ordering: readonly SortKey[] | null = DEFAULT,
) => {
  const asked = await ask(new OrderingFilter(), { orderingFields, ordering }, query)
  return 'orders' in asked ? asked.orders.map(short) : asked
}

describe('F10–F13 the order that a client asks for', () => {
  test.each([
    ['one field', 'ordering=price', ['price first']],
    ['descending', 'ordering=-price', ['-price last']],
    ['several', 'ordering=-price,id', ['-price last', 'id first']],
    ['with spaces around', 'ordering=%20-price%20,%20id%20', ['-price last', 'id first']],
    ['the last of several (P11)', 'ordering=id&ordering=price', ['price first']],
    [
      'a name with two underscores, where it is listed',
      'ordering=author__name',
      ['author__name first'],
    ],
    ['unknown names are dropped', 'ordering=secret,price,-nothing', ['price first']],
    ['-- is no direction', 'ordering=--price,id', ['id first']],
    ['nor is +', 'ordering=%2Bprice,id', ['id first']],
    ['nor white space behind the minus', 'ordering=-%20price,id', ['id first']],
    ['names are case-sensitive', 'ordering=Price,id', ['id first']],
    [
      'of one field twice the first counts',
      'ordering=-price,id,price,-id',
      ['-price last', 'id first'],
    ],
    ['empty pieces vanish', 'ordering=,,price,', ['price first']],
  ])('%s', async (_, query, keys) => {
    expect(await ordered(query)).toEqual([keys])
  })

  test.each([
    ['ordering=-price&ordering=id', ['-price last', 'id first']],
    ['ordering=-price,id&ordering=created', ['-price last', 'id first', 'created first']],
    ['ordering=&ordering=price', ['price first']],
    ['ordering=price', ['price first']],
  ])('a repeated parameter is one ordering where queries are strict: %s', async (query, keys) => {
    const fields = { orderingFields: FIELDS, ordering: DEFAULT }
    const asked = await ask(new OrderingFilter(), fields, query, true)
    expect('orders' in asked && asked.orders.map(short)).toEqual([keys])
  })

  test.each([
    ['nothing is asked', ''],
    ['nothing is said', 'ordering='],
    ['nothing is left', 'ordering=secret,--price'],
    ['a minus alone', 'ordering=-'],
    ['names of every object', 'ordering=constructor,__proto__,toString'],
    ['SQL', `ordering=${encodeURIComponent('price; drop table book')}`],
    ['NUL', 'ordering=price%00'],
  ])('F12 the order of the list where %s', async (_, query) => {
    expect(await ordered(query)).toEqual([['-created last']])
  })

  test('F12 and the order of the source where the list has none', async () => {
    expect(await ordered('ordering=secret', FIELDS, null)).toEqual([])
    expect(await ordered('', FIELDS, null)).toEqual([])
  })

  test.each([[null], [[]]])('nobody orders where the list lists %j', async (orderingFields) => {
    expect(await ordered('ordering=id', orderingFields)).toEqual([['-created last']])
    expect(await ordered('ordering=id', orderingFields, null)).toEqual([])
  })

  test('it has nothing to do without fields and without an order', () => {
    const filter = new OrderingFilter()
    expect(filter.applies(fieldsOf({}))).toBe(false)
    expect(filter.applies(fieldsOf({ orderingFields: [] }))).toBe(false)
    expect(filter.applies(fieldsOf({ orderingFields: ['id'] }))).toBe(true)
    expect(filter.applies(fieldsOf({ ordering: DEFAULT }))).toBe(true)
  })

  test('many thousand terms cost what their length costs', async () => {
    const askedBy = (size: number) => ordered(`ordering=${'price,x,-id,'.repeat(size)}`)
    expect(await askedBy(50_000)).toEqual([['price first', '-id last']])
    await expectLinear(askedBy, { size: 5000 })
  })
})
