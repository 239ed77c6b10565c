import { describe, expect, test } from 'vitest'
import { ConfigurationError } from '../../../../src/index.ts'
import { field, serializer } from '../../../../src/resources/serializers/serializer.ts'
import { given, outcome, request, textOf } from '../reading.ts'

interface Author {
  readonly id: number
  readonly name: string
}
const authors = new Map<number, Author>([
  [1, { id: 1, name: 'Ada' }],
  [2, { id: 2, name: 'Bob' }],
])
const author = { find: (id: number) => authors.get(id) ?? null }

describe('a relation by key', () => {
  test.each<[value: unknown, expected: unknown]>([
    [1, 1],
    ['2', 2],
    [999, { codes: ['does_not_exist'] }],
    ['Ada', { codes: ['incorrect_type'] }],
    [true, { codes: ['incorrect_type'] }],
    [{}, { codes: ['incorrect_type'] }],
    [[1], { codes: ['incorrect_type'] }],
    [1.5, { codes: ['incorrect_type'] }],
    ['9'.repeat(5000), { codes: ['incorrect_type'] }],
    [null, { codes: ['null'] }],
  ])('%j', async (value, expected) => {
    expect(await given(field.related(author), value)).toEqual(expected)
    const later = field.related({ find: async (id) => authors.get(id) })
    expect(await given(later, value)).toEqual(expected)
  })

  test('may give the row', async () => {
    expect(await given(field.related(author, { as: 'row' }), '2')).toEqual(authors.get(2))
  })

  test('is shown as its key', () => {
    const article = serializer({ author: field.related(author, { source: 'author_id' }) })
    expect(article.represent({ author_id: 7 }, request)).toEqual({ author: 7 })
    expect(textOf(article, { author_id: 7 })).toBe('{"author":7}')
    expect(article.describe(request)).toEqual({
      author: { type: 'field', required: true, read_only: false, label: 'Author' },
    })
  })

  test('all keys of a body are looked up with one question', async () => {
    const asked: (readonly number[])[] = []
    const findAll = (keys: readonly number[]): typeof authors => {
      asked.push(keys)
      return authors
    }
    const team = serializer({
      head: field.related({ findAll }),
      members: field.list(field.related({ findAll })),
    })
    const members = field.list(field.related({ findAll }))
    expect(await given(members, [1, 2, 1, 5])).toEqual({ codes: { 3: ['does_not_exist'] } })
    expect(asked).toEqual([[1, 2, 5]])
    // the same request may ask again
    expect(await given(members, [2, 3])).toEqual({ codes: { 1: ['does_not_exist'] } })
    expect(asked).toEqual([
      [1, 2, 5],
      [2, 3],
    ])
    expect(await outcome(team, { head: 2, members: [1] })).toEqual({ head: 2, members: [1] })
  })

  test('keys are not taken unseen', () => {
    expect(() => field.related({} as typeof author)).toThrow(ConfigurationError)
    expect(() => field.related({ find: undefined } as never)).toThrow(ConfigurationError)
  })

  test('a look-up that fails is nobody’s input', async () => {
    const broken = { findAll: () => Promise.reject(new Error('away')) }
    await expect(given(field.list(field.related(broken)), [1, 2])).rejects.toThrow('away')
  })
})
