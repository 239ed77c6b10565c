import { describe, expect, test } from 'vitest'
import { BUILT_IN } from '../../../src/preset/built-in.ts'
import { TokenAuthentication } from '../../../src/policies/authentication/token.ts'
import { ConfigurationError } from '../../../src/core/errors/configuration-error.ts'
import { PageNumberPagination } from '../../../src/policies/pagination/page-number.ts'
import { AllowAny } from '../../../src/policies/permissions/builtin.ts'
import { classFromValue, functionFromValue } from '../../../src/core/settings/class-values.ts'
import { URLPathVersioning } from '../../../src/policies/versioning/schemes.ts'
import { tokens } from '../../behaviour/fixtures.ts'

class Free {
  readonly given: object
  constructor(given: object) {
    this.given = given
  }
}
class Strict extends Free {
  static readonly options: readonly string[] = ['someSize']
}
class BearerAuthentication extends TokenAuthentication {
  override readonly keyword = 'Bearer'
}
const ready = { hasPermission: () => true }
const makeUser = (): object => ({})
const own = { Free, Strict, ready, makeUser, BearerAuthentication }
const registry = { named: { ...BUILT_IN, ...own }, services: { tokens } }
const made = (value: unknown): unknown => classFromValue(value, 'KEY (file)', registry)

describe('class values', () => {
  test.each<[value: unknown, kind: unknown]>([
    ['AllowAny', AllowAny],
    ['PageNumberPagination', PageNumberPagination],
    [
      { class: 'PageNumberPagination', page_size: 10, page_size_query_param: 'size' },
      PageNumberPagination,
    ],
    [
      { class: 'PageNumberPagination', django_paginator_class: 'StandardPaginator' },
      PageNumberPagination,
    ],
    [
      {
        class: 'URLPathVersioning',
        default_version: 'v1',
        allowed_versions: ['v1'],
        version_param: 'v',
      },
      URLPathVersioning,
    ],
    ['TokenAuthentication', TokenAuthentication],
    [{ class: 'TokenAuthentication', keyword: 'Bearer' }, TokenAuthentication],
    ['Free', Free],
  ])('%j', (value, kind) => {
    expect(made(value)).toBeInstanceOf(kind as new () => unknown)
  })

  test('null is none', () => expect(made(null)).toBeNull())
  test('attributes as the document spells them become options', () => {
    expect(made({ class: 'Free', some_size: 1, x: 'y' })).toEqual(new Free({ someSize: 1, x: 'y' }))
    expect(made({ class: 'Strict', some_size: 1 })).toEqual(new Strict({ someSize: 1 }))
    expect(
      (made({ class: 'TokenAuthentication', keyword: 'Bearer' }) as TokenAuthentication).keyword,
    ).toBe('Bearer')
  })
  test('an attribute may be a class itself', () => {
    expect(made({ class: 'Free', inner_class: 'AllowAny' })).toEqual(
      new Free({ inner: new AllowAny() }),
    )
  })
  test('each naming makes one of its own', () =>
    expect(made('AllowAny')).not.toBe(made('AllowAny')))
  test('a ready-made object is used as it is', () => expect(made('ready')).toBe(ready))
  test('an application may replace a class of ours', () => {
    const replaced = { named: { ...BUILT_IN, AllowAny: Free }, services: {} }
    expect(classFromValue('AllowAny', 'KEY', replaced)).toBeInstanceOf(Free)
  })

  test.each<[title: string, value: unknown, message: RegExp]>([
    [
      'a name that nobody registered',
      'AlowAny',
      /^KEY \(file\) names "AlowAny", which is not registered\. Did you mean "AllowAny"\? .*defineApi\(\{ classes \}\)/,
    ],
    ['a name of every object', 'constructor', /names "constructor", which is not registered/],
    ['the word of the document for none', 'None', /registered\. For no class write null, and/],
    ['a name that is like nothing', 'Xyzzyplugh', /which is not registered\. An application/],
    [
      'an unknown attribute',
      { class: 'PageNumberPagination', pagesize: 10 },
      /^KEY \(file\), class PageNumberPagination: there is no attribute "pagesize"\. Did you mean "page_size"\?$/,
    ],
    [
      'one of a class with options of its own',
      { class: 'Strict', some_syze: 1 },
      /class Strict: there is no attribute "some_syze"\. Did you mean "some_size"\?/,
    ],
    ['one of a class without any', { class: 'AllowAny', x: 1 }, /there is no attribute "x"\.$/],
    ['one of a ready-made object', { class: 'ready', x: 1 }, /there is no attribute "x"/],
    [
      'a nested class that nobody registered',
      { class: 'PageNumberPagination', django_paginator_class: 'StandardPaginater' },
      /class PageNumberPagination names "StandardPaginater".*"StandardPaginator"/,
    ],
    ['an object without a class', { page_size: 10 }, /must be a class name, or \{"class": name/],
    ['a class that is no text', { class: 7 }, /must be a class name/],
    ['a number', 7, /must be a class name.*is 7/],
    ['a list', ['AllowAny'], /must be a class name/],
  ])('%s is refused', (_, value, message) => {
    expect(() => made(value)).toThrow(ConfigurationError)
    expect(() => made(value)).toThrow(message)
  })

  test('a variant of a scheme of ours gets the accounts too', () => {
    expect(made('BearerAuthentication')).toBeInstanceOf(TokenAuthentication)
  })

  test.each([
    ['page_size', 'ten'],
    ['page_size', 1.5],
    ['page_query_param', ''],
    ['last_page_strings', 'end'],
    ['max_page_size', '5'],
  ])('an attribute of the wrong type is refused: %s', (attribute, value) => {
    const wrong = { class: 'PageNumberPagination', [attribute]: value }
    expect(() => made(wrong)).toThrow(/^PageNumberPagination: ".*" must be a .*, but is /)
  })

  test('TokenAuthentication without accounts says what it needs', () => {
    const without = { named: BUILT_IN, services: {} }
    expect(() => classFromValue('TokenAuthentication', 'KEY', without)).toThrow(
      /needs the tokens of an application with accounts.*defineApi\(\{ accounts \}\)/,
    )
  })
})

describe('functions and factories', () => {
  const found = (value: unknown): unknown => functionFromValue(value, 'KEY', registry)

  test('a function by its name', () => expect(found('makeUser')).toBe(makeUser))
  test('a class is called as a factory', () => {
    expect((found('Free') as () => unknown)()).toBeInstanceOf(Free)
  })
  test('null is none', () => expect(found(null)).toBeNull())
  test.each([7, {}, ['makeUser']])('%j is no name', (value) => {
    expect(() => found(value)).toThrow(/^KEY must be a registered name, but is /)
  })
  test('a name that nobody registered', () => expect(() => found('makeUsr')).toThrow(/"makeUser"/))
})

test('register knows classes from functions', () => {
  expect(made({ class: 'Free', a: 1 })).toEqual(new Free({ a: 1 }))
  expect(made('makeUser')).toBe(makeUser)
  expect(() => made({ class: 'makeUser', a: 1 })).toThrow(/there is no attribute "a"/)
  expect(() => made({ class: 'Strict', a: 1 })).toThrow(/there is no attribute "a"/)
})
