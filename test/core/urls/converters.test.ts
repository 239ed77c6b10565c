import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CONVERTERS, type Converter, choiceOf } from '../../../src/core/urls/converters.ts'
import { CHARACTER } from '../../setup/characters.ts'

const UUID = '0f8fad5b-d9cb-469f-a165-70867728950e'
const { int, uuid, slug, str, path } = CONVERTERS

describe('a text is read as a value', () => {
  for (const [title, converter, text, value] of [
    ['int: digits', int, '42', 42],
    ['int: zeros in front', int, '007', 7],
    ['int: the largest safe integer', int, '9007199254740991', 9007199254740991],
    ['int: one more is none', int, '9007199254740992', undefined],
    ['int: more digits are none', int, '00000000000000001', undefined],
    ['int: no sign', int, '-1', undefined],
    ['int: no fraction', int, '1.0', undefined],
    ['int: no exponent', int, '1e3', undefined],
    ['int: no space', int, ' 1', undefined],
    ['int: no other digits', int, '١', undefined],
    ['int: not empty', int, '', undefined],
    ['uuid: lower case', uuid, UUID, UUID],
    ['uuid: upper case is given back as lower case', uuid, UUID.toUpperCase(), UUID],
    ['uuid: dashes are needed', uuid, UUID.replaceAll('-', ''), undefined],
    [
      'uuid: dashes stand where they stand',
      uuid,
      `0${UUID.slice(0, 8)}${UUID.slice(9)}`,
      undefined,
    ],
    ['uuid: hexadecimal only', uuid, UUID.replace('f', 'g'), undefined],
    ['uuid: no braces', uuid, `{${UUID}}`, undefined],
    ['slug: letters, digits, dash and underscore', slug, '-aZ_9', '-aZ_9'],
    ['slug: no other letters', slug, 'é', undefined],
    ['slug: no at sign, which is next to A', slug, '@', undefined],
    ['slug: no brackets, which are next to Z', slug, '[', undefined],
    ['slug: no dot', slug, 'a.b', undefined],
    ['slug: not empty', slug, '', undefined],
    ['str: anything', str, 'a/ü\0', 'a/ü\0'],
    ['str: not empty', str, '', undefined],
    ['path: slashes', path, 'a//b/', 'a//b/'],
    ['path: not empty', path, '', undefined],
    ['choices: one of them', choiceOf(['v1', 'v2']), 'v2', 'v2'],
    ['choices: no other', choiceOf(['v1', 'v2']), 'v3', undefined],
    ['choices: case counts', choiceOf(['v1', 'v2']), 'V1', undefined],
  ] as const) {
    test(title, () => expect(converter.parse(text)).toBe(value))
  }
})

describe('a value is written as text', () => {
  for (const [title, converter, value, text] of [
    ['int: a number', int, 42, '42'],
    ['int: zero', int, 0, '0'],
    ['int: no negative number', int, -1, undefined],
    ['int: no fraction', int, 1.5, undefined],
    ['int: not NaN', int, Number.NaN, undefined],
    ['int: nothing unsafe', int, 2 ** 53, undefined],
    ['int: no text, which would come back as a number', int, '42', undefined],
    ['uuid: upper case becomes lower case', uuid, UUID.toUpperCase(), UUID],
    ['uuid: no other text', uuid, 'x', undefined],
    ['slug: a slug', slug, 'a-b', 'a-b'],
    ['slug: no other text', slug, 'a b', undefined],
    ['str: a text', str, 'a/b', 'a/b'],
    ['str: not empty', str, '', undefined],
    ['str: no number, which would come back as text', str, 1, undefined],
    ['path: not null', path, null, undefined],
    ['choices: one of them', choiceOf(['v1', 'v2']), 'v1', 'v1'],
    ['choices: no other', choiceOf(['v1', 'v2']), 'v3', undefined],
  ] as const) {
    test(title, () => expect(converter.format(value)).toBe(text))
  }
})

const converters: readonly Converter[] = [...Object.values(CONVERTERS), choiceOf(['a', 'b'])]

const texts = fc.oneof(
  fc.string({ unit: CHARACTER }),
  fc.stringMatching(/^[-\w]{1,8}$/),
  fc.stringMatching(/^\d{1,16}$/),
  fc.uuid().map((text) => text.toUpperCase()),
  fc.constantFrom('a', 'b'),
)

test('what is written is read as the same value, with small letters in UUIDs', () => {
  const values = fc.oneof(texts, fc.maxSafeNat(), fc.double(), fc.constantFrom(null, true, [], {}))
  fc.assert(
    fc.property(fc.constantFrom(...converters), values, (converter, value) => {
      const text = converter.format(value)
      fc.pre(text !== undefined)
      const same = converter === uuid ? (value as string).toLowerCase() : value
      expect(converter.parse(text)).toBe(Object.is(value, -0) ? 0 : same)
    }),
    { numRuns: 500 },
  )
})

test('what is read is written as it was read, but for zeros in front and capital letters', () => {
  fc.assert(
    fc.property(fc.constantFrom(...converters), texts, (converter, text) => {
      const value = converter.parse(text)
      fc.pre(value !== undefined)
      const written = converter.format(value)
      if (converter === int) return written === String(Number(text))
      return written === (converter === uuid ? text.toLowerCase() : text)
    }),
    { numRuns: 500 },
  )
})
