import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Query, withQuery } from '../../../../src/core/std/http/query.ts'
import { expectLinear } from '../../../setup/linear.ts'
import { CHARACTER } from '../../../setup/characters.ts'

describe('P8, P9 rebuilding', () => {
  test.each<[sent: string, changes: Record<string, string | number | null>, rebuilt: string]>([
    ['page=2&b=2&a=1&b=1&z=&e=%C3%A9%20x+y', { page: 3 }, 'a=1&b=2&b=1&e=%C3%A9+x+y&page=3&z='],
    ['page=2&b=2&a=1&b=1&z=&e=%C3%A9%20x+y', { page: null }, 'a=1&b=2&b=1&e=%C3%A9+x+y&z='],
    ['page=2&flag', { page: 3 }, 'flag=&page=3'],
    ['', { page: 2 }, 'page=2'],
    ['page=2', { page: null }, ''],
    ['page=1&page=2&page=3', { page: 4 }, 'page=4'],
    ['a=1;b=2', {}, 'a=1%3Bb%3D2'],
    ['a=b=c', {}, 'a=b%3Dc'],
    ['q=-_.~', {}, 'q=-_.~'],
    ["q=!*'()", {}, 'q=%21%2A%27%28%29'],
    ['q=%2f', {}, 'q=%2F'],
    ['q=%zz%', {}, 'q=%25zz%25'],
    ['q=%ff', {}, 'q=%EF%BF%BD'],
    ['q=😀', {}, 'q=%F0%9F%98%80'],
    ['&&a=1&', {}, 'a=1'],
    ['=x', {}, '=x'],
    ['?a=1', {}, '%3Fa=1'],
    ['b=1&B=2&a=3', {}, 'B=2&a=3&b=1'],
    ['version=1', { version: '1 0&x' }, 'version=1+0%26x'],
    ['__proto__=1&constructor=2', { page: 2 }, '__proto__=1&constructor=2&page=2'],
  ])('%s with %j is %s', (sent, changes, rebuilt) => {
    expect(Query.parse(sent).with(changes).toString()).toBe(rebuilt)
  })

  test('a query is not changed by what is made from it', () => {
    const query = Query.parse('a=1')
    query.with({ a: 2, b: 3 })
    expect(query.toString()).toBe('a=1')
  })
})

describe('P11 reading', () => {
  const query = Query.parse('a=1&b=&a=2&c')

  test.each([
    ['a', '2', ['1', '2']],
    ['b', '', ['']],
    ['c', '', ['']],
    ['A', null, []],
    ['toString', null, []],
  ])('%s', (name, last, all) => {
    expect([query.get(name), query.getAll(name)]).toEqual([last, all])
  })

  test('names, once each', () => expect(query.names()).toEqual(['a', 'b', 'c']))
  test('an empty query has none', () => expect(Query.parse('').names()).toEqual([]))
})

describe('whatever is sent', () => {
  test('is read as form data is', () => {
    const unit = fc.constantFrom('a', 'B', '1', '_', '.', '~', '-', '&', '=', '+', '%41', '%', 'é')
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 12 }), (text) => {
        const expected = new URLSearchParams(`&${text}`)
        const query = Query.parse(text)
        expect(query.names()).toEqual([...new Set(expected.keys())])
        for (const name of expected.keys())
          expect(query.getAll(name)).toEqual(expected.getAll(name))
      }),
      { numRuns: 1000 },
    )
  })

  const pairs = fc.array(
    fc.tuple(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' })),
    { maxLength: 8 },
  )

  test('rebuilding twice is rebuilding once', () => {
    fc.assert(
      fc.property(fc.string({ unit: CHARACTER }), (text) => {
        const once = Query.parse(text).toString()
        expect(Query.parse(once).toString()).toBe(once)
      }),
    )
  })

  test('only unreserved characters, percent, plus, ampersand and equals are written', () => {
    fc.assert(
      fc.property(fc.string({ unit: CHARACTER }), (text) => {
        expect(Query.parse(text).toString()).toMatch(/^[A-Za-z0-9_.~%+&=-]*$/)
      }),
    )
  })

  test('values survive, in their order', () => {
    fc.assert(
      fc.property(pairs, (sent) => {
        const text = sent
          .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
          .join('&')
        const query = Query.parse(Query.parse(text).toString())
        for (const [name] of sent) {
          expect(query.getAll(name)).toEqual(
            sent.filter(([other]) => other === name).map(([, value]) => value),
          )
        }
      }),
    )
  })

  test('it takes time in proportion', () =>
    expectLinear((size) => Query.parse('&a=%ff;'.repeat(size)).with({ a: 1 }).toString(), {
      size: 1500,
    }))
})

test.each([
  ['a query is added', 'http://a/b/', 'v', '1', 'http://a/b/?v=1'],
  ['U7 form-encoded', '/b/', 'version', '1 0&x', '/b/?version=1+0%26x'],
  ['U7 names too', '/b/', 'ü=', "(a)*'!~", '/b/?%C3%BC%3D=%28a%29%2A%27%21~'],
  [
    'U3 sorted beside what is there',
    '/b/?version=v1',
    'format',
    'json',
    '/b/?format=json&version=v1',
  ],
  ['in place of what is there', '/b/?v=1&v=2&a', 'v', '3', '/b/?a=&v=3'],
  ['an empty value', '/b/?', 'v', '', '/b/?v='],
  ['a name that objects inherit', '/b/?a', '__proto__', '1', '/b/?__proto__=1&a='],
])('%s', (_, url, name, value, expected) => expect(withQuery(url, name, value)).toBe(expected))
