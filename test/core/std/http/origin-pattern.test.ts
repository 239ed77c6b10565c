import { describe, expect, test } from 'vitest'
import {
  isWithin,
  parseOrigin,
  parseOriginPattern,
  singleOrigin,
} from '../../../../src/core/std/http/origin-pattern.ts'

describe('one origin, as browsers write it', () => {
  test.each([
    ['https://app.example.com', 'https://app.example.com'],
    ['HTTPS://App.Example.Com', 'https://app.example.com'],
    ['https://app.example.com:443', 'https://app.example.com'],
    ['http://app.example.com:80', 'http://app.example.com'],
    ['http://app.example.com:443', 'http://app.example.com:443'],
    ['https://app.example.com:8443', 'https://app.example.com:8443'],
    ['https://bücher.example', 'https://xn--bcher-kva.example'],
    ['http://127.0.0.1:3000', 'http://127.0.0.1:3000'],
    ['http://[::1]:3000', 'http://[::1]:3000'],
    ['http://[0:0::1]:80', 'http://[::1]'],
    ['capacitor://localhost', 'capacitor://localhost'],
    ['chrome-extension://abcdefghijklmnop', 'chrome-extension://abcdefghijklmnop'],
  ])('%s is %s', (text, origin) => {
    const pattern = parseOriginPattern(text)!
    expect(singleOrigin(pattern)).toBe(origin)
    expect(isWithin(parseOrigin(origin)!, pattern)).toBe(true)
  })
})

test.each([
  '',
  '*',
  'null',
  'app.example.com',
  '//app.example.com',
  'https://',
  'https://*',
  'https://*:443',
  'https://*.',
  '*://app.example.com',
  'https://*app.example.com',
  'https://app.*.com',
  'https://*.*.example.com',
  'https://*.127.0.0.1',
  'https://*.[::1]',
  'https://app.example.com/',
  'https://app.example.com/path',
  'https://app.example.com?a',
  'https://app.example.com#a',
  'https://jane@app.example.com',
  'https://app.example.com:0',
  'https://app.example.com:65536',
  'https://app.example.com:8*',
  'https://app.example.com:',
  'https://app example.com',
  'https://.example.com',
  'https://a..example.com',
  'https://a%41.example.com',
  'https://app.example.com\\a',
  ' https://app.example.com',
  'https://app.example.com\n',
])('%j is no pattern', (text) => {
  expect(parseOriginPattern(text)).toBeNull()
})

test.each([
  'null',
  '',
  '*',
  'https://app.example.com, https://app.example.com',
  'https://app.example.com https://evil.net',
  'https://App.example.com',
  'HTTPS://app.example.com',
  'https://app.example.com/',
  'https://app.example.com:',
  'https://app.example.com:0443',
  'https://app.example.com:443',
  'http://app.example.com:80',
  'https://jane@app.example.com',
  'https://*.example.com',
  'https://app.example.com\n',
  `https://${'a.'.repeat(150)}example.com`,
])('%j is no origin of a browser', (text) => {
  expect(parseOrigin(text)).toBeNull()
})

describe.each([
  {
    pattern: 'https://*.example.com',
    admits: ['https://example.com', 'https://app.example.com', 'https://a.b.example.com'],
    refuses: [
      'http://app.example.com',
      'https://app.example.com:8443',
      'https://evilexample.com',
      'https://app.example.com.evil.net',
      'https://app-example.com',
      'https://example.com.',
    ],
  },
  {
    pattern: 'https://*.Example.com:8443',
    admits: ['https://app.example.com:8443'],
    refuses: ['https://app.example.com', 'https://app.example.com:84433'],
  },
  {
    pattern: 'http://localhost:*',
    admits: ['http://localhost', 'http://localhost:3000', 'http://localhost:65535'],
    refuses: ['https://localhost:3000', 'http://app.localhost:3000', 'http://localhost.net:3000'],
  },
  {
    pattern: 'https://*.example.com:*',
    admits: ['https://app.example.com', 'https://app.example.com:8443', 'https://example.com:1'],
    refuses: ['https://example.org', 'https://evilexample.com:8443'],
  },
])('$pattern', ({ pattern, admits, refuses }) => {
  const read = parseOriginPattern(pattern)!
  test.each(admits)('admits %s', (origin) => {
    expect(isWithin(parseOrigin(origin)!, read)).toBe(true)
  })
  test.each(refuses)('refuses %s', (origin) => {
    expect(isWithin(parseOrigin(origin)!, read)).toBe(false)
  })
})
