import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Condition, FilterOperator, QuerySource } from '../../src/core/ports/list-source.ts'
import { ValidationError } from '../../src/core/errors/api-errors.ts'
import { ConfigurationError } from '../../src/core/errors/configuration-error.ts'
import {
  type Item,
  type ItemField,
  type OpenSource,
  anyItems,
  anyKeys,
  inOrder,
} from './seekable-source.ts'

type Query = QuerySource<Item, ItemField>

const NAMES = ['plain', '100%', 'a_b', 'wow!', 'back\\slash', "it's", 'PLAIN', null]
const items: readonly Item[] = NAMES.map((name, index) => ({
  id: index + 1,
  kind: index === 4 ? null : index % 3,
  name,
}))

const that = (
  field: ItemField,
  operator: FilterOperator,
  value: unknown,
): Condition<ItemField> => ({
  field,
  operator,
  value,
})

interface QuerySuite {
  readonly runs?: number
  /** What the list cannot do exactly, and says so. @default nothing */
  readonly refuses?: (condition: Condition<ItemField>) => boolean
}

/** What every list has to do that can be narrowed and ordered. */
export function testQuerySource(
  name: string,
  open: (items: readonly Item[]) => Promise<OpenSource<Query>>,
  { runs = 30, refuses = () => false }: QuerySuite = {},
): void {
  const idsWhere = async (...groups: readonly (readonly Condition<ItemField>[])[]) => {
    const { source } = await open(items)
    const found = groups.reduce((narrowed, group) => narrowed.where(group), source)
    const byId = found.orderBy([{ field: 'id', descending: false, nulls: 'last' }])
    const rows = await byId.slice(0, 100)
    expect(await byId.count()).toBe(rows.length)
    return rows.map(({ id }) => id)
  }

  describe(`${name} can be narrowed`, () => {
    test.each<[ItemField, FilterOperator, unknown, readonly number[]]>([
      ['kind', 'equals', 1, [2, 8]],
      ['kind', 'equals', '1', [2, 8]],
      ['kind', 'equals', null, []],
      ['kind', 'in', ['0', 2, null], [1, 3, 4, 6, 7]],
      ['kind', 'in', [], []],
      ['kind', 'lt', 1, [1, 4, 7]],
      ['kind', 'lte', '1', [1, 2, 4, 7, 8]],
      ['kind', 'gt', '1', [3, 6]],
      ['kind', 'gte', 1, [2, 3, 6, 8]],
      ['kind', 'gte', '-9223372036854775808', [1, 2, 3, 4, 6, 7, 8]],
      ['kind', 'equals', '9223372036854775807', []],
      ['kind', 'isNull', true, [5]],
      ['kind', 'isNull', false, [1, 2, 3, 4, 6, 7, 8]],
      ['name', 'equals', '100%', [2]],
      ['name', 'iequals', 'Plain', [1, 7]],
      ['name', 'iequals', 'plai_', []],
      ['name', 'icontains', 'LAI', [1, 7]],
      ['name', 'icontains', '%', [2]],
      ['name', 'icontains', '_', [3]],
      ['name', 'icontains', '!', [4]],
      ['name', 'icontains', '\\', [5]],
      ['name', 'icontains', "'", [6]],
      ['name', 'icontains', '', [1, 2, 3, 4, 5, 6, 7]],
      ['name', 'icontains', null, []],
      ['name', 'istartsWith', 'PL', [1, 7]],
      ['name', 'istartsWith', 'lain', []],
      ['kind', 'icontains', '1', [2, 8]],
    ])('%s %s %j', async (field, operator, value, expected) => {
      const found = idsWhere([that(field, operator, value)])
      if (refuses(that(field, operator, value)))
        await expect(found).rejects.toThrow(ConfigurationError)
      else expect(await found).toEqual(expected)
    })

    test('one of the conditions of a call must hold, and each call', async () => {
      const either = [that('kind', 'equals', 1), that('name', 'equals', '100%')]
      expect(await idsWhere(either)).toEqual([2, 8])
      expect(await idsWhere(either, [that('id', 'lt', 3)])).toEqual([2])
      expect(await idsWhere([])).toEqual([])
    })

    test('the list that it was made of stays as it is', async () => {
      const { source } = await open(items)
      source.where([that('id', 'equals', 1)])
      source.orderBy([{ field: 'id', descending: true, nulls: 'last' }])
      expect(await source.count()).toBe(items.length)
      expect((await source.slice(0, 1))[0]?.id).toBe(1)
    })

    test.each<[FilterOperator, unknown]>([
      ['equals', 'abc'],
      ['lt', '1e999'],
      ['gt', ''],
      ['in', ['1', 'x']],
    ])(
      'a value that is no number (%s %j) is 400 where a client sent it',
      async (operator, value) => {
        const condition = that('kind', operator, value)
        const error: unknown = await idsWhere([{ ...condition, parameter: 'kind' }]).catch(
          (failure: unknown) => failure,
        )
        expect(error).toBeInstanceOf(ValidationError)
        const { detail } = error as ValidationError
        expect(JSON.stringify(detail)).toBe('{"kind":["This value is not valid here."]}')
        await expect(idsWhere([condition])).rejects.toThrow(ConfigurationError)
      },
    )

    test.each([
      ['field', that('knd' as ItemField, 'equals', 1)],
      ['operator', that('kind', 'like' as FilterOperator, 1)],
    ])('a %s that it does not know is a mistake in the program', async (_, condition) => {
      await expect(idsWhere([condition])).rejects.toThrow(ConfigurationError)
    })
  })

  describe(`${name} can be ordered`, () => {
    test('I1 by any fields, with NULLs where they are said to stand', async () => {
      await fc.assert(
        fc.asyncProperty(anyItems, anyKeys, async (rows, keys) => {
          const { source } = await open(rows)
          const expected = inOrder(rows, keys)
          const ordered = source.orderBy(keys)
          expect(await ordered.slice(0, 100)).toEqual(expected)
          const half = Math.floor(rows.length / 2)
          expect(await ordered.slice(half, 5)).toEqual(expected.slice(half, half + 5))
          const page = await ordered.page?.((count) => ({
            offset: Math.max(count - 3, 0),
            limit: 3,
          }))
          expect(page?.rows ?? expected.slice(-3)).toEqual(expected.slice(-3))
        }),
        { numRuns: runs },
      )
    })

    test('the latest order counts', async () => {
      const { source } = await open(items)
      const by = (descending: boolean) => [{ field: 'id', descending, nulls: 'last' } as const]
      const [row] = await source.orderBy(by(false)).orderBy(by(true)).slice(0, 1)
      expect(row?.id).toBe(items.length)
    })
  })
}
