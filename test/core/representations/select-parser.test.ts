import { describe, expect, test } from 'vitest'
import type { Parser } from '../../../src/core/ports/parsing.ts'
import { UnsupportedMediaType } from '../../../src/core/errors/api-errors.ts'
import { selectParser } from '../../../src/core/representations/negotiate.ts'

const DEFAULT = ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data']

describe('the choice of a parser', () => {
  test.each([
    ['B1 by type', DEFAULT, 'multipart/form-data; boundary=x', 'multipart/form-data'],
    ['B1 whatever its case', DEFAULT, 'APPLICATION/json', 'application/json'],
    ['B1 parameters do not matter', DEFAULT, 'application/json; charset=utf-8', 'application/json'],
    ['B1 unless the parser names some', ['a/b;v=2', 'a/b'], 'a/b; v=1', 'a/b'],
    ['B1 the first that fits', ['a/b', 'a/b;v=2'], 'a/b; v=2', 'a/b'],
    ['B6 a parser may read anything', ['application/json', '*/*'], 'image/png', '*/*'],
    ['B6 or anything of a kind', ['image/*'], 'image/png', 'image/*'],
    ['B6 also what a client calls a range', ['image/*', '*/*'], '*/*', '*/*'],
    ['B6 of its kind', ['image/png', 'image/*'], 'image/*', 'image/*'],
  ])('%s', (_, parsers, contentType, chosen) => {
    expect(selectParser(parsers.map(parserOf), contentType).parser.mediaType).toBe(chosen)
  })

  test('bodies of one endpoint may have a type each', () => {
    const parsers = DEFAULT.map(parserOf)
    const choose = (contentType: string) => selectParser(parsers, contentType)
    for (let turn = 0; turn < 2; turn++) {
      expect(choose('application/json').parser).toBe(parsers[0])
      expect(choose('multipart/form-data; boundary=x').type.parameters['boundary']).toBe('x')
      expect(choose('multipart/form-data; boundary=y').type.parameters['boundary']).toBe('y')
      expect(() => choose('')).toThrow(UnsupportedMediaType)
    }
  })

  test('the type is handed on without case, its parameters with their values as sent', () => {
    const { type } = selectParser([parserOf('a/b')], 'A/B; Charset="UTF-8"')
    expect(type.type).toBe('a/b')
    expect({ ...type.parameters }).toEqual({ charset: 'UTF-8' })
  })

  test.each([
    ['B2 no Content-Type has an empty name', DEFAULT, null, '""'],
    ['B2 so has an empty one', DEFAULT, '', '""'],
    [
      'B2 vendor types are other types',
      DEFAULT,
      'application/vnd.api+json',
      '"application/vnd.api+json"',
    ],
    ['B1 what is no media type', DEFAULT, 'json', '"json"'],
    ['a range is no type of a body', DEFAULT, '*/*', '"*/*"'],
    ['two types are none', DEFAULT, 'application/json, text/html', '"application/json, text/html"'],
    ['no parsers read nothing', [], 'application/json', '"application/json"'],
  ])('415: %s', (_, parsers, contentType, name) => {
    const select = () => selectParser(parsers.map(parserOf), contentType)
    expect(select).toThrow(UnsupportedMediaType)
    expect(select).toThrow(name)
  })

  test('an endless Content-Type is not repeated in full', () => {
    const select = () => selectParser([], 'x'.repeat(16_000))
    expect(select).toThrow(/^.{100,200}$/)
  })
})

function parserOf(mediaType: string): Parser {
  return { mediaType, parse: () => null }
}
