import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nextAddress } from '../../../../src/core/std/http/next-address.ts'
import { CHARACTER } from '../../../setup/characters.ts'

const ORIGIN = 'https://api.example.com'

describe('where somebody may be sent after logging in', () => {
  for (const [next, path] of [
    ['/', '/'],
    ['/pages/private/', '/pages/private/'],
    ['/a?b=c&d=e#f', '/a?b=c&d=e#f'],
    ['/a b/ä', '/a%20b/%C3%A4'],
    ['/a/../b', '/b'],
    ['/%2F%2Fevil.example', '/%2F%2Fevil.example'],
    ['/?next=//evil.example', '/?next=//evil.example'],
    ['/a//b', '/a//b'],
    ['/@evil.example', '/@evil.example'],
    ['/:80', '/:80'],
    ['https://api.example.com/a?b#c', '/a?b#c'],
    ['HTTPS://API.EXAMPLE.COM/a', '/a'],
    ['https://api.example.com', '/'],
    ['https://api.example.com:443/a', '/a'],
    ['https://user:password@api.example.com/a', '/a'],
  ] as const) {
    test(`${next} leads to ${path}`, () => expect(nextAddress(next, ORIGIN)).toBe(path))
  }
})

describe('where nobody is sent', () => {
  for (const next of [
    '',
    ' ',
    'a',
    'a/b',
    '?a',
    '#a',
    '.',
    '//evil.example',
    '///evil.example',
    '////evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '\\/evil.example',
    '/\\/evil.example',
    '/a\\b',
    '/\t/evil.example',
    '/\n/evil.example',
    '\t//evil.example',
    ' //evil.example',
    ' /a',
    '\0/a',
    '/a\r\nSet-Cookie: x=1',
    '/\u0085/evil.example',
    '/.//evil.example',
    '/..//evil.example',
    '/a/..//evil.example',
    '/%2e//evil.example',
    'https://evil.example/',
    'https://api.example.com.evil.example/',
    'https://evil.example/https://api.example.com/',
    'https://api.example.com@evil.example/',
    'https://api.example.com//evil.example',
    'https://api.example.com/.//evil.example',
    'https:evil.example',
    'https:///evil.example',
    'https:/evil.example',
    'http://api.example.com/',
    'https://api.example.com:8443/',
    'https://',
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'java\nscript:alert(1)',
    'javascript://api.example.com/%0aalert(1)',
    'data:text/html,x',
    'ftp://api.example.com/',
    'blob:https://api.example.com/x',
    'mailto:a@b',
    `/${'a'.repeat(2000)}`,
  ]) {
    const shown = JSON.stringify(next.slice(0, 60))
    test(shown, () => expect(nextAddress(next, ORIGIN)).toBeNull())
  }

  test('whatever comes, a browser stays here', () => {
    const parts = ['/', '\\', '.', ':', '@', '?', '#', '%2e', '%2f', '\t', '\n', ' ', 'http', 's']
    const text = fc.oneof(
      fc.string({ unit: CHARACTER, maxLength: 40 }),
      fc.array(fc.constantFrom(...parts, 'evil.example', 'api.example.com'), { maxLength: 12 }),
    )
    fc.assert(
      fc.property(text, (made) => {
        const next = nextAddress(typeof made === 'string' ? made : made.join(''), ORIGIN)
        fc.pre(next !== null)
        expect(next).toMatch(/^\/(?!\/)[\x21-\x7e]*$/)
        expect(new URL(next, ORIGIN).origin).toBe(ORIGIN)
      }),
      { numRuns: 2000 },
    )
  })
})
