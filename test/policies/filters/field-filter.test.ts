import { describe, expect, test } from 'vitest'
import { FieldFilter } from '../../../src/index.ts'
import { ask, fieldsOf, shortly } from './asked.ts'

const FIELDS = ['author', 'pages__gte', 'published__isnull', 'id__in', 'title__icontains']

const found = async (query: string, filterFields: readonly string[] | null = FIELDS) => {
  const asked = await ask(new FieldFilter(), { filterFields }, query)
  return 'groups' in asked ? shortly(asked) : asked
}

describe('FieldFilter reads the declared parameters', () => {
  test.each([
    ['equal', 'author=3', [['author equals 3']]],
    [
      'all that are sent must hold',
      'pages__gte=100&author=3',
      [['author equals 3'], ['pages gte 100']],
    ],
    ['the last of several counts (P11)', 'author=3&author=4', [['author equals 4']]],
    ['a list', 'id__in=1,2,,3', [['id in 1,2,3']]],
    ['an empty list is none', 'id__in=,', []],
    ['yes', 'published__isnull=true', [['published isNull true']]],
    ['yes, as Python writes it', 'published__isnull=True', [['published isNull true']]],
    ['yes, as a number', 'published__isnull=1', [['published isNull true']]],
    ['no', 'published__isnull=false', [['published isNull false']]],
    ['no, as a number', 'published__isnull=0', [['published isNull false']]],
    [
      'white space and commas are part of a text',
      'title__icontains=a,%20b',
      [['title icontains a, b']],
    ],
    ['empty is not said', 'author=&title__icontains=', []],
    ['what is not declared is not read', 'pages=1&author__gte=3&secret=1&title=x', []],
    ['nor what every object has', 'constructor=1&__proto__=2', []],
  ])('%s', async (_, query, conditions) => {
    expect(await found(query)).toEqual(conditions)
  })

  test.each([
    ['a yes that is none', 'published__isnull=maybe', 'published__isnull'],
    ['NUL', 'author=%00', 'author'],
    ['NUL in a list', 'id__in=1,%002', 'id__in'],
  ])('%s is 400, under the name of the parameter', async (_, query, parameter) => {
    expect(await found(query)).toEqual({
      status: 400,
      data: { [parameter]: [expect.any(String)] },
    })
  })

  test('a list may come in pieces where queries are strict', async () => {
    const pieces = async (isStrict: boolean) => {
      const query = 'id__in=1&id__in=2,3&author=3&author=4'
      const asked = await ask(new FieldFilter(), { filterFields: FIELDS }, query, isStrict)
      return 'groups' in asked ? shortly(asked) : asked
    }
    expect(await pieces(true)).toEqual([['author equals 4'], ['id in 1,2,3']])
    expect(await pieces(false)).toEqual([['author equals 4'], ['id in 2,3']])
  })

  test.each([[null], [[]]])(
    'it has nothing to do where a list declares %j',
    async (filterFields) => {
      expect(await found('author=3', filterFields)).toEqual([])
      expect(new FieldFilter().applies(fieldsOf({ filterFields }))).toBe(false)
    },
  )

  test('the parameter stands beside the value, for an answer that refuses it', async () => {
    const asked = await ask(new FieldFilter(), { filterFields: FIELDS }, 'pages__gte=x')
    expect(asked).toMatchObject({ groups: [[{ field: 'pages', parameter: 'pages__gte' }]] })
  })
})
