import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import {
  cutOf,
  jsonOfRows,
  portionFrom,
  portionOf,
  shownAsJSON,
  toRowObjects,
} from '../../../src/core/std/row-objects.ts'

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

describe('what a list shows, where its JSON is there', () => {
  const bytes = Buffer.from('[{"a":1},{"a":2}]')

  function listed() {
    let looks = 0
    const rows = shownAsJSON({ bytes, count: 2 }, () => {
      looks += 1
      return [{ a: 1 }, { a: 2 }]
    })
    return { rows: rows as { a: number }[], looks: () => looks }
  }

  test('has no objects while they are only handed on', async () => {
    const { rows, looks } = listed()
    const handedOn = { deep: [{ rows }], again: await Promise.resolve(rows) }
    expect([handedOn.again.length, Array.isArray(rows), typeof rows]).toEqual([2, true, 'object'])
    expect((rows as object) instanceof Promise).toBe(false)
    expect(Object.getPrototypeOf(rows)).toBe(Array.prototype)
    expect(jsonOfRows(handedOn.again)).toBe(bytes)
    expect(looks()).toBe(0)
  })

  test.each<[string, (rows: { a: number }[]) => unknown, unknown]>([
    ['an index', (rows) => rows[1], { a: 2 }],
    ['an index that is none', (rows) => rows[2], undefined],
    ['at()', (rows) => rows.at(-1), { a: 2 }],
    ['a spread', (rows) => [...rows], [{ a: 1 }, { a: 2 }]],
    ['map', (rows) => rows.map(({ a }) => a), [1, 2]],
    ['concat', (rows) => [0].concat(rows as never), [0, { a: 1 }, { a: 2 }]],
    ['keys', (rows) => Object.keys(rows), ['0', '1']],
    ['in', (rows) => 1 in rows, true],
    ['a descriptor', (rows) => Object.getOwnPropertyDescriptor(rows, 'length')?.value, 2],
    ['JSON', (rows) => JSON.stringify({ rows }), '{"rows":[{"a":1},{"a":2}]}'],
    ['console.log', (rows) => inspect({ rows }), '{ rows: [ { a: 1 }, { a: 2 } ] }'],
    ['freezing', (rows) => Object.isFrozen(Object.freeze(rows)), true],
    ['another value', (rows) => ((rows[0] = { a: 5 }), [...rows]), [{ a: 5 }, { a: 2 }]],
    ['a new one', (rows) => (rows.push({ a: 3 }), rows.length), 3],
    ['a new length', (rows) => ((rows.length = 1), [...rows]), [{ a: 1 }]],
    ['deleting', (rows) => Reflect.deleteProperty(rows, 0) && Object.keys(rows), ['1']],
    [
      'a member of its own',
      (rows) => Object.defineProperty(rows, 0, { value: { a: 9 } })[0],
      { a: 9 },
    ],
  ])('is an array like any other at the first look: %s', (_, look, expected) => {
    const { rows, looks } = listed()
    expect(look(rows)).toEqual(expected)
    expect(jsonOfRows(rows)).toBeNull()
    void [...rows]
    expect(looks()).toBe(1)
  })

  test('fails at each look where a row cannot be shown', () => {
    const rows = shownAsJSON({ bytes, count: 2 }, () => {
      throw new RangeError('no such row')
    })
    expect(() => rows[0]).toThrow('no such row')
    expect(() => [...rows]).toThrow('no such row')
  })

  test.each([[[]], [{}], ['[]'], [null], [undefined]])('%o has no JSON', (value) => {
    expect(jsonOfRows(value)).toBeNull()
  })
})
