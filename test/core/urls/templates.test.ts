import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Urls, compileUrls } from '../../../src/core/urls/compile-urls.ts'
import { type PathTemplate, fillParameter } from '../../../src/core/urls/templates.ts'
import type { OpenLink } from '../../../src/core/types/reverse.ts'
import { CHARACTER } from '../../setup/characters.ts'

const table = {
  plain: '/articles/:id<int>/',
  end: '/articles/:id',
  none: '/none/',
  two: '/:version<v1|v2>/books/:book/parts/:number<int>/end',
  rest: '/files/:rest<path>',
  root: '/:rest<path>/',
  slug: '/slugs/:key<slug>/',
  uuid: '/uuids/:key<uuid>/',
  choice: '/choices/:key<de|e n>/',
  several: ['/several/:id<int>/', '/several/:id<slug>/'],
  alternatives: ['/alternatives/:id<int>/', '/alternatives/:name/'],
} as const
const urls = compileUrls(table, { formatSuffixes: ['json'] })

function open(
  { templates }: Urls,
  name: string,
  params: Readonly<Record<string, unknown>>,
  param: string,
): OpenLink | 'several' | null {
  const { format, ...others } = params
  const given = Object.entries(others).filter(
    ([key, value]) => key !== param && value !== undefined,
  )
  const filled = given.reduce<readonly PathTemplate[]>(
    (all, [key, value]) => all.flatMap((template) => fillParameter(template, key, value) ?? []),
    templates.byName.get(name) ?? [],
  )
  return templates.open(filled, param, param === 'format' ? undefined : format)
}

/** What an open link makes of a value. */
function link(name: string, param: string, value: unknown): string | null {
  const made = open(urls, name, { [param]: 'anything' }, param)
  return typeof made === 'function' ? made(value) : made
}

describe('what links have in common', () => {
  test.each<[title: string, name: string, param: string, others: object, parts: string[]]>([
    ['what is around the parameter', 'plain', 'id', {}, ['/articles/', '/']],
    ['nothing after it', 'end', 'id', {}, ['/articles/', '']],
    ['a format suffix', 'plain', 'id', { format: 'json' }, ['/articles/', '.json']],
    [
      'the other parameters',
      'two',
      'number',
      { version: 'v1', book: 'a b' },
      ['/v1/books/a%20b/parts/', '/end'],
    ],
    [
      'parameters after it',
      'two',
      'book',
      { version: 'v2', number: 7 },
      ['/v2/books/', '/parts/7/end'],
    ],
    [
      'parameters that are not given',
      'two',
      'version',
      { book: 'b', number: 1, x: undefined },
      ['/', '/books/b/parts/1/end'],
    ],
    ['one of several paths', 'alternatives', 'name', {}, ['/alternatives/', '/']],
  ])('%s', (_, name, param, others, parts) => {
    const made = open(urls, name, { ...others, [param]: 'anything' }, param)
    const fits = { id: 7, number: 7, book: 'b', version: 'v1', name: 'n' }[param]
    expect((made as OpenLink)(fits)).toBe(parts.join(String(fits)))
    expect((made as OpenLink)({})).toBe(null)
  })

  test.each<[title: string, name: string, param: string, others: object, expected: unknown]>([
    ['no such name', 'other', 'id', {}, null],
    ['no such parameter', 'plain', 'pk', {}, null],
    ['a parameter is missing', 'two', 'number', { version: 'v1' }, null],
    ['one too many', 'plain', 'id', { x: 1 }, null],
    ['another value does not fit', 'two', 'number', { version: 'v3', book: 'b' }, null],
    ['no such format', 'plain', 'id', { format: 'xml' }, null],
    ['paths that the value chooses among', 'several', 'id', {}, 'several'],
    ['the parameter is not among those of the path', 'none', 'format', {}, null],
  ])('nothing, where there is %s', (_, name, param, others, expected) => {
    expect(open(urls, name, { ...others, [param]: 'anything' }, param)).toBe(expected)
  })

  test('every address must have its suffix, where suffixes are required', () => {
    const strict = compileUrls(table, { formatSuffixes: { required: true } })
    expect(open(strict, 'plain', { id: 1 }, 'id')).toBe(null)
    const made = open(strict, 'plain', { id: 1, format: 'json' }, 'id') as OpenLink
    expect(made(1)).toBe('/articles/1.json')
  })

  const value = fc.oneof(
    fc.integer(),
    fc.nat({ max: Number.MAX_SAFE_INTEGER }),
    fc.double(),
    fc.string({ unit: CHARACTER }),
    fc.string(),
    fc.uuid(),
    fc.constantFrom('', '.', '..', 'a/../b', 'de', 'e n', null, true, -0, '\ud800'),
  )
  const names = [
    ['plain', 'id'],
    ['end', 'id'],
    ['rest', 'rest'],
    ['root', 'rest'],
    ['slug', 'key'],
    ['uuid', 'key'],
    ['choice', 'key'],
  ] as const

  test('with a value between, it is the path that find gives', () => {
    fc.assert(
      fc.property(value, fc.constantFrom(...names), (one, [name, param]) => {
        const wanted = urls.find(name, { [param]: one })
        // Numbers fit as texts too, which find leaves to the types.
        const asText = typeof one === 'number' ? urls.find(name, { [param]: String(one) }) : null
        expect(link(name, param, one)).toBe(wanted ?? asText)
      }),
      { numRuns: 1000 },
    )
  })

  test('long integers fit where their number does, or their digits', () => {
    expect(link('plain', 'id', 7n)).toBe('/articles/7/')
    expect(link('plain', 'id', 2n ** 53n)).toBe(null)
    expect(link('end', 'id', 2n ** 64n)).toBe(`/articles/${2n ** 64n}`)
  })

  test('what takes numbers takes all of them as their digits', () => {
    fc.assert(
      fc.property(
        fc.nat({ max: Number.MAX_SAFE_INTEGER }),
        fc.constantFrom(...names),
        (one, [name, param]) => {
          const takesNumbers = name !== 'uuid' && name !== 'choice'
          const before = link(name, param, 0)?.split('0')[0]
          expect(link(name, param, one)?.startsWith(`${before}${one}`)).toBe(
            takesNumbers || undefined,
          )
        },
      ),
    )
  })
})
