import fc from 'fast-check'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import type { Condition, FilterOperator } from '../../../src/core/ports/list-source.ts'
import { ConfigurationError, ValidationError, arraySource } from '../../../src/index.ts'

interface Row {
  readonly id: number
  readonly n: number | bigint | null
  readonly t: string | null
}

const DAY = new Date('2024-05-20T06:00:00Z')
const rows = [
  { id: 1, n: 5, t: 'Silent River', big: 2n ** 60n, yes: true, at: DAY, raw: Uint8Array.of(1, 2) },
  { id: 2, n: null, t: 'river', big: 7n, yes: false, at: new Date(NaN), raw: Uint8Array.of(1) },
  { id: 3, n: -1.5, t: undefined, big: null, yes: null, at: new Date(0), raw: null },
  { id: 4, n: NaN, t: 'ÄPFEL', big: 7n, yes: true, at: null, raw: Uint8Array.of(2) },
]
type Field = keyof (typeof rows)[number]

const idsWhere = (...groups: readonly (readonly Condition<Field>[])[]) =>
  groups
    .reduce((source, group) => source.where(group), arraySource(rows))
    .slice(0, 100)
    .map(({ id }) => id)

const that = (field: Field, operator: FilterOperator, value: unknown): Condition<Field> => ({
  field,
  operator,
  value,
})

describe('where: what fulfils a condition', () => {
  test.each<[Field, FilterOperator, unknown, readonly number[]]>([
    ['n', 'equals', 5, [1]],
    ['n', 'equals', 5n, [1]],
    ['n', 'equals', '5', [1]],
    ['n', 'equals', '-1.5', [3]],
    ['n', 'equals', null, []],
    ['n', 'lt', 5, [3]],
    ['n', 'lte', 5, [1, 3]],
    ['n', 'gt', '-1.5', [1]],
    ['n', 'gte', '-1.5', [1, 3]],
    ['n', 'isNull', true, [2, 4]],
    ['n', 'isNull', false, [1, 3]],
    ['n', 'in', ['5', -1.5, null], [1, 3]],
    ['n', 'in', [], []],
    ['n', 'icontains', '1.5', [3]],
    ['big', 'equals', '1152921504606846976', [1]],
    ['big', 'equals', '1152921504606846977', []],
    ['big', 'lt', 8, [2, 4]],
    ['yes', 'equals', 'True', [1, 4]],
    ['yes', 'equals', '0', [2]],
    ['yes', 'equals', false, [2]],
    ['yes', 'lt', true, [2]],
    ['at', 'equals', '2024-05-20T06:00:00Z', [1]],
    ['at', 'equals', '2024-05-20 08:00:00+02:00', [1]],
    ['at', 'gte', '2024-05-20', [1]],
    ['at', 'lt', DAY, [3]],
    ['at', 'isNull', true, [2, 4]],
    ['raw', 'lt', Uint8Array.of(1, 2), [2]],
    ['raw', 'gt', Uint8Array.of(1), [1, 4]],
    ['t', 'equals', 'river', [2]],
    ['t', 'equals', 'River', []],
    ['t', 'iequals', 'RIVER', [2]],
    ['t', 'icontains', 'RIVER', [1, 2]],
    ['t', 'icontains', '%', []],
    ['t', 'icontains', '_', []],
    ['t', 'icontains', null, []],
    ['t', 'istartsWith', 'sI', [1]],
    ['t', 'icontains', 'äpfel', []],
    ['t', 'icontains', 'Äpf', [4]],
    ['t', 'isNull', true, [3]],
    ['id', 'icontains', '3', [3]],
  ])('%s %s %s', (field, operator, value, ids) => {
    expect(idsWhere([that(field, operator, value)])).toEqual(ids)
  })

  test('one of a group is enough, every group must hold', () => {
    const river = that('t', 'icontains', 'river')
    const third = that('id', 'equals', 3)
    expect(idsWhere([river, third])).toEqual([1, 2, 3])
    expect(idsWhere([river, third], [that('id', 'gt', 1)])).toEqual([2, 3])
    expect(idsWhere([])).toEqual([])
  })

  test.each<[Field, FilterOperator, unknown]>([
    ['n', 'equals', 'abc'],
    ['n', 'equals', '5abc'],
    ['n', 'equals', ''],
    ['n', 'equals', '0x10'],
    ['n', 'in', ['5', 'x']],
    ['big', 'gt', 'Infinity'],
    ['yes', 'equals', 'maybe'],
    ['at', 'lt', 'yesterday'],
    ['at', 'lt', '2024-02-31'],
  ])('a text that is none of its type: %s %s %s', (field, operator, value) => {
    const parameter = `${field}__x`
    const source = arraySource(rows).where([{ field, operator, value, parameter }])
    for (const read of [
      () => source.count(),
      () => source.slice(0, 1),
      () => source.page(() => ({ offset: 0, limit: 1 })),
    ]) {
      expect(read).toThrow(ValidationError)
    }
    expect(() => arraySource(rows).where([{ field, operator, value }]).count()).toThrow(
      ConfigurationError,
    )
  })

  test.each<FilterOperator>(['iregex', 'search'])('%s is nothing for arrays', (operator) => {
    expect(() => arraySource(rows).where([that('t', operator, 'x')])).toThrow(/cannot compare with/)
  })

  test('an array without rows knows no types, and refuses none', () => {
    expect(
      arraySource<Row>([])
        .where([{ field: 'n', operator: 'lt', value: 'abc' }])
        .count(),
    ).toBe(0)
  })
})

