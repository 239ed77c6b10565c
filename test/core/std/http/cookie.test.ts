import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Cookie, readCookie, writeCookie } from '../../../../src/core/std/http/cookie.ts'
import { expectLinear } from '../../../setup/linear.ts'
import { CHARACTER } from '../../../setup/characters.ts'

describe('reading a cookie', () => {
  for (const [title, header, value] of [
    ['no header', null, null],
    ['an empty header', '', null],
    ['one cookie', 'sid=abc', 'abc'],
    ['one of several', 'a=1; sid=abc; b=2', 'abc'],
    ['without spaces between', 'a=1;sid=abc;b=2', 'abc'],
    ['another case is another name', 'SID=abc', null],
    ['a name that goes on', 'sid2=abc', null],
    ['a name that ends so', 'asid=abc', null],
    ['an empty value', 'sid=', ''],
    ['equals signs in the value', 'sid=a=b=c', 'a=b=c'],
    ['of two the first counts', 'sid=one; sid=two', 'one'],
    ['a pair without a name', '=abc; sid=x', 'x'],
    ['a word without a value', 'sid; sid=x', 'x'],
    ['percent signs are left alone', 'sid=%E0%A4%A', '%E0%A4%A'],
    ['quotes are part of the value', 'sid="abc"', '"abc"'],
    ['bytes that are not ASCII', 'x=\xff\xfe; sid=\xe9', '\xe9'],
    ['control characters', 'x=\x01; sid=abc', 'abc'],
    ['names of the prototype', '__proto__=1; constructor=2; sid=abc', 'abc'],
    ['a name of the prototype that was not sent', 'a=1', null],
  ] as const) {
    test(title, () => {
      expect(readCookie(header, title.endsWith('was not sent') ? 'toString' : 'sid')).toBe(value)
    })
  }

  test('any header is read, and none is an error', () => {
    fc.assert(
      fc.property(fc.string({ unit: CHARACTER, maxLength: 300 }), fc.string(), (header, name) => {
        const value = readCookie(header, name)
        expect(value === null || typeof value === 'string').toBe(true)
      }),
    )
  })

  test.each([';', '=', 'a;', 'a=', ';=', 'sid;'])(
    'a long header of odd pairs costs what its length costs: %s',
    (part) => expectLinear((size) => readCookie(part.repeat(size), 'sid'), { size: 25_000 }),
  )
})

describe('writing a cookie', () => {
  const cookie: Cookie = {
    name: 'sid',
    value: 'abc',
    maxAge: 60,
    path: '/',
    domain: null,
    secure: false,
    httpOnly: false,
    sameSite: 'Lax',
  }
  for (const [title, change, line] of [
    ['the least', {}, 'sid=abc; Max-Age=60; Path=/; SameSite=Lax'],
    ['a domain', { domain: '.a.org' }, 'sid=abc; Max-Age=60; Domain=.a.org; Path=/; SameSite=Lax'],
    [
      'everything',
      { secure: true, httpOnly: true, sameSite: 'Strict' },
      'sid=abc; Max-Age=60; Path=/; HttpOnly; Secure; SameSite=Strict',
    ],
    ['one that goes', { value: '', maxAge: 0 }, 'sid=; Max-Age=0; Path=/; SameSite=Lax'],
    [
      'for other sites too',
      { secure: true, sameSite: 'None' },
      'sid=abc; Max-Age=60; Path=/; Secure; SameSite=None',
    ],
  ] as const) {
    test(title, () => expect(writeCookie({ ...cookie, ...change })).toBe(line))
  }

  test('what was written can be read', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z0-9_-]{1,50}$/), (value) => {
        const [pair] = writeCookie({ ...cookie, value }).split(';')
        expect(readCookie(pair!, 'sid')).toBe(value)
      }),
    )
  })
})
