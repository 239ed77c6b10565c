// Fields of some versions only: `since` and `until`, in the order of the allowed versions.
import { describe, expect, test } from 'vitest'
import type { Serializer } from '../../../src/core/ports/serializer.ts'
import type { Settings } from '../../../src/core/ports/settings/settings.ts'
import { field, serializer } from '../../../src/resources/serializers/serializer.ts'
import { URLPathVersioning } from '../../../src/policies/versioning/schemes.ts'
import { requestWith, textOf } from './reading.ts'

const inner = serializer({ a: field.text(), b: field.text({ since: 'v3' }) })
const article = serializer({
  title: field.text(),
  headline: field.text({ source: 'title', until: 'v2', readOnly: true }),
  pages: field.integer({ since: 'v2' }),
  short: field.integer({ since: 'v2', until: 'v3' }),
  inner: field.nested(inner),
})
const row = { title: 'T', pages: 1, short: 2, inner: { a: 'a', b: 'b' } }

const versioned: Partial<Settings> = {
  versioning: new URLPathVersioning(),
  allowedVersions: ['v1', 'v2', null, 'v3'],
}
const settings = requestWith(null, versioned).settings
const inVersion = (version: string | null) => ({ ...requestWith(version), settings })

const full = { pages: 1, inner: { a: 'a', b: 'b' } }

describe('in each version', () => {
  test.each<[version: string | null, expected: object]>([
    ['v1', { title: 'T', headline: 'T', inner: { a: 'a' } }],
    ['v2', { title: 'T', pages: 1, short: 2, inner: { a: 'a' } }],
    ['v3', { title: 'T', ...full }],
    [null, { title: 'T', ...full }],
  ])('%s has its fields', (version, expected) => {
    const request = inVersion(version)
    expect(article.represent(row, request)).toEqual(expected)
    expect(textOf(article, row, request)).toBe(JSON.stringify(expected))
    expect(Object.keys(article.describe(request))).toEqual(Object.keys(expected))
  })

  test('input goes by the same rule', async () => {
    const body = { title: 'T', pages: '3', short: 4, inner: { a: 'a', b: 'b' } }
    const of = (version: string): unknown => article.parse(body, inVersion(version))
    expect(await of('v1')).toEqual({ title: 'T', inner: { a: 'a' } })
    expect(await of('v2')).toEqual({ title: 'T', pages: 3, short: 4, inner: { a: 'a' } })
    expect(await of('v3')).toEqual({ title: 'T', pages: 3, inner: { a: 'a', b: 'b' } })
  })

  test('a renamed field is required by its name in the version (newcomer 9)', async () => {
    const renamed = serializer({
      subject: field.text({ source: 'title', until: 'v2' }),
      title: field.text({ since: 'v2' }),
    })
    const of = (version: string, body: object): Promise<{ title: string }> =>
      Promise.resolve(renamed.parse(body, inVersion(version)))
    expect(await of('v1', { subject: 'T' })).toEqual({ title: 'T' })
    expect(await of('v3', { title: 'T', subject: 'ignored' })).toEqual({ title: 'T' })
    for (const [version, name, body] of [
      ['v1', 'subject', { title: 'T' }],
      ['v2', 'title', { subject: 'T' }],
    ] as const)
      await expect(of(version, body)).rejects.toMatchObject({
        detail: { [name]: [expect.objectContaining({ code: 'required' })] },
      })
  })

  test('a service without versions has the newest', () => {
    expect(article.represent(row, requestWith())).toEqual({ title: 'T', ...full })
  })

  test('endpoints with other versions do not disturb each other', () => {
    const other = requestWith('v2', { ...versioned, allowedVersions: ['v3', 'v2', 'v1'] })
    const two = serializer({ a: field.text({ since: 'v2' }), b: field.text({ since: 'v3' }) })
    const values = { a: 'a', b: 'b' }
    for (let round = 0; round < 3; round++) {
      expect(two.represent(values, other)).toEqual(values)
      expect(two.represent(values, inVersion('v2'))).toEqual({ a: 'a' })
    }
  })

  test('each is made once', () => {
    let asked = 0
    const counted = {
      ...field.text({ since: 'v2' }),
      get show() {
        asked++
        return null
      },
    }
    const some = serializer({ a: counted })
    for (const version of ['v2', 'v1', 'v2', 'v3', 'v1', 'v2']) {
      some.represent({ a: 'x' }, inVersion(version))
    }
    expect(asked).toBe(2) // in v2 and v3
  })
})

