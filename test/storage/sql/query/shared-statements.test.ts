import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { sqlSource, sqlTable } from '../../../../src/sql.ts'
import type { Statement } from '../../../../src/core/ports/database.ts'
import type { Condition, KeyedBy, ListSource } from '../../../../src/core/ports/list-source.ts'
import type { SqlDatabase } from '../../../../src/storage/sql/sql-database.ts'
import type { Item } from '../../../contract/seekable-source.ts'
import { DATABASES, type Tables, itemTable } from './query-fixture.ts'

/** Ten rows for each of three tenants, which `kind` tells apart. */
const ITEMS: readonly Item[] = Array.from({ length: 30 }, (_, n) => ({
  id: n + 1,
  kind: (n % 3) + 7001,
  name: n % 5 === 0 ? null : `name ${n % 4}`,
}))

/** The same database, with what it was asked, and how many texts were compiled. */
function overheard(database: SqlDatabase) {
  const heard: Statement[] = []
  const count = { compiled: 0 }
  const { queryBuilder } = database.dialect
  const counting = {
    ...queryBuilder,
    createQueryCompiler() {
      const compiler = queryBuilder.createQueryCompiler()
      return {
        compileQuery: ((...query: Parameters<typeof compiler.compileQuery>) => {
          count.compiled++
          return compiler.compileQuery(...query)
        }) as typeof compiler.compileQuery,
      }
    },
  }
  const hearing = new Proxy(database, {
    get(target, name) {
      if (name === 'dialect') return { ...target.dialect, queryBuilder: counting }
      if (name === 'sharedSnapshot' || name === 'snapshot') return undefined
      if (name === 'rows')
        return (statement: Statement) => {
          heard.push(statement)
          return target.rows(statement)
        }
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  return { database: hearing, heard, count }
}

type Rows = readonly { readonly id: number }[]
const idsOf = (rows: unknown): number[] => (rows as Rows).map(({ id }) => id)
const keys = [{ field: 'name', descending: true, nulls: 'last' }] as const

describe.each(DATABASES)('lists of one shape on %s', (_, dialect) => {
  const filledWith = itemTable(dialect)

  test('two tenants are read by one compiled statement, each with its own values', async () => {
    const { database, heard, count } = overheard(await filledWith(ITEMS))
    const items = sqlTable({ database, db: database.kysely<Tables>(), table: 'item', key: 'id' })
    const read = async (kind: number) => {
      const own = items.within({ kind }).source
      const found = own.where([{ field: 'name', operator: 'icontains', value: 'NAME' }])
      const first = await own.seek({ keys, position: null, reverse: false, limit: 4 })
      const next = await own.seek({ keys, position: first.last, reverse: false, limit: 9 })
      const page = await own.page((total) => ({ offset: total - 3, limit: 3 }))
      const [all, capped, few] = [await own.count(), await own.count(4), await found.count()]
      const cut = await found.orderBy(keys).slice(1, 2)
      return {
        ids: idsOf([...first.rows, ...next.rows]),
        page: idsOf(page.rows),
        all,
        capped,
        few,
        cut,
      }
    }
    const one = await read(7001)
    const [asked, compiled] = [heard.splice(0), count.compiled]
    const other = await read(7002)
    expect(count.compiled).toBe(compiled)
    const known = new Set(asked.map(({ sql }) => sql))
    expect(heard.every(({ sql }) => known.has(sql))).toBe(true)
    const texts = heard.map(({ sql, parameters }) => sql + String(parameters))
    expect(texts.filter((text) => text.includes('7001'))).toEqual([])
    expect(texts.every((text) => text.includes('7002'))).toBe(true)
    for (const [kind, found] of [
      [7001, one],
      [7002, other],
    ] as const) {
      const own = ITEMS.filter((item) => item.kind === kind)
      expect(found.ids.toSorted((a, b) => a - b)).toEqual(idsOf(own))
      expect(found.page).toEqual(idsOf(own.slice(-3)))
      const named = own.filter(({ name }) => name !== null)
      expect(found).toMatchObject({ all: 10, capped: 5, few: named.length })
      expect(idsOf(found.cut).every((id) => idsOf(named).includes(id))).toBe(true)
    }
  })

  interface Looked {
    manyByKey(values: readonly number[], by: KeyedBy): Promise<{ readonly rows: Rows }>
  }
  test('rows by keys are read by one compiled statement, whatever the keys, their number and the tenant', async () => {
    const { database, heard, count } = overheard(await filledWith(ITEMS))
    const items = sqlTable({ database, db: database.kysely<Tables>(), table: 'item', key: 'id' })
    const own = (kind: number) => items.within({ kind }) as Looked
    const read = async (kind: number, ids: readonly number[]) =>
      idsOf((await own(kind).manyByKey(ids, { column: 'id', limit: 1 })).rows)
    expect(await read(7001, [3, 6, 4, 9])).toEqual([4])
    const { compiled } = count
    heard.length = 0
    // MySQL has another text for each power of two.
    expect(await read(7002, [7, 2, 9, 5])).toEqual([2, 5])
    expect(await read(7003, [2, 3, 5])).toEqual([3])
    expect(count.compiled).toBe(compiled + (dialect === 'mysql' ? 2 : 0))
    const texts = heard.map(({ sql, parameters }) => sql + String(parameters))
    expect(texts.some((text) => text.includes('7001'))).toBe(false)
    expect(new Set(heard.map(({ sql }) => sql)).size).toBe(1)
    // A scope of several tenants, of none, and with NULL are texts of their own.
    const several = items.within({ kind: [7001, 7003] }) as Looked
    const found = await several.manyByKey([1, 2, 3, 4], { column: 'id', limit: 1 })
    expect(idsOf(found.rows)).toEqual([1, 3, 4])
    const nothing = items.within({ kind: [] }) as Looked
    const none = nothing.manyByKey([1, 2], { column: 'id', limit: 1 })
    expect((await none).rows).toEqual([])
    const nameless = items.within({ name: [null, 'name 1', 'name 3'] }) as Looked
    const named = await nameless.manyByKey([1, 2, 3, 4, 6], { column: 'id', limit: 1 })
    expect(idsOf(named.rows)).toEqual([1, 2, 4, 6])
    const few = await (items as Looked).manyByKey([7003], { column: 'kind', limit: 2 })
    expect(idsOf(few.rows)).toEqual([3, 6])
  })

  test('no condition and no order of all are told apart', async () => {
    const database = await filledWith(ITEMS)
    const query = database.kysely<Tables>().selectFrom('item').selectAll()
    const items = sqlSource({ database, query, key: 'id' })
    const ordered = items.orderBy([])
    expect(await ordered.count()).toBe(30)
    expect(await items.where([]).count()).toBe(0)
    const named = items.where([{ field: 'name', operator: 'isNull', value: false }])
    expect(await (named.orderBy([]) as ListSource<Item>).count()).toBe(24)
    expect(await (named.where([]) as ListSource<Item>).count()).toBe(0)
  })

  test('conditions of any shape and values find the same rows as each alone', async () => {
    const database = await filledWith(ITEMS)
    const query = database.kysely<Tables>().selectFrom('item').selectAll()
    const fresh = () => sqlSource({ database, query, key: 'id' })
    const shared = fresh()
    const value = fc.constantFrom(null, 7001, 7002, 7003)
    const kind = fc
      .constantFrom('equals', 'lt', 'gte')
      .chain((operator) =>
        fc.record({ field: fc.constant('kind'), operator: fc.constant(operator), value }),
      )
    const oneOf = fc.record({
      field: fc.constantFrom('kind'),
      operator: fc.constant('in'),
      value: fc.array(value, { maxLength: 3 }),
    })
    const isNull = fc.record({
      field: fc.constant('name'),
      operator: fc.constant('isNull'),
      value: fc.boolean(),
    })
    const name = fc.record({
      field: fc.constant('name'),
      operator: fc.constantFrom('icontains', 'iequals', 'istartsWith'),
      value: fc.constantFrom('NAME 1', 'name', '%', '3'),
    })
    const anyOf = fc.array(fc.oneof(kind, oneOf, isNull, name), { minLength: 1, maxLength: 2 })
    const all = fc.array(anyOf, { minLength: 1, maxLength: 2 })
    await fc.assert(
      fc.asyncProperty(all, fc.boolean(), async (conditions, descending) => {
        const read = async (source: ReturnType<typeof fresh>) => {
          const left = (conditions as readonly (readonly Condition<keyof Item>[])[]).reduce(
            (rows, each) => rows.where(each),
            source,
          )
          const order = [{ field: 'id', descending, nulls: 'last' }] as const
          const rows = await (left.orderBy(order) as ListSource<Item>).slice(0, 40)
          const { rows: stretch } = await left.seek({
            keys: order,
            position: null,
            reverse: false,
            limit: 40,
          })
          return [idsOf(rows), idsOf(stretch), await left.count()]
        }
        const found = await read(shared)
        expect(found).toEqual(await read(fresh()))
        expect(found[0]).toEqual(found[1])
      }),
      { numRuns: 60 },
    )
  })
})