describe('names', () => {
  interface Loose extends Record<string, unknown> {}
  const loose = arraySource<Loose>([{ title: 1 }, { title: 2, extra: 3 }])

  test.each(['titel', 'constructor', 'toString', '__proto__', 'hasOwnProperty'])(
    '%s is no field',
    (field) => {
      const condition = { field, operator: 'equals', value: 1 } as const
      expect(() => loose.where([condition])).toThrow(ConfigurationError)
      expect(() => loose.orderBy([{ field, descending: false, nulls: 'first' }])).toThrow(
        ConfigurationError,
      )
      expect(() => arraySource<Loose>([{ title: 1 }], { key: field })).toThrow(ConfigurationError)
    },
  )

  test('the message names the nearest', () => {
    const condition = { field: 'titel', operator: 'equals', value: 1 } as const
    expect(() => loose.where([condition])).toThrow('Did you mean "title"?')
  })

  test('a field that only some rows have is one', () => {
    expect(loose.where([{ field: 'extra', operator: 'isNull', value: true }]).count()).toBe(1)
  })

  test('so is one that a class computes', () => {
    class Box {
      readonly side: number
      constructor(side: number) {
        this.side = side
      }
      get volume(): number {
        return this.side ** 3
      }
    }
    const boxes = arraySource([new Box(3), new Box(2)])
    const keys = [{ field: 'volume', descending: false, nulls: 'first' }] as const
    expect(boxes.orderBy(keys).slice(0, 1)).toEqual([new Box(2)])
  })

  test('rows that are no objects have none', () => {
    const condition = { field: 'length', operator: 'equals', value: 1 } as Condition<never>
    expect(() => arraySource(['a']).where([condition])).toThrow(ConfigurationError)
  })
})

