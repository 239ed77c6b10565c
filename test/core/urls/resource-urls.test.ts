import { expect, test } from 'vitest'
import { ConfigurationError, resourceUrls } from '../../../src/index.ts'

test.each([
  ['/articles/', ':id<int>', '/articles/:id<int>/'],
  ['/articles', ':id<int>', '/articles/:id<int>'],
  ['/', ':slug', '/:slug/'],
  ['/:version<v1|v2>/articles/', ':id', '/:version<v1|v2>/articles/:id/'],
] as const)('X1 %s and %s', (prefix, lookup, detail) => {
  expect(resourceUrls('article', prefix, lookup)).toEqual({
    'article-list': prefix,
    'article-detail': detail,
  })
})

test('a look-up is a parameter', () => {
  expect(() => resourceUrls('article', '/articles/', 'id' as ':id')).toThrow(ConfigurationError)
})
