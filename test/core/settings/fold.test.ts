import { describe, expect, test } from 'vitest'
import { DEFAULTS } from '../../../src/preset/built-in.ts'

import { ConfigurationError } from '../../../src/core/errors/configuration-error.ts'
import { AllowAny, IsAuthenticated } from '../../../src/policies/permissions/builtin.ts'
import { type Layer, describe as shown, fold } from '../../../src/core/settings/fold.ts'
import { KEYS, SETTING_NAMES } from '../../../src/core/settings/endpoint-settings.ts'

const layer = (name: string, values: object): { name: string; values: Layer } => ({ name, values })
const one = [new AllowAny()]
const other = [new IsAuthenticated()]

describe('the last word wins, nothing merges', () => {
  test.each<
    [title: string, layers: object[], setting: keyof typeof KEYS, value: unknown, from: string]
  >([
    ['no layer: the default', [], 'versionParam', 'version', 'defaults'],
    ['one layer', [{ pageSize: 5 }], 'pageSize', 5, 'layer 0'],
    ['the inner one', [{ pageSize: 5 }, { pageSize: 7 }], 'pageSize', 7, 'layer 1'],
    [
      'a layer that says something else',
      [{ pageSize: 5 }, { versionParam: 'v' }],
      'pageSize',
      5,
      'layer 0',
    ],
    [
      'undefined says nothing',
      [{ pageSize: 5 }, { pageSize: undefined }],
      'pageSize',
      5,
      'layer 0',
    ],
    ['null switches off', [{ pageSize: 5 }, { pageSize: null }], 'pageSize', null, 'layer 1'],
    [
      'and on again',
      [{ pageSize: 5 }, { pageSize: null }, { pageSize: 9 }],
      'pageSize',
      9,
      'layer 2',
    ],
    [
      'a list replaces a list',
      [{ permissions: one }, { permissions: other }],
      'permissions',
      other,
      'layer 1',
    ],
    [
      'an empty list too',
      [{ permissions: one }, { permissions: [] }],
      'permissions',
      [],
      'layer 1',
    ],
    [
      'null as default version',
      [{ defaultVersion: 'v1' }, { defaultVersion: null }],
      'defaultVersion',
      null,
      'layer 1',
    ],
  ])('%s', (_, layers, setting, value, from) => {
    const named = layers.map((values, index) => layer(`layer ${index}`, values))
    const { settings, provenance } = fold(DEFAULTS, named)
    expect([settings[setting], provenance[setting]]).toEqual([value, from])
  })

  test('the result cannot be changed, and the layers are not', () => {
    const values = { permissions: one }
    const { settings, provenance } = fold(DEFAULTS, [layer('api', values)])
    expect([Object.isFrozen(settings), Object.isFrozen(provenance)]).toEqual([true, true])
    expect(values).toEqual({ permissions: one })
  })

  test('every setting has a value and a layer that said it', () => {
    const { settings, provenance } = fold(DEFAULTS, [])
    expect(Object.keys(settings).toSorted()).toEqual([...SETTING_NAMES].toSorted())
    expect(Object.keys(provenance).toSorted()).toEqual([...SETTING_NAMES].toSorted())
  })
})

describe('what is wrong is said at once, with its layer', () => {
  test.each<[title: string, values: object, message: RegExp]>([
    [
      'an unknown setting',
      { pagesize: 5 },
      /^api: there is no setting "pagesize"\. Did you mean "pageSize"\?$/,
    ],
    ['one that is like nothing', { xyzzy: 5 }, /^api: there is no setting "xyzzy"\.$/],
    ['a key of the document', { PAGE_SIZE: 5 }, /^api: there is no setting "PAGE_SIZE"/],
    ['a name of every object', { constructor: 5 }, /^api: there is no setting "constructor"/],
    [
      'a text for a number',
      { pageSize: '5' },
      /^api: "pageSize" must be a whole number of at least 1, or null, but is "5"\.$/,
    ],
    ['0 for a number', { pageSize: 0 }, /is 0/],
    ['a fraction', { pageSize: 1.5 }, /is 1\.5/],
    ['a number beyond all numbers', { pageSize: Number.POSITIVE_INFINITY }, /"pageSize"/],
    [
      'one for a list',
      { permissions: new AllowAny() },
      /"permissions" must be a list.*is AllowAny/,
    ],
    ['a class instead of an instance', { permissions: [AllowAny] }, /is \[AllowAny\]/],
    ['null for a list', { authentication: null }, /"authentication" must be a list.*is null/],
    ['an empty text', { versionParam: '' }, /"versionParam" must be a text that is not empty/],
    ['null for a text', { versionParam: null }, /"versionParam"/],
    [
      'an empty list of versions',
      { allowedVersions: [] },
      /"allowedVersions" must be a list of texts with at least one/,
    ],
    ['numbers as versions', { allowedVersions: [1] }, /is \[1\]/],
    ['an object for a function', { exceptionHandler: {} }, /"exceptionHandler"/],
    [
      'a text for a class',
      { pagination: 'PageNumberPagination' },
      /"pagination" must be a class name or null/,
    ],
  ])('%s', (_, values, message) => {
    const folding = (): unknown => fold(DEFAULTS, [layer('api', values)])
    expect(folding).toThrow(ConfigurationError)
    expect(folding).toThrow(message)
  })
})

test.each<[value: unknown, text: string]>([
  [new AllowAny(), 'AllowAny'],
  [[new AllowAny(), 'x'], '[AllowAny, "x"]'],
  [{}, 'an object'],
  [null, 'null'],
  [undefined, 'undefined'],
  [AllowAny, 'AllowAny'],
  [() => 1, 'a function'],
  ['x', '"x"'],
  [Object.create(null), 'an object'],
])('%o is shown as %s', (value, text) => {
  expect(shown(value)).toBe(text)
})
