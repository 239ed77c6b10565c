import { describe, expect, test } from 'vitest'
import type { UrlTable } from '../../../src/core/types/routes.ts'
import { ParseError } from '../../../src/core/errors/api-errors.ts'
import { compileUrls } from '../../../src/core/urls/compile-urls.ts'
import { include } from '../../../src/core/urls/address-table.ts'
import { expectLinear } from '../../setup/linear.ts'

const UUID = '0f8fad5b-d9cb-469f-a165-70867728950e'

const urls = compileUrls({
  home: '/',
  books: '/books/',
  'books-bare': '/books',
  café: '/café au lait/',
  percent: '/100%/',
  dotted: '/feed.json',
  str: '/s/:name/',
  path: '/p/:rest<path>',
  'path-slash': '/q/:rest<path>/',
  'path-both': ['/r/:bare<path>', '/r/:slashed<path>/'],
  static: '/n/me/',
  any: '/n/:str/',
  slug: '/n/:slug<slug>/',
  uuid: '/n/:uuid<uuid>/',
  int: '/n/:int<int>/',
  choice: '/n/:choice<1|x>/',
  rest: '/n/:rest<path>',
  'deep-static': '/d/a/:x/static/',
  'deep-any': '/d/:y/b/',
  'deep-int': '/d/:n<int>/:m<int>/',
  'deep-slug': '/d/:n<slug>/:m<slug>/end',
  inherited: '/i/:constructor/:toString/',
  v1: include('/:version<v1|v2>', {
    list: '/list/',
    nested: include('/x/', { deep: '/:id<int>' }),
  }),
})

describe('a path leads to its route', () => {
  for (const [title, path, name, params] of [
    ['the root', '/', 'home', {}],
    ['text', '/books/', 'books', {}],
    ['exactly: without a slash it is another path', '/books', 'books-bare', {}],
    ['exactly: no slash is forgiven', '/books//', null],
    ['exactly: no slash is added', '/s/a', null],
    ['exactly: case counts', '/Books/', null],
    ['an empty segment is a segment', '//', null],
    ['an empty segment is not skipped', '//books/', null],
    ['an empty segment is no parameter', '/s//', null],
    ['nothing at all', '', null],
    ['no slash at the start', 'books/', null],
    ['the form of OPTIONS *', '*', null],
    ['dots are not resolved', '/x/../books/', null],
    ['escapes are the characters they stand for', '/%62ooks/', 'books', {}],
    ['an escaped slash does not split', '/s%2Fa/', null],
    ['an escaped slash is no slash of a text', '/books%2F', null],
    ['text of the table is not percent-encoded', '/caf%C3%A9%20au%20lait/', 'café', {}],
    ['the same unescaped', '/café au lait/', 'café', {}],
    ['a percent sign of the table is text', '/100%25/', 'percent', {}],
    ['str takes a segment', '/s/a.b-c/', 'str', { name: 'a.b-c' }],
    ['str may hold an escaped slash', '/s/a%2Fb/', 'str', { name: 'a/b' }],
    ['str may hold NUL', '/s/%00/', 'str', { name: '\0' }],
    ['escapes are read once', '/s/%2525/', 'str', { name: '%25' }],
    ['a plus is a plus', '/s/a+b/', 'str', { name: 'a+b' }],
    ['path takes the rest', '/p/a/b//c/', 'path', { rest: 'a/b//c/' }],
    ['path may begin with a slash', '/p//a', 'path', { rest: '/a' }],
    ['path is not empty', '/p/', null],
    ['path reads escapes', '/p/a%20b/%2F', 'path', { rest: 'a b//' }],
    ['path gives up the slash at the end', '/q/a/b/', 'path-slash', { rest: 'a/b' }],
    ['path gives up one slash only', '/q/a//', 'path-slash', { rest: 'a/' }],
    ['path keeps an escaped slash', '/q/%2F/', 'path-slash', { rest: '/' }],
    ['path needs its slash', '/q/a', null],
    ['path before a slash is not empty', '/q//', null],
    ['of two rests the one with the slash goes first', '/r/a/', 'path-both', { slashed: 'a' }],
    ['and the other takes what is left', '/r/a', 'path-both', { bare: 'a' }],
    ['text goes before parameters', '/n/me/', 'static', {}],
    ['also where it is escaped', '/n/%6De/', 'static', {}],
    ['choices go first', '/n/1/', 'choice', { choice: '1' }],
    ['then int', '/n/2/', 'int', { int: 2 }],
    ['then uuid', `/n/${UUID.toUpperCase()}/`, 'uuid', { uuid: UUID }],
    ['then slug', '/n/you/', 'slug', { slug: 'you' }],
    [
      'a number that is not safe is a slug',
      '/n/9007199254740993/',
      'slug',
      { slug: '9007199254740993' },
    ],
    ['then str', '/n/a b/', 'any', { str: 'a b' }],
    ['then path', '/n/me/you', 'rest', { rest: 'me/you' }],
    ['the better branch goes first', '/d/a/b/static/', 'deep-static', { x: 'b' }],
    ['and is left where it ends', '/d/a/b/', 'deep-any', { y: 'a' }],
    ['values of a branch that was left are gone', '/d/1/x/end', 'deep-slug', { n: '1', m: 'x' }],
    ['names of parameters belong to the route', '/d/1/2/', 'deep-int', { n: 1, m: 2 }],
    [
      'names that objects inherit are names',
      '/i/a/b/',
      'inherited',
      { constructor: 'a', toString: 'b' },
    ],
    ['a prefix may hold parameters', '/v2/list/', 'v1:list', { version: 'v2' }],
    ['a choice outside the list is no path', '/v3/list/', null],
    ['includes nest', '/v1/x/7', 'v1:nested:deep', { version: 'v1', id: 7 }],
  ] as [string, string, string | null, object?][]) {
    test(title, () => {
      const match = urls.match(path)
      expect(match?.route.name ?? null).toBe(name)
      if (match) expect({ ...match.params }).toEqual(params)
    })
  }

  for (const path of ['/s/%/', '/no/such/%zz', '/books/%C3', '/100%/', '%C3%28', '/s/%ED%A0%80/']) {
    test(`I12 ${path} is refused, with or without a route`, () =>
      expect(() => urls.match(path)).toThrow(ParseError))
  }
})

