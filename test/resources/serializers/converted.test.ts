// Fields that a version has in another form than rows: split, joined, moved, wrapped, or with other values.
import { describe, expect, test } from 'vitest'
import { ValidationError } from '../../../src/core/errors/api-errors.ts'
import { ConfigurationError } from '../../../src/core/errors/configuration-error.ts'
import type { Settings } from '../../../src/core/ports/settings/settings.ts'
import { converted } from '../../../src/resources/serializers/conversion.ts'
import { pick } from '../../../src/resources/serializers/derive.ts'
import { field, serializer } from '../../../src/resources/serializers/serializer.ts'
import { URLPathVersioning } from '../../../src/policies/versioning/schemes.ts'
import { requestWith } from './reading.ts'

const versioned: Partial<Settings> = {
  versioning: new URLPathVersioning(),
  allowedVersions: ['v1', 'v2', 'v3'],
}
const { settings } = requestWith(null, versioned)
const inVersion = (version: string | null) => ({ ...requestWith(version), settings })
const parse = async (of: { parse: Function }, version: string, body: object, how?: object) =>
  of.parse(body, inVersion(version), how) as unknown

interface Row {
  first: string
  last: string
  street: string
  town: string
  state: 'open' | 'closed'
}

const row: Row & { id: number } = {
  id: 1,
  first: 'Ada',
  last: 'King Noel',
  street: 'Kai 3',
  town: 'Oslo',
  state: 'closed',
}

const patient = serializer({
  id: field.integer({ readOnly: true }),
  // Split in v2.
  ...converted(
    { name: field.text({ maxLength: 40 }) },
    {
      until: 'v2',
      show: ({ first, last }: Pick<Row, 'first' | 'last'>) => ({ name: `${first} ${last}` }),
      read: ({ name }) => {
        const [first = '', ...others] = name.split(' ')
        if (others.length === 0) throw new ValidationError('A first and a last name, please.')
        return { first, last: others.join(' ') }
      },
    },
  ),
  first: field.text({ since: 'v2' }),
  last: field.text({ since: 'v2' }),
  // Wrapped in v3.
  street: field.text({ until: 'v3' }),
  town: field.text({ until: 'v3' }),
  ...converted(
    { address: field.nested(serializer({ street: field.text(), town: field.text() })) },
    {
      since: 'v3',
      show: ({ street, town }: Pick<Row, 'street' | 'town'>) => ({ address: { street, town } }),
      read: ({ address }) => address,
    },
  ),
  // An enumeration in v2.
  ...converted(
    { isOpen: field.boolean() },
    {
      until: 'v2',
      show: ({ state }: Pick<Row, 'state'>) => ({ isOpen: state === 'open' }),
      read: ({ isOpen }) => ({ state: isOpen ? ('open' as const) : ('closed' as const) }),
    },
  ),
  state: field.choice(['open', 'closed'], { since: 'v2' }),
})

const address = { street: 'Kai 3', town: 'Oslo' }
const shown = {
  v1: { id: 1, name: 'Ada King Noel', ...address, isOpen: false },
  v2: { id: 1, first: 'Ada', last: 'King Noel', ...address, state: 'closed' },
  v3: { id: 1, first: 'Ada', last: 'King Noel', address, state: 'closed' },
}
const versions = ['v1', 'v2', 'v3'] as const
const { id: _id, ...stored } = row

describe('in each version', () => {
  test.each(versions)('%s shows its form, and stores the same for it', async (version) => {
    const request = inVersion(version)
    expect(patient.represent(row, request)).toEqual(shown[version])
    const columns = Object.keys(row)
    const table = { columns, values: [Object.values(row)] }
    expect(patient.fromTable(table, request)).toEqual([shown[version]])
    expect(await parse(patient, version, shown[version])).toEqual(stored)
  })

  test.each(versions)('%s has its form in OPTIONS and in documents', (version) => {
    const request = inVersion(version)
    const names = Object.keys(shown[version]).toSorted()
    expect(Object.keys(patient.describe(request)).toSorted()).toEqual(names)
    for (const direction of ['output', 'input'] as const) {
      const place = { direction, name: 'Patient', version, settings, refer: () => ({}) }
      const { properties } = patient.schema(place) as { properties: object }
      const expected = direction === 'output' ? names : names.filter((name) => name !== 'id')
      expect(Object.keys(properties).toSorted()).toEqual(expected)
    }
  })
})

describe('what clients send is checked in their form', () => {
  test.each<[title: string, body: object, expected: object]>([
    ['a value', { ...shown.v1, name: [] }, { name: [{ code: 'invalid' }] }],
    ['a limit', { ...shown.v1, name: 'a '.repeat(40) }, { name: [{ code: 'max_length' }] }],
    ['one that is missing', { ...shown.v1, name: undefined }, { name: [{ code: 'required' }] }],
    ['one of two', { ...shown.v1, isOpen: null }, { isOpen: [{ code: 'null' }] }],
    [
      'what the conversion refuses',
      { ...shown.v1, name: 'Ada' },
      { name: [{ message: 'A first and a last name, please.' }] },
    ],
  ])('%s', async (_title, body, expected) => {
    await expect(parse(patient, 'v1', body)).rejects.toMatchObject({ detail: expected })
  })

  test('members of other versions are ignored', async () => {
    const sent = { ...shown.v1, first: 'X', state: 'open', address: null }
    expect(await parse(patient, 'v1', sent)).toEqual(stored)
  })
})

