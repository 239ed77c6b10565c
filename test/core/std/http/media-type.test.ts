import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { essenceOf, parseMediaType } from '../../../../src/core/std/http/media-type.ts'
import { CHARACTER } from '../../../setup/characters.ts'

describe('a media type', () => {
  test.each([
    ['B1 type and subtype lose their case', 'APPLICATION/Json', 'application/json', {}],
    ['B3 parameters come along', 'text/plain; charset="UTF-8"', 'text/plain', { charset: 'UTF-8' }],
    ['V25 vendor types are types', 'application/vnd.a.b+json', 'application/vnd.a.b+json', {}],
    ['wildcards are read as they are', '*/*; indent=2', '*/*', { indent: '2' }],
  ])('%s', (_, text, essence, parameters) => {
    const mediaType = parseMediaType(text)
    expect(mediaType && essenceOf(mediaType)).toBe(essence)
    expect({ ...mediaType?.parameters }).toEqual(parameters)
  })

  test.each([
    '',
    'json',
    '/',
    'a/',
    '/b',
    'a/b/c',
    'a b/c',
    'a/b c',
    '*',
    'text/html, a/b',
    'é/b',
    '"a/b"',
  ])('is not %j', (text) => expect(parseMediaType(text)).toBe(null))

  test('any text is a type or none, and no error', () => {
    fc.assert(
      fc.property(fc.string({ unit: CHARACTER }), (text) => {
        expect(() => parseMediaType(text)).not.toThrow()
      }),
    )
  })
})