describe('a source is left as it is', () => {
  test('by filters and orders', () => {
    const source = arraySource([{ a: 2 }, { a: 1 }])
    const ordered = source.orderBy([{ field: 'a', descending: false, nulls: 'first' }])
    const filtered = ordered.where([{ field: 'a', operator: 'gt', value: 1 }])
    expect(source.slice(0, 9)).toEqual([{ a: 2 }, { a: 1 }])
    expect(ordered.slice(0, 9)).toEqual([{ a: 1 }, { a: 2 }])
    expect(filtered.slice(0, 9)).toEqual([{ a: 2 }])
    // another order in its place; none at all is that of the array
    expect(ordered.orderBy([]).slice(0, 9)).toEqual([{ a: 2 }, { a: 1 }])
  })

  test('and shows what happens to its array', () => {
    const array = [{ a: 1 }]
    const source = arraySource(array).where([{ field: 'a', operator: 'gt', value: 0 }])
    array.push({ a: 2 })
    expect(source.count()).toBe(2)
  })

  test('a count stops at its cap', () => {
    const all = arraySource(Array.from({ length: 10 }, (_, id) => ({ id })))
    const some = all.where([{ field: 'id', operator: 'gte', value: 3 }])
    expect([all.count(), all.count(4), all.count(9), all.count(10)]).toEqual([10, 5, 10, 10])
    expect([some.count(), some.count(0), some.count(6), some.count(7)]).toEqual([7, 1, 7, 7])
  })
})

const value = {
  n: fc.constantFrom(null, 0, 1, -1, 2, 2n, 0.5, 2n ** 60n, 2n ** 60n + 1n),
  t: fc.constantFrom(null, '', 'a', 'A', 'b', 'ä', 'z', '\ufffd', '\u{1f600}', 'a%', 'ab', '_'),
}
const tables = fc
  .array(fc.record(value), { maxLength: 12 })
  .map((all) => all.map((row, index): Row => ({ ...row, id: (index * 7) % 13 })))
const key = fc.record({
  field: fc.constantFrom('n' as const, 't' as const),
  descending: fc.boolean(),
  nulls: fc.constantFrom('first' as const, 'last' as const),
})
const conditions = fc.oneof(
  fc.record({
    field: fc.constantFrom('n' as const, 't' as const),
    operator: fc.constantFrom('isNull' as const),
    value: fc.boolean(),
  }),
  fc.constantFrom('n' as const, 't' as const).chain((field) =>
    fc.record({
      field: fc.constant(field),
      operator: fc.constantFrom<FilterOperator>('equals', 'lt', 'lte', 'gt', 'gte'),
      value: value[field],
    }),
  ),
  fc.record({
    field: fc.constant('t' as const),
    operator: fc.constantFrom<FilterOperator>('iequals', 'icontains', 'istartsWith'),
    value: value.t,
  }),
)

describe('an array answers as SQLite does', () => {
  const database = new DatabaseSync(':memory:')
  database.exec('create table list (id integer, n, t text)')
  const insert = database.prepare('insert into list values (?, ?, ?)')

  const fill = (table: readonly Row[]): void => {
    database.exec('delete from list')
    for (const { id, n, t } of table) insert.run(id, n, t)
  }
  const idsIn = (sql: string, parameters: readonly (string | number | bigint | null)[] = []) =>
    database
      .prepare(sql)
      .all(...parameters)
      .map(({ id }) => id)

  const COMPARISON: Partial<Record<FilterOperator, string>> = {
    equals: '=',
    lt: '<',
    lte: '<=',
    gt: '>',
    gte: '>=',
  }
  const sqlOf = ({
    field,
    operator,
    value: asked,
  }: Condition): [string, string | number | null] => {
    if (operator === 'isNull') return [`(${field} is null) = ?`, Number(asked)]
    const sign = COMPARISON[operator]
    if (sign !== undefined) return [`${field} ${sign} ?`, asked as number]
    const text = `lower(${field})`
    if (operator === 'iequals') return [`${text} = lower(?)`, asked as string]
    return [`instr(${text}, lower(?)) ${operator === 'icontains' ? '> 0' : '= 1'}`, asked as string]
  }

  test('where', () => {
    const groups = fc.array(fc.array(conditions, { minLength: 1, maxLength: 3 }), { maxLength: 3 })
    fc.assert(
      fc.property(tables, groups, (table, asked) => {
        fill(table)
        const parts = asked.map((group) => group.map(sqlOf))
        const where = parts.map((group) => `(${group.map(([sql]) => sql).join(' or ')})`)
        const source = asked.reduce((some, group) => some.where(group), arraySource(table))
        const expected = idsIn(
          `select id from list where ${['true', ...where].join(' and ')} order by rowid`,
          parts.flat().map(([, parameter]) => parameter),
        )
        expect(source.slice(0, 99).map(({ id }) => id)).toEqual(expected)
        expect(source.count()).toBe(expected.length)
      }),
      { numRuns: 1000 },
    )
  })

  test('orderBy, with the unique key behind it', () => {
    fc.assert(
      fc.property(tables, fc.array(key, { minLength: 1, maxLength: 3 }), (table, keys) => {
        fill(table)
        const order = [...keys, { field: 'id', descending: keys.at(-1)!.descending, nulls: 'last' }]
          .map((each) => `${each.field} ${each.descending ? 'desc' : 'asc'} nulls ${each.nulls}`)
          .join(', ')
        const source = arraySource(table, { key: 'id' }).orderBy(keys)
        expect(source.slice(0, 99).map(({ id }) => id)).toEqual(
          idsIn(`select id from list order by ${order}`),
        )
      }),
      { numRuns: 1000 },
    )
  })
})

