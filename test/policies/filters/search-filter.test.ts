import { describe, expect, test } from 'vitest'
import { ConfigurationError, SearchFilter } from '../../../src/index.ts'
import { ask, fieldsOf, shortly } from './asked.ts'

const found = async (query: string, searchFields: readonly string[] | null = ['title', 'isbn']) => {
  const asked = await ask(new SearchFilter(), { searchFields }, query)
  return 'groups' in asked ? shortly(asked) : asked
}

describe('F1 when there is a search', () => {
  test.each([
    ['no parameter', 'q=river'],
    ['an empty one', 'search='],
    ['a blank one', 'search=%20%09'],
    ['commas only', 'search=,,%20,'],
    ['empty quotes', 'search=%22%22'],
    ['an empty last one', 'search=river&search='],
  ])('%s searches for nothing', async (_, query) => {
    expect(await found(query)).toEqual([])
  })

  test.each([[null], [[]]])('nothing where the list declares %j', async (searchFields) => {
    expect(await found('search=river', searchFields)).toEqual([])
    expect(new SearchFilter().applies(fieldsOf({ searchFields }))).toBe(false)
  })

  test('the last of several counts (P11)', async () => {
    expect(await found('search=sea&search=river', ['title'])).toEqual([['title icontains river']])
  })
})

describe('F3, F4 terms and fields', () => {
  test('every term, in any of the fields', async () => {
    expect(await found('search=silent,river')).toEqual([
      ['title icontains silent', 'isbn icontains silent'],
      ['title icontains river', 'isbn icontains river'],
    ])
  })

  test('a term that comes twice is looked for once', async () => {
    expect(await found('search=a+b+a', ['title'])).toEqual([
      ['title icontains a'],
      ['title icontains b'],
    ])
  })

  test.each([
    ['title', 'title icontains x'],
    ['^title', 'title istartsWith x'],
    ['=title', 'title iequals x'],
    ['$title', 'title iregex x'],
    ['@title', 'title search x'],
    ['pages__gte', 'pages gte x'],
    ['pages__lt', 'pages lt x'],
    ['pages__lte', 'pages lte x'],
    ['pages__gt', 'pages gt x'],
    ['pages__exact', 'pages equals x'],
    ['title__iexact', 'title iequals x'],
    ['title__istartswith', 'title istartsWith x'],
    ['title__icontains', 'title icontains x'],
    ['title__iregex', 'title iregex x'],
    ['title__search', 'title search x'],
    ['owner__username', 'owner__username icontains x'],
    ['^owner__username', 'owner__username istartsWith x'],
    ['owner__username__gte', 'owner__username gte x'],
    ['^pages__gte', 'pages__gte istartsWith x'],
    ['__gte', '__gte icontains x'],
    ['constructor', 'constructor icontains x'],
    ['title__constructor', 'title__constructor icontains x'],
  ])('%s asks for %s', async (field, condition) => {
    expect(await found('search=x', [field])).toEqual([[condition]])
  })

  test('the parameter stands beside the value, for an answer that refuses it', async () => {
    const asked = await ask(new SearchFilter(), { searchFields: ['pages__gte'] }, 'search=x')
    expect(asked).toMatchObject({ groups: [[{ parameter: 'search' }]] })
  })
})

describe('F6 what is refused', () => {
  test('NUL is 400, a list of one', async () => {
    expect(await found('search=a%00b')).toEqual({
      status: 400,
      data: [expect.stringContaining('null characters')],
    })
  })

  test('32 different terms are a search, 33 are 400', async () => {
    const terms = (count: number) => Array.from({ length: count }, (_, at) => `t${at}`).join('+')
    expect(await found(`search=${terms(32)}`)).toHaveLength(32)
    expect(await found(`search=${terms(32)}+t0+t1`)).toHaveLength(32)
    expect(await found(`search=${terms(33)}`)).toEqual({
      status: 400,
      data: { search: ['Search for at most 32 different terms.'] },
    })
  })

  test('or as many as the filter is told', async () => {
    const filter = new SearchFilter({ maxTerms: 1 })
    const refused = await ask(filter, { searchFields: ['title'] }, 'search=a+b')
    expect(refused).toMatchObject({ status: 400 })
  })

  test.each([0, -1, 1.5, '3', null])('%j is no number of terms', (maxTerms) => {
    expect(() => new SearchFilter({ maxTerms: maxTerms as number })).toThrow(ConfigurationError)
  })
})
