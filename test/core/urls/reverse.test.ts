import { describe, expect, test } from 'vitest'
import { NoReverseMatch } from '../../../src/core/errors/configuration-error.ts'
import { compileUrls } from '../../../src/core/urls/compile-urls.ts'
import { include } from '../../../src/core/urls/address-table.ts'

const UUID = '0f8fad5b-d9cb-469f-a165-70867728950e'

const table = {
  home: '/',
  café: '/café au lait?/100%/',
  'user-list': '/users/',
  'user-detail': '/users/:id<int>/',
  device: '/devices/:id<uuid>',
  tag: '/tags/:tag<slug>/:name/',
  file: '/files/:path<path>',
  'file-slash': '/folders/:path<path>/',
  page: '/:path<path>',
  export: '/:v<v1|v2>/export/:as<a b|c>',
  report: ['/reports/', '/:version<v1|v2>/reports/', '/:version<v1|v2>/reports/:id<int>/'],
  either: ['/e/:key<int>/', '/e/:key<slug>/'],
  inherited: ['/i/', '/i/:constructor/'],
  v1: include('/v1', { 'report-list': '/reports/', 'only-one': '/one/' }),
  v2: include('/v2', {
    'report-list': '/reports/',
    deep: include('/deep', { 'report-list': '/r/' }),
  }),
} as const

const urls = compileUrls(table)
const suffixed = compileUrls(table, { formatSuffixes: true })
const some = compileUrls(table, { formatSuffixes: ['json'] })
const must = compileUrls(table, { formatSuffixes: { required: true } })

describe('a name is written as its path', () => {
  for (const [title, from, name, params, path] of [
    ['the root', urls, 'home', {}, '/'],
    ['no parameters, nothing said', urls, 'user-list', undefined, '/users/'],
    ['text is percent-encoded', urls, 'café', {}, '/caf%C3%A9%20au%20lait%3F/100%25/'],
    ['int', urls, 'user-detail', { id: 7 }, '/users/7/'],
    ['uuid in lower case', urls, 'device', { id: UUID.toUpperCase() }, `/devices/${UUID}`],
    ['several', urls, 'tag', { tag: 'a-b', name: 'c/d e' }, '/tags/a-b/c%2Fd%20e/'],
    [
      'pchar stay as they are',
      urls,
      'tag',
      { tag: 'a', name: "!$&'()*+,;=:@" },
      "/tags/a/!$&'()*+,;=:@/",
    ],
    ['path keeps its slashes', urls, 'file', { path: 'a/b c/' }, '/files/a/b%20c/'],
    ['path before a slash', urls, 'file-slash', { path: 'a/b' }, '/folders/a/b/'],
    [
      'a path at the root does not become a host',
      urls,
      'page',
      { path: '/evil.example' },
      '/%2Fevil.example',
    ],
    ['choices', urls, 'export', { v: 'v2', as: 'a b' }, '/v2/export/a%20b'],
    ['of several paths the one without parameters', urls, 'report', {}, '/reports/'],
    [
      'of several paths the one that takes what is given',
      urls,
      'report',
      { version: 'v1' },
      '/v1/reports/',
    ],
    [
      'of several paths the one that takes all',
      urls,
      'report',
      { version: 'v1', id: 2 },
      '/v1/reports/2/',
    ],
    ['of several paths the one that takes the value', urls, 'either', { key: 'x' }, '/e/x/'],
    ['undefined is not given', urls, 'report', { version: undefined }, '/reports/'],
    ['what objects inherit is not given', urls, 'inherited', {}, '/i/'],
    ['an own member of that name is', urls, 'inherited', { constructor: 'x' }, '/i/x/'],
    [
      'objects without a prototype',
      urls,
      'user-detail',
      Object.assign(Object.create(null), { id: 1 }),
      '/users/1/',
    ],
    ['a full name', urls, 'v1:report-list', {}, '/v1/reports/'],
    ['a deep name', urls, 'v2:deep:report-list', {}, '/v2/deep/r/'],
    [
      'N5 a suffix replaces the slash',
      suffixed,
      'user-detail',
      { id: 7, format: 'json' },
      '/users/7.json',
    ],
    ['N5 a suffix at the root', suffixed, 'home', { format: 'json' }, '/.json'],
    [
      'N5 a suffix without a slash',
      suffixed,
      'device',
      { id: UUID, format: 'json' },
      `/devices/${UUID}.json`,
    ],
    [
      'N5 a slash of the value stays',
      suffixed,
      'file',
      { path: 'a/', format: 'json' },
      '/files/a/.json',
    ],
    ['N5 a suffix is not needed', suffixed, 'user-detail', { id: 7 }, '/users/7/'],
    [
      'N5 a suffix picks no other path',
      suffixed,
      'report',
      { version: 'v1', format: 'json' },
      '/v1/reports.json',
    ],
    ['N5 an allowed suffix', some, 'user-list', { format: 'json' }, '/users.json'],
    ['N5 a required suffix', must, 'user-list', { format: 'json' }, '/users.json'],
  ] as const) {
    test(title, () => expect(from.reverse(name, params)).toBe(path))
  }
})