test('parameters inherit nothing', () => {
  for (const path of ['/books/', '/%62ooks/', '/s/a/']) {
    expect(urls.match(path)?.params['toString']).toBeUndefined()
  }
})

describe('order of writing decides between equally narrow parameters', () => {
  for (const [first, second] of [
    ['a|b', 'b|c'],
    ['b|c', 'a|b'],
  ]) {
    test(`<${first}> before <${second}>`, () => {
      const pair = compileUrls({ one: `/:x<${first}>/`, int: '/:x<int>/', two: `/:x<${second}>/` })
      expect(pair.match('/b/')?.route.name).toBe('one')
    })
  }
})

describe('N5 format suffixes', () => {
  const table: UrlTable = {
    root: '/',
    items: '/items/',
    bare: '/bare',
    item: '/items/:name/',
    open: '/open/:name',
    files: '/files/:rest<path>/',
    dotted: '/dotted.json',
    'dotted-too': '/dotted/',
  }
  const on = compileUrls(table, { formatSuffixes: true })
  const some = compileUrls(table, { formatSuffixes: ['json', 'api'] })
  const must = compileUrls(table, { formatSuffixes: { required: true } })
  const both = compileUrls(table, { formatSuffixes: { allowed: ['json'], required: true } })
  const off = compileUrls(table, { formatSuffixes: false })

  for (const [title, table_, path, name, params] of [
    ['the path without a suffix', on, '/items/', 'items', {}],
    ['the suffix replaces the slash', on, '/items.json', 'items', { format: 'json' }],
    ['a slash may follow', on, '/items.json/', 'items', { format: 'json' }],
    ['only one', on, '/items.json//', null],
    ['not after the slash', on, '/items/.json', null],
    ['the root has it after its slash', on, '/.json', 'root', { format: 'json' }],
    ['the root with a slash after it', on, '/.json/', 'root', { format: 'json' }],
    ['a path without a slash', on, '/bare.mp4', 'bare', { format: 'mp4' }],
    ['not in capitals', on, '/items.JSON', null],
    ['not empty', on, '/items.', null],
    ['nothing else', on, '/items.js-on', null],
    ['escapes are read first', on, '/items%2Ejso%6E', 'items', { format: 'json' }],
    ['after a parameter', on, '/items/a.b.json', 'item', { name: 'a.b', format: 'json' }],
    ['a parameter is not empty', on, '/open/.json', 'open', { name: '.json' }],
    ['the path as it stands wins: parameter', on, '/open/a.json', 'open', { name: 'a.json' }],
    ['the path as it stands wins: text', on, '/dotted.json', 'dotted', {}],
    ['the path as it stands wins: not here', on, '/dotted.xml', 'dotted-too', { format: 'xml' }],
    ['after the rest', on, '/files/a/b.json', 'files', { rest: 'a/b', format: 'json' }],
    ['allowed', some, '/items.api', 'items', { format: 'api' }],
    ['not allowed', some, '/items.xml', null],
    ['not allowed, but not needed', some, '/items/', 'items', {}],
    ['required and there', must, '/items.json', 'items', { format: 'json' }],
    ['required and not there', must, '/items/', null],
    ['required and not there, with a parameter', must, '/items/a/', null],
    [
      'required: the parameter is what stands before',
      must,
      '/open/a.json',
      'open',
      { name: 'a', format: 'json' },
    ],
    ['required and not allowed', both, '/items.xml', null],
    ['required and allowed', both, '/items.json', 'items', { format: 'json' }],
    ['switched off', off, '/items.json', null],
  ] as const) {
    test(title, () => {
      const match = table_.match(path)
      expect(match?.route.name ?? null).toBe(name)
      if (match) expect({ ...match.params }).toEqual(params)
    })
  }
})

