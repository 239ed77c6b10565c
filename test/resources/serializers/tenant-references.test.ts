// Rows that a body refers to, one by one: the grid of whole services is in test/resources/resource/tenant-scope.test.ts.
import { expect, test } from 'vitest'
import { ConfigurationError } from '../../../src/index.ts'
import { Tenancy, relationProblem } from '../../../src/resources/serializers/tenant-references.ts'

type Values = ConstructorParameters<typeof Tenancy>[0]
type Relation = Parameters<Tenancy['find']>[1]
type Asked = Parameters<Tenancy['find']>[2]
const request = { endpointName: 'book' } as Asked
const none = { scope: {}, above: {}, keys: {}, tenant: [], row: null, isOpen: false }
const under = (values: Partial<Values>) => new Tenancy({ ...none, ...values })
const giving = (row: unknown, scope?: Relation['scope']): Relation => ({ find: () => row, scope })

test.each([
  ['one of several values', { org: [1, 2] }, { org: 2 }, true],
  ['none of them', { org: [1, 2] }, { org: 3 }, false],
  ['a text that writes the number', { org: '2' }, { org: 2n }, true],
  ['a boolean as a database keeps it', { open: true }, { open: 1 }, true],
  ['the other boolean', { open: false }, { open: 1 }, false],
  ['false as a database keeps it', { open: false }, { open: 0 }, true],
])('a row within the scope of the request: %s', async (_, scope, row, isFound) => {
  const found = await under({ scope }).at('shelf').find(7, giving(row), request)
  expect(found).toBe(isFound ? row : null)
})

test.each([
  ['the same', { floor: 3 }, undefined, true],
  ['another', { floor: 4 }, undefined, false],
  ['none', {}, undefined, true],
  ['the same under another name', { level: 3 }, { floor: 'level' }, true],
  ['another under another name', { level: 4 }, { floor: 'level' }, false],
])('a row below those of the path, whose key it has: %s', async (_, row, named, isFound) => {
  const found = under({ keys: { floor: 3 } })
    .at('shelf')
    .find(7, giving(row, named), request)
  expect(await found).toBe(isFound ? row : null)
})

test('the member that was read first says the tenant, whichever row comes first', async () => {
  const object = under({ tenant: ['org'] })
  const [first, second] = [object.at('first'), object.at('second')]
  const slow = Promise.withResolvers<unknown>()
  const found = first.find(1, giving(slow.promise), request)
  await second.find(2, giving({ org: 2 }), request)
  slow.resolve({ org: 1 })
  await found
  expect(object.strays({}, null)).toEqual(['second'])
  expect(object.common).toEqual({})
})

test('no row is null, and one without a tenant is a wrong configuration', () => {
  const find = (row: unknown) =>
    under({ tenant: ['org'] })
      .at('shelf')
      .find(7, giving(row), request)
  expect(find(undefined)).toBeNull()
  expect(() => find({ id: 7 })).toThrow(
    'the row at "shelf" has no "org", so its tenant is not known. Say which column it is (scope: {',
  )
})

test('a store is asked for the part of it that the scope leaves', async () => {
  const row = { id: 7, org: 1 }
  const within = ({ org }: { readonly org?: unknown }) => ({
    key: 'id',
    find: () => (org === 1 ? row : null),
  })
  const relation = { store: { key: 'id', find: () => row, within }, find: null, scope: undefined }
  const found = (org: number) => under({ scope: { org } }).at('shelf').find(7, relation, request)
  expect([await found(1), await found(2)]).toEqual([row, null])
})

test('a row that an object within the body refers to counts for the body', async () => {
  const body = under({ tenant: ['org'] })
  await body.at('owner').find(1, giving({ org: 1 }), request)
  await body
    .at('box')
    .ofObject()
    .at('shelf')
    .find(2, giving({ org: 2 }), request)
  expect(body.strays({ org: 1 }, null)).toEqual(['box'])
})

test('where rows of every tenant may be referred to, a store is asked as it is', () => {
  const row = { id: 7 }
  const relation = { store: { key: 'id', find: () => row }, find: null, scope: null }
  expect(
    under({ tenant: ['org'] })
      .at('shelf')
      .find(7, relation, request),
  ).toBe(row)
  expect(relationProblem('shelf', relation, { keepsTenants: true })).toBeNull()
})

test.each([
  ['has no within', { store: { key: 'id', find: () => null }, find: null }, 'cannot be narrowed'],
  ['looks nothing up', { find: null }, 'does not look its rows up'],
])('a relation that %s is a wrong configuration', (_, relation, words) => {
  const find = () =>
    under({ tenant: ['org'] })
      .at('shelf')
      .find(1, { ...relation, scope: undefined }, request)
  expect(find).toThrow(ConfigurationError)
  expect(find).toThrow(`endpoint book: The field "shelf" `)
  expect(find).toThrow(words)
})