describe('partial updates', () => {
  const name = serializer({
    first: field.text({ since: 'v2' }),
    last: field.text({ since: 'v2' }),
    ...converted(
      { given: field.text(), family: field.text({ nullable: true }) },
      {
        until: 'v2',
        show: (of: { first: string; last: string }) => ({
          given: of.first,
          family: of.last || null,
        }),
        read: ({ given, family }) => ({ first: given, last: family ?? '' }),
      },
    ),
  })
  const existing = { first: 'Ada', last: '' }

  test.each<[sent: object, expected: object]>([
    [{ given: 'Eva' }, { first: 'Eva', last: '' }],
    [{ family: 'King' }, { first: 'Ada', last: 'King' }],
    [{ family: null }, { first: 'Ada', last: '' }],
    [{}, {}],
  ])('%j', async (sent, expected) => {
    expect(await parse(name, 'v1', sent, { partial: true, existing })).toEqual(expected)
  })

  test('a value that is null is shown as null', () => {
    expect(name.represent(existing, inVersion('v1'))).toEqual({ given: 'Ada', family: null })
  })
})

test('an error about a member of the input has the name that the version has', async () => {
  const request = inVersion('v1')
  await patient.parse(shown.v1, request)
  const named = ['first', 'last', 'state', 'street', 'id2'].map((of) => patient.nameOf(of, request))
  expect(named).toEqual(['name', 'name', 'isOpen', 'street', null])
  expect(patient.nameOf('first', inVersion('v2'))).toBe('first')
})

test('without a way back, the fields are only shown', async () => {
  const some = serializer({
    ...converted(
      { shout: field.text() },
      { until: 'v2', show: (of: { word: string }) => ({ shout: of.word.toUpperCase() }) },
    ),
    word: field.text(),
  })
  expect(some.represent({ word: 'oh' }, inVersion('v1'))).toEqual({ shout: 'OH', word: 'oh' })
  expect(await parse(some, 'v1', { shout: 'X', word: 'oh' })).toEqual({ word: 'oh' })
})

test('serializers that are made of it keep what they pick', () => {
  const brief = pick(patient, ['id', 'name'])
  expect(brief.represent(row, inVersion('v1'))).toEqual({ id: 1, name: 'Ada King Noel' })
  expect(brief.represent(row, inVersion('v2'))).toEqual({ id: 1 })
})

test.each<[title: string, make: () => unknown, expected: string]>([
  [
    'of all versions',
    () => converted({ a: field.text() }, { show: () => ({ a: '' }) }),
    'The fields "a" are converted in no version: say since or until.',
  ],
  [
    'with a source',
    () => converted({ a: field.text({ source: 'b' }) }, { until: 'v2', show: () => ({ a: '' }) }),
    'The field "a" is converted from the row, and has a source.',
  ],
  [
    'shown by an async function',
    () => converted({ a: field.text() }, { until: 'v2', show: (async () => ({ a: '' })) as never }),
    'The fields "a": "show" is an async function. It gives its values at once: await what it needs where the row is found or stored.',
  ],
  [
    'read by an async function',
    () =>
      converted(
        { a: field.text(), b: field.text() },
        { until: 'v2', show: () => ({ a: '', b: '' }), read: (async () => ({ c: '' })) as never },
      ),
    'The fields "a", "b": "read" is an async function.',
  ],
])('%s', (_title, make, expected) => {
  expect(make).toThrow(ConfigurationError)
  expect(make).toThrow(expected)
})

describe.each<[title: string, gives: () => unknown, problem: string]>([
  ['a promise', async () => ({ c: '' }), 'gives a promise. It gives its values at once'],
  ['a promise that fails', async () => Promise.reject(new Error('later')), 'gives a promise.'],
  ['null', () => null, 'gives no object of values.'],
  ['nothing', () => undefined, 'gives no object of values.'],
  ['a text', () => 'c', 'gives no object of values.'],
  ['a list', () => ['c'], 'gives no object of values.'],
])('a conversion that gives %s', (_title, gives, problem) => {
  const made = (own: object) =>
    serializer({
      ...converted({ a: field.text() }, { until: 'v2', show: () => ({ a: '' }), ...own }),
      c: field.text({ since: 'v2' }),
    })
  // Not by an async function: these are found at once.
  const plain = () => gives()

  test('is an error of the program where a body is read, and nothing is stored', async () => {
    const parsing = parse(made({ read: plain }), 'v1', { a: 'x' })
    await expect(parsing).rejects.toThrow(`The fields "a": "read" ${problem}`)
    await expect(parsing).rejects.toThrow(ConfigurationError)
  })

  test('is one where a row is shown, or kept in part', async () => {
    const own = made({ show: plain, read: () => ({ c: '' }) })
    const expected = `The fields "a": "show" ${problem}`
    expect(() => own.represent({ c: '' }, inVersion('v1'))).toThrow(expected)
    const how = { partial: true, existing: { c: '' } }
    await expect(parse(own, 'v1', { a: 'x' }, how)).rejects.toThrow(expected)
  })
})