describe('time grows with the length of the path, not faster', () => {
  const tableOf = (length: number): UrlTable => ({
    ...Object.fromEntries(
      Array.from({ length }, (_, n) => [`r${n}`, `/r${n}/:id<int>/x/:slug<slug>/` as const]),
    ),
    wide: '/:a/:b/:c/:d<path>/',
    choice: '/:v<v1|v2>/:id<int>/:uuid<uuid>',
    slug: '/:s<slug>',
    mixed: '/:a<slug>/:b<slug>/:c<int>/:d/e',
  })
  const large = compileUrls(tableOf(10_000), { formatSuffixes: true })
  const size = 12_500
  for (const [title, pathOf] of [
    ['many short segments', (long) => `/${'a/'.repeat(long / 2)}`],
    ['many short segments without an end', (long) => `/${'a/'.repeat(long / 2)}b`],
    ['many numbers', (long) => `/${'1/'.repeat(long / 2)}`],
    ['nothing but slashes', (long) => '/'.repeat(long)],
    ['nothing but dots', (long) => `/${'.'.repeat(long)}`],
    ['many suffixes', (long) => `/${'a.json/'.repeat(long / 7)}`],
    ['a long suffix', (long) => `/a.${'a'.repeat(long)}!`],
    ['one long segment', (long) => `/${'a'.repeat(long)}/`],
    ['one long number', (long) => `/r1/${'1'.repeat(long)}/x/a/`],
    ['one long segment that is nearly a slug', (long) => `/${'a'.repeat(long)}!`],
    ['many escapes', (long) => `/${'%61'.repeat(long / 3)}/`],
    ['many escaped slashes', (long) => `/${'%2F/'.repeat(long / 4)}`],
  ] as [string, (long: number) => string][]) {
    test(title, () => expectLinear((long) => large.match(pathOf(long)), { size }))
  }

  test('10,000 routes are told apart nearly as quickly as 100', async () => {
    for (let n = 0; n < 10_000; n++) expect(large.match(`/r${n}/7/x/a/`)?.route.name).toBe(`r${n}`)
    const small = compileUrls(tableOf(100), { formatSuffixes: true })
    await expectLinear(
      (routes) => {
        const compiled = routes === 100 ? small : large
        // Few of them, so that a round is over before anything else has its turn; from everywhere in the table.
        for (let n = 0; n < 1000; n++) compiled.match(`/r${(n * 7919) % routes}/7/x/a/`)
      },
      // Four times as long, because caches overflow. Asking one route after the other would take a hundred times.
      { size: 100, larger: 100, most: 20 },
    )
  })

  test('10,000 routes are compiled in eight times the time of 1,250', () =>
    expectLinear((routes) => compileUrls(tableOf(routes)), { size: 1250 }))
})
