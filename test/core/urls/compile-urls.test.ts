import { describe, expect, test } from 'vitest'
import type { UrlTable } from '../../../src/core/types/routes.ts'
import { ConfigurationError } from '../../../src/core/errors/configuration-error.ts'
import { compileUrls } from '../../../src/core/urls/compile-urls.ts'
import { include } from '../../../src/core/urls/address-table.ts'

const SUFFIXES = { formatSuffixes: true } as const

describe('a table that cannot work is refused, with the address and the fix', () => {
  for (const [title, table, words, options] of [
    ['no slash at the start', { a: 'b/' }, ['"a" (b/)', '"/b/"']],
    [
      'no slash at the start inside an include',
      { v: include('/v', { a: 'b' as '/b' }) },
      ['"v:a"', '"/b"'],
    ],
    ['no slash at the start of a prefix', { v: include('v' as '/v', {}) }, ['"v" (v)', '"/v"']],
    ['not a path', { a: 1 }, ['"a"', 'write a path']],
    ['a table without a prefix', { v: { a: '/a/' } }, ['"v"', 'include(']],
    ['an empty list of paths', { a: [] }, ['"a"', 'at least one']],
    ['an empty name', { '': '/a/' }, ['""', 'empty']],
    ['an empty part of a name', { 'v1:': '/a/' }, ['"v1:"', 'empty']],
    [
      'an unknown converter',
      { a: '/:id<itn>/' },
      ['"a" (/:id<itn>/)', '"itn"', 'Did you mean "int"?'],
    ],
    ['a converter like nothing', { a: '/:id<whatever>/' }, ['"whatever"', 'uuid']],
    ['a converter of other frameworks', { a: '/:id<integer>/' }, ['"integer"', 'uuid']],
    [
      'a converter with a digit too many',
      { a: '/:id<uuid4>/' },
      ['"uuid4"', 'Did you mean "uuid"?'],
    ],
    ['a converter that objects inherit', { a: '/:id<constructor>/' }, ['"constructor"']],
    ['a repeated parameter', { a: '/:id/:id<int>/' }, ['"a"', '"id"', 'twice']],
    [
      'a repeated parameter of the prefix',
      { v: include('/:id', { a: '/:id/' }) },
      ['"v:a"', '"id"', 'twice'],
    ],
    ['an open converter', { a: '/:id<int/' }, ['"a"', '":id<int"', 'Write']],
    ['an empty converter', { a: '/:id<>/' }, ['":id<>"']],
    ['a converter in a converter', { a: '/:id<a<b>>/' }, ['":id<a<b>>"']],
    ['text after a converter', { a: '/:id<int>.json' }, ['":id<int>.json"']],
    ['text after a parameter', { a: '/:id.json' }, ['"id.json"', 'whole segment']],
    ['text before a parameter', { a: '/x:id<int>/' }, ['"x:id<int>"', 'whole segment']],
    ['a parameter without a name', { a: '/:/' }, ['"a"', '""']],
    ['a converter without a name', { a: '/:<int>/' }, ['"a"', '""']],
    ['a name that begins with a digit', { a: '/:1a/' }, ['"1a"']],
    ['a name with other letters', { a: '/:é/' }, ['"é"']],
    ['a parameter __proto__', { a: '/:__proto__/' }, ['"__proto__"', 'Rename']],
    ['an empty choice', { a: '/:v<v1|>/' }, ['"<v1|>"', 'empty']],
    ['a choice that is there twice', { a: '/:v<a|b|a>/' }, ['"<a|b|a>"', 'twice']],
    ['a choice of dots', { a: '/:v<a|..>/' }, ['".."']],
    ['a segment of dots', { a: '/x/../y' }, ['".."', 'Remove']],
    ['half a surrogate pair', { a: '/\ud800/' }, ['surrogate']],
    ['path before other segments', { a: '/:p<path>/x' }, ['"path"', 'end']],
    ['path before two slashes', { a: '/:p<path>//' }, ['"path"', 'end']],
    ['two of path', { a: '/:p<path>/:q<path>' }, ['"path"', 'end']],
    ['path in a prefix', { v: include('/:p<path>', { a: '/x/' }) }, ['"v:a"', '"path"']],
    ['the same path', { a: '/x/', b: '/x/' }, ['"b" (/x/)', '"a" (/x/)']],
    ['the same path under one name', { a: ['/x/', '/x/'] }, ['"a" (/x/)']],
    ['the same path with other names', { a: '/:x<int>/', b: '/:y<int>/' }, ['"b"', '"a"']],
    ['the same path, converter said and not', { a: '/:x/', b: '/:x<str>/' }, ['"b"', '"a"']],
    ['the same choices in another order', { a: '/:x<v|w>/', b: '/:x<w|v>/' }, ['"b"', '"a"']],
    ['the same rest', { a: '/:x<path>/', b: '/:y<path>/' }, ['"b"', '"a"']],
    [
      'the same path through an include',
      { a: '/v/x/', v: include('/v', { b: '/x/' }) },
      ['"v:b"', '"a"'],
    ],
    ['the same full name', { 'v:a': '/1/', v: include('/2', { a: '/' }) }, ['"v:a"', 'twice']],
    ['N5 a parameter format with suffixes', { a: '/:format/' }, ['"a"', '"format"'], SUFFIXES],
    [
      'N5 two paths that are one with a suffix',
      { a: '/x/', b: '/x' },
      ['"b" (/x)', '"a" (/x/)'],
      SUFFIXES,
    ],
    ['N5 no allowed suffix', { a: '/x/' }, ['suffix'], { formatSuffixes: [] }],
    [
      'N5 a suffix in capitals',
      { a: '/x/' },
      ['"JSON"'],
      { formatSuffixes: { allowed: ['JSON'] } },
    ],
    [
      'N5 a suffix with its dot',
      { a: '/x/' },
      ['".json"', 'no dot'],
      { formatSuffixes: ['.json'] },
    ],
  ] as [string, unknown, string[], Parameters<typeof compileUrls>[1]?][]) {
    test(title, () => {
      const compile = () => compileUrls(table as UrlTable, options)
      expect(compile).toThrow(ConfigurationError)
      for (const word of words) expect(compile).toThrow(word)
    })
  }
})

describe('these tables are fine', () => {
  for (const [title, table, options] of [
    ['nothing at all', {}],
    ['a colon inside a segment', { a: '/x:y/', b: '/:v/x:y' }],
    ['a choice of one, which has a digit in it', { a: '/:v<v1>/', b: '/:v<2026-11>/' }],
    ['paths that differ in a slash', { a: '/x', b: '/x/', c: '/x//' }],
    [
      'paths that differ in a converter',
      { a: '/:x<int>', b: '/:x<slug>', c: '/:x', d: '/:x<path>' },
    ],
    ['a parameter format without suffixes', { a: '/:format/' }],
    ['parameters called like members of objects', { a: '/:constructor/:toString/' }],
    ['one name for paths that differ in a slash, with suffixes', { a: ['/x/', '/x'] }, SUFFIXES],
  ] as [string, UrlTable, Parameters<typeof compileUrls>[1]?][]) {
    test(title, () => expect(() => compileUrls(table, options)).not.toThrow())
  }
})

test('a choice of one is that text', () => {
  const urls = compileUrls({ a: '/:version<v1>/x/' })
  expect({ ...urls.match('/v1/x/')?.params }).toEqual({ version: 'v1' })
  expect(urls.match('/v2/x/')).toBeNull()
  expect(urls.reverse('a', { version: 'v1' })).toBe('/v1/x/')
  expect(() => urls.reverse('a', { version: 'v2' })).toThrow('"version" must be')
})
