// I2: a query remembers what was read of it, and cursors are bound to that.
import { describe, expect, test } from 'vitest'
import { Query } from '../../../../src/index.ts'

type Read = (query: Query) => unknown

const TEXT = 'b=2&a=1&a=3&empty=&c=4'

describe('what was read', () => {
  test.each<[string, string, Read, string]>([
    ['nothing', TEXT, () => null, ''],
    ['the last value', TEXT, (query) => query.get('a'), 'a=3'],
    ['all values', TEXT, (query) => query.getAll('a'), 'a=1&a=3'],
    ['all, then the last', TEXT, (query) => [query.getAll('a'), query.get('a')], 'a=1&a=3'],
    ['the last, then all', TEXT, (query) => [query.get('a'), query.getAll('a')], 'a=1&a=3'],
    ['the text', TEXT, (query) => query.text('a'), 'a=3'],
    ['all, then the text', TEXT, (query) => [query.getAll('a'), query.text('a')], 'a=1&a=3'],
    ['in another order', TEXT, (query) => [query.get('c'), query.get('b')], 'b=2&c=4'],
    ['twice', TEXT, (query) => [query.get('b'), query.get('b')], 'b=2'],
    ['a value that is empty', TEXT, (query) => query.get('empty'), 'empty='],
    ['no text', TEXT, (query) => query.text('empty'), ''],
    [
      'names that are not there',
      TEXT,
      (query) => [query.get('x'), query.text('x'), query.getAll('x')],
      '',
    ],
    ['a peek', TEXT, (query) => query.peek('a'), ''],
    ['a peek and a look', TEXT, (query) => [query.peek('a'), query.get('a')], 'a=3'],
    ['every name', 'b=2&a=1&a=', (query) => query.names(), 'a=1&a=&b=2'],
    ['a copy', 'b=2&a=1', (query) => query.with({ a: null }), 'a=1&b=2'],
    ['the whole text', 'b=2&a=1', (query) => query.toString(), 'a=1&b=2'],
    ['nothing of an empty one', '', (query) => query.names(), ''],
  ])('%s', (_what, text, read, expected) => {
    const query = Query.parse(text)
    read(query)
    expect(query.readSoFar()).toBe(expected)
  })

  test('but for some names', () => {
    const query = Query.parse(TEXT)
    query.names()
    expect(query.readSoFar(['a', null, 'empty', 'b'])).toBe('c=4')
  })

  test('asking for it reads nothing, and no other query learns of it', () => {
    const [query, other] = [Query.parse(TEXT), Query.parse(TEXT)]
    query.readSoFar()
    query.get('a')
    expect([query.readSoFar(), other.readSoFar()]).toEqual(['a=3', ''])
    Query.parse('').names()
    expect(Query.parse('').readSoFar()).toBe('')
  })

  test('names of objects are names', () => {
    const query = Query.parse('__proto__=1&constructor=2')
    query.names()
    expect(query.readSoFar()).toBe('__proto__=1&constructor=2')
  })
})

test('text is the last value, unless it is empty', () => {
  const query = Query.parse('a=1&a=&b=1&b=2')
  expect([query.text('a'), query.text('b'), query.text('c')]).toEqual([null, '2', null])
})