describe('seek', () => {
  test('forwards and backwards every row comes once, in the order of one read', () => {
    fc.assert(
      fc.property(
        tables,
        fc.array(key, { maxLength: 3 }),
        fc.integer({ min: 1, max: 5 }),
        (table, keys, limit) => {
          const source = arraySource(table, { key: 'id' })
          const whole = source
            .seek({ keys, position: null, reverse: false, limit: 99 })
            .rows.map(({ id }) => id)
          expect(new Set(whole)).toEqual(new Set(table.map(({ id }) => id)))
          expect(whole).toHaveLength(table.length)
          for (const reverse of [false, true]) {
            const ids: number[] = []
            let position = null
            let more = true
            while (more) {
              expect(ids.length).toBeLessThanOrEqual(table.length)
              const stretch = source.seek({ keys, position, reverse, limit })
              const found = stretch.rows.map(({ id }) => id)
              ids.splice(reverse ? 0 : ids.length, 0, ...found)
              more = stretch.more
              position = reverse ? stretch.first : stretch.last
              expect(found.length === limit || !more).toBe(true)
            }
            expect(ids).toEqual(whole)
          }
        },
      ),
      { numRuns: 500 },
    )
  })

  const letters = arraySource(
    [...'abcde'].map((id) => ({ id })),
    { key: 'id' },
  )
  const at = (position: readonly string[] | null, reverse = false, limit = 2) => {
    const keys = [{ field: 'id', descending: false, nulls: 'first' }] as const
    const { rows: found, more } = letters.seek({ keys, position, reverse, limit })
    return [found.map(({ id }) => id).join(''), more]
  }

  test('a position needs no row', () => {
    expect(at(['bb'])).toEqual(['cd', true])
    expect(at(['bb'], true)).toEqual(['ab', false])
    expect(at(['z'])).toEqual(['', false])
    expect(at(['A'], true)).toEqual(['', false])
  })

  test('the last rows and the first ones have no more behind them', () => {
    expect(at(['c'])).toEqual(['de', false])
    expect(at(['c'], true)).toEqual(['ab', false])
    expect(at(null, true)).toEqual(['de', true])
  })

  test('a position of another order is refused', () => {
    expect(() => at(['a', 'b'])).toThrow(/no such position/)
    expect(() => at([])).toThrow(/no such position/)
  })

  test('filters hold', () => {
    const some = letters.where([{ field: 'id', operator: 'gt', value: 'b' }])
    const keys = [{ field: 'id', descending: true, nulls: 'last' }] as const
    const stretch = some.seek({ keys, position: ['e'], reverse: false, limit: 9 })
    expect(stretch).toEqual({
      rows: [{ id: 'd' }, { id: 'c' }],
      more: false,
      first: ['d'],
      last: ['c'],
    })
  })
})
