import { expect, test } from 'vitest'
import { withQuery } from '../../../src/std/http/with-query.ts'

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