describe('when the service starts', () => {
  const check = (fields: Parameters<typeof serializer>[0], more: Partial<Settings> = {}) =>
    serializer(fields).check({ ...settings, ...more })

  test.each<[title: string, said: string | null, expected: string | null]>([
    ['nothing is wrong', article.check(settings), null],
    ['with no versions at all', article.check(requestWith().settings), null],
    [
      'an unknown first version',
      check({ a: field.text({ since: 'v9' }) }),
      'The field "a" is bound to the version "v9", which is not among the allowedVersions.',
    ],
    [
      'an unknown last version',
      check({ a: field.text({ until: 'v9' }) }),
      'The field "a" is bound to the version "v9", which is not among the allowedVersions.',
    ],
    [
      'an end before the beginning',
      check({ a: field.text({ since: 'v2', until: 'v2' }) }),
      'The field "a" ends with "v2" before it begins with "v2".',
    ],
    [
      'versions without an order',
      check({ a: field.text({ since: 'v2' }) }, { allowedVersions: null }),
      'The field "a" is of some versions only: that needs allowedVersions, in their order.',
    ],
    [
      'a default without a place',
      check({ a: field.text({ since: 'v2' }) }, { defaultVersion: 'v0' }),
      'The field "a" is of some versions only, and the defaultVersion "v0" has no place among the allowedVersions.',
    ],
    [
      'a place that two write in one version',
      check({ a: field.text({ until: 'v3' }), b: field.text({ since: 'v2', source: 'a' }) }),
      'The fields "a" and "b" of a serializer both write "a".',
    ],
    [
      'a place that one writes after the other',
      check({ a: field.text({ until: 'v2' }), b: field.text({ since: 'v2', source: 'a' }) }),
      null,
    ],
    [
      'something within lists of objects',
      check({ a: field.list(field.nested(serializer({ b: field.text({ since: 'v9' }) }))) }),
      'The field "b" is bound to the version "v9", which is not among the allowedVersions.',
    ],
    [
      'something within dictionaries',
      check({
        a: field.dictionary(field.nested(() => serializer({ b: field.text({ since: 'v9' }) }))),
      }),
      'The field "b" is bound to the version "v9", which is not among the allowedVersions.',
    ],
  ])('%s', (_, said, expected) => {
    expect(said).toBe(expected)
  })

  test('a serializer that holds itself is asked once', () => {
    const held: { tree: Serializer } = { tree: { represent: () => null } }
    const within = field.nested(() => held.tree, { readOnly: true })
    held.tree = serializer({ a: within, b: field.list(within) })
    expect(held.tree.check?.(settings)).toBeNull()
    held.tree = serializer({
      a: field.nested(() => held.tree, { readOnly: true }),
      b: field.text({ since: 'v9' }),
    })
    expect(held.tree.check?.(settings)).toMatch('"v9"')
  })

  test('what nobody checked is a mistake of ours at the first request', () => {
    const wrong = serializer({ a: field.text({ since: 'v9' }) })
    expect(() => wrong.represent({ a: 'x' }, inVersion('v1'))).toThrow('"v9"')
    const unlisted = serializer({ a: field.text({ since: 'v2' }) })
    expect(() => unlisted.represent({ a: 'x' }, inVersion('v7'))).toThrow('"v7"')
  })
})