describe('what cannot be written is refused, and why', () => {
  for (const [title, from, name, params, words] of [
    ['an unknown name', urls, 'nothing-like-it', {}, ['"nothing-like-it"']],
    ['a misspelt name', urls, 'user-lsit', {}, ['Did you mean "user-list"?']],
    [
      'a name in two namespaces',
      urls,
      'report-list',
      {},
      ['"v1:report-list", "v2:report-list" or "v2:deep:report-list"?'],
    ],
    ['a name in one namespace', urls, 'only-one', {}, ['Did you mean "v1:only-one"?']],
    ['a misspelt name in a namespace', urls, 'only-noe', {}, ['Did you mean "v1:only-one"?']],
    ['a misspelt namespace', urls, 'v3:only-one', {}, ['Did you mean "v1:only-one"?']],
    ['a name that objects inherit', urls, 'constructor', {}, ['"constructor"']],
    ['a missing parameter', urls, 'user-detail', {}, ['/users/:id<int>/', '"id" is missing']],
    ['two missing parameters', urls, 'tag', {}, ['"tag" is missing', '"name" is missing']],
    ['undefined is missing', urls, 'user-detail', { id: undefined }, ['"id" is missing']],
    ['a parameter too many', urls, 'user-list', { id: 1 }, ['takes no "id"']],
    [
      'a misspelt parameter',
      urls,
      'tag',
      { tag: 'a', nmae: 'b' },
      ['"name" is missing', 'takes no "nmae" (did you mean "name"?)'],
    ],
    [
      'a __proto__ too many',
      urls,
      'home',
      JSON.parse('{"__proto__": 1}'),
      ['takes no "__proto__"'],
    ],
    [
      'an inherited member is not given',
      urls,
      'user-detail',
      Object.assign(Object.create({ id: 1 }), { x: 2 }),
      ['"id" is missing', 'takes no "x"'],
    ],
    ['null', urls, 'user-detail', { id: null }, ['"id" must be a whole number', 'not null']],
    [
      'a text for int',
      urls,
      'user-detail',
      { id: '7' },
      ['"id" must be a whole number', 'not "7"'],
    ],
    ['a negative number', urls, 'user-detail', { id: -1 }, ['not -1']],
    ['an object', urls, 'user-detail', { id: {} }, ['a value of type object']],
    ['a long text is cut', urls, 'user-detail', { id: 'x'.repeat(1000) }, [`"${'x'.repeat(40)}…"`]],
    ['not a UUID', urls, 'device', { id: 'x' }, ['"id" must be a UUID']],
    ['not a slug', urls, 'tag', { tag: 'a b', name: 'c' }, ['"tag" must be', '"a b"']],
    [
      'not a choice',
      urls,
      'export',
      { v: 'v3', as: 'c' },
      ['"v" must be one of "v1", "v2", not "v3"'],
    ],
    ['an empty text', urls, 'tag', { tag: 'a', name: '' }, ['"name" must be', 'not an empty text']],
    ['an empty path', urls, 'file', { path: '' }, ['"path"', 'empty']],
    ['a dot', urls, 'tag', { tag: 'a', name: '.' }, ['"name" has a segment "." or ".."']],
    ['two dots', urls, 'tag', { tag: 'a', name: '..' }, ['"name" has a segment']],
    ['dots in a path', urls, 'file', { path: 'a/../b' }, ['"path" has a segment']],
    ['half a surrogate pair', urls, 'tag', { tag: 'a', name: '\ud800' }, ['"name"', 'surrogate']],
    [
      'no path of several',
      urls,
      'report',
      { id: 1 },
      [
        '"report"',
        '/reports/: it takes no "id".',
        '/:version<v1|v2>/reports/:id<int>/: "version" is missing.',
      ],
    ],
    [
      'U4 a format where suffixes are off',
      urls,
      'user-list',
      { format: 'json' },
      ['"format"', 'off'],
    ],
    [
      'N5 a format that is none',
      suffixed,
      'user-list',
      { format: 'J.' },
      ['"format" must be lower-case letters'],
    ],
    [
      'N5 a format that is not allowed',
      some,
      'user-list',
      { format: 'xml' },
      ['"format" must be one of json'],
    ],
    ['N5 a missing format', must, 'user-list', {}, ['"format" is missing']],
  ] as const) {
    test(title, () => {
      const build = () => from.reverse(name, params)
      expect(build).toThrow(NoReverseMatch)
      for (const word of words) expect(build).toThrow(word)
    })
  }
})
