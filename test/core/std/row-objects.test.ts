import { describe, expect, test } from 'vitest'
import { cutOf, portionFrom, portionOf, toRowObjects } from '../../../src/core/std/row-objects.ts'

test('rows become objects with their members in the order of the columns', () => {
  const objects = toRowObjects({
    columns: ['b', 'a'],
    values: [
      [1, null],
      ['x', 2],
    ],
  })
  expect(objects).toEqual([
    { b: 1, a: null },
    { b: 'x', a: 2 },
  ])
  expect(JSON.stringify(objects[0])).toBe('{"b":1,"a":null}')
})

test('of two columns of one name the last one shows', () => {
  expect(toRowObjects({ columns: ['id', 'id'], values: [[1, 2]] })).toEqual([{ id: 2 }])
})

describe('a portion', () => {
  const table = { columns: ['id'], values: [[1], [2]] }
  type Portion = { rows: readonly { id: number }[]; table?: unknown }

  test('has a table as long as no rows are made, and the same rows each time', () => {
    const portion = portionOf<{ id: number }, typeof table>(table)
    expect(portion.table).toBe(table)
    expect(portion.rows).toEqual([{ id: 1 }, { id: 2 }])
    expect(portion.rows).toBe(portion.rows)
    expect(portion.table).toBeUndefined()
  })

  // Functions of its own would live as long as its hidden class, and keep the rows until the next full collection.
  test('shares its functions with all others', () => {
    const functions = (portion: object) =>
      Object.values(Object.getOwnPropertyDescriptors(portion)).flatMap(({ get, set }) => [get, set])
    const [one, other] = [portionOf(table), portionOf(table)]
    expect(functions(one).filter(Boolean)).toHaveLength(3)
    expect(functions(one)).toEqual(functions(other))
    expect(functions(portionFrom(one))).toEqual(functions(other))
  })

  test('takes another’s rows and table, and lets it be', () => {
    const one: { rows: readonly unknown[]; readonly table?: unknown } = portionOf(table)
    const other: typeof one = portionFrom(one)
    expect(other.table).toBe(table)
    other.rows = []
    expect([other.rows, other.table]).toEqual([[], undefined])
    expect(one.table).toBe(table)
    expect(portionFrom(one).rows).toBe(one.rows)
    expect(other.table).toBeUndefined()
  })

  test.each<[string, (portion: Portion) => Portion]>([
    ['a copy with other rows', (portion) => ({ ...portion, rows: [] })],
    ['rows put in place of those that it had', (portion) => Object.assign(portion, { rows: [] })],
    ['a change of its rows', ({ rows, ...portion }) => ({ rows: rows.slice(2), ...portion })],
  ])('has no table after %s', (_, change) => {
    const changed = change(portionOf<{ id: number }, typeof table>(table))
    expect([changed.rows, changed.table]).toEqual([[], undefined])
  })
})

test('a stretch of a source comes with its table, or from a slice', async () => {
  const slice = (offset: number, limit: number) => [offset, limit]
  const cut = (offset: number, limit: number) => ({ rows: [], table: [offset, limit] })
  expect(await cutOf({ slice }, 1, 2)).toEqual({ rows: [1, 2] })
  expect(await cutOf({ slice, cut }, 1, 2)).toEqual({ rows: [], table: [1, 2] })
})
