// Rows that a body refers to, one by one: the grid of whole services is in test/resources/resource/tenant-scope.test.ts.
import { describe, expect, test } from 'vitest'
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
  ['all columns', { org: 1, site: 2 }, { org: 1, site: 2 }, true],
  ['one column of two', { org: 1, site: 2 }, { org: 1, site: 3 }, false],
  ['a value like the one', { at: { x: 1 } }, { at: { x: 1 } }, true],
  ['a value unlike the one', { at: { x: 1 } }, { at: { x: 2 } }, false],
  ['null, which no text is', { org: null }, { org: 'null' }, false],
  ['null', { org: null }, { org: null }, true],
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
  ['another, which need not be the same', { floor: 4 }, { floor: null }, true],
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

test.each([
  ['what both have', {}, { org: 1 }, { org: 1, row: 7 }, true],
  ['what one lacks', {}, { org: 1 }, { org: 2, row: 7 }, false],
  ['what one lacks beside its key', { row: 7 }, { org: 1 }, { org: 2, row: 7 }, false],
  ['what one lacks of two', {}, { org: 1, site: 2 }, { org: 1, site: 3 }, false],
])(
  'a row below those of the path, which have columns: %s',
  async (_, keys, above, row, isFound) => {
    const found = under({ keys, above }).at('shelf').find(7, giving(row), request)
    expect(await found).toBe(isFound ? row : null)
  },
)

describe('where nothing restricts a request', () => {
  const row = { id: 7, org: 1 }
  const open = (values: Partial<Values>, scope?: Relation['scope']) =>
    under({ isOpen: true, ...values })
      .at('shelf')
      .find(7, giving(row, scope), request)

  test('a row is refused whose tenant nothing names', () => {
    expect(open({})).toMatchObject({ detail: [{ code: 'tenant_unknown' }] })
  })

  test('a row is found where the request, the resource or the field names it', () => {
    expect(open({ scope: { org: 1 } })).toBe(row)
    expect(open({ tenant: ['org'] })).toBe(row)
    expect(open({}, { organisation: 'org' })).toBe(row)
    expect(open({ isOpen: false })).toBe(row)
  })
})

test('a row is looked up by its key and the request, or stands for itself', () => {
  const find = (...asked: readonly unknown[]) => asked
  expect(under({}).at('shelf').find(7, { find, scope: null }, request)).toEqual([7, request])
  expect(under({}).at('shelf').find(7, { find: null, scope: null }, request)).toBe(7)
})

test('no row is null, and one without a tenant is a wrong configuration', () => {
  const find = (row: unknown) =>
    under({ tenant: ['org'] })
      .at('shelf')
      .find(7, giving(row), request)
  expect(find(undefined)).toBeNull()
  expect(() => find({ id: 7 })).toThrow(
    new ConfigurationError(
      `endpoint book: the row at "shelf" has no "org", so its tenant is not known. Say which column it is (scope: { organisation: 'organisation_id' }), or that any row will do (scope: null).`,
    ),
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

describe('the members that lead to another tenant', () => {
  const body = (row: Values['row'] = null) => under({ tenant: ['org'], row })
  const refer = (object: Tenancy, ...orgs: readonly number[]) => {
    for (const [at, org] of orgs.entries())
      void object.at(`member${at}`).find(org, giving({ org }), request)
    return object
  }

  test.each<[title: string, found: number[], input: object, existing: object | null, row: object]>([
    ['what is sent', [1, 2], { org: 1 }, { org: 2 }, { org: 2 }],
    ['the row that is changed', [1, 2], {}, { org: 1 }, { org: 2 }],
    ['the row of an action', [1, 2], {}, null, { org: 1 }],
    ['the row of an action beside one without a tenant', [1, 2], {}, {}, { org: 1 }],
    ['the first one', [1, 2, 1], {}, null, {}],
  ])('than %s', (_, found, input, existing, row) => {
    const of = refer(body(row as Values['row']), ...found)
    expect(of.strays(input as never, existing as never)).toEqual(['member1'])
  })

  test('are none where there are none, or all are of one', () => {
    expect(body().strays({}, null)).toEqual([])
    expect(refer(body(), 1, 1).strays({}, null)).toEqual([])
  })

  test('are named once each, and by one column of several', () => {
    const object = under({ tenant: ['org', 'site'] })
    const member = object.at('members')
    for (const site of [1, 2, 3]) void member.find(site, giving({ org: 1, site }), request)
    expect(object.strays({}, null)).toEqual(['members'])
  })

  test('are none of the object that stands within, and has rows of its own', () => {
    const outer = body()
    const inner = outer.at('box').ofObject()
    refer(inner, 1)
    expect(inner.strays({}, null)).toEqual([])
    expect(inner.common).toEqual({ org: 1 })
    expect(outer.strays({ org: 2 }, null)).toEqual(['box'])
    expect(inner.strays({ org: 2 }, null)).toEqual(['member0'])
  })

  test.each([
    ['of one', [1], { org: 1 }],
    ['of several alike', [1, 1], { org: 1 }],
    ['of several', [1, 1, 2], {}],
    ['of none', [], {}],
  ])('the tenant %s', (_, orgs, common) => {
    expect(refer(body(), ...orgs).common).toEqual(common)
  })
})

test.each<[title: string, input: object, existing: object | null, columns: string[]]>([
  ['nothing is sent', {}, { org: 1, site: 1 }, []],
  ['the same is sent', { org: '1', site: 1n }, { org: 1, site: 1 }, []],
  ['another is sent', { org: 2, site: 1 }, { org: 1, site: 1 }, ['org']],
  [
    'others are sent',
    { org: 2, site: 2, name: 'x' },
    { org: 1, site: 1, name: 'y' },
    ['org', 'site'],
  ],
  ['there is no row yet', { org: 2 }, null, []],
])('an object changes its tenant: %s', (_, input, existing, columns) => {
  const object = under({ scope: { org: 1 }, tenant: ['site', 'org'] })
  expect(object.moving(input as never, existing as never)).toEqual(columns)
})

test.each<[title: string, named: Relation['scope'], shown: object, belonging: object]>([
  ['called the same', undefined, { floor: 3, org: 1 }, { floor: 3, org: 5, site: 6 }],
  ['called otherwise', { org: 'o', site: 's' }, { floor: 3, o: 1 }, { floor: 3, o: 5, s: 6 }],
  ['of no tenant in one column', { org: null }, { floor: 3 }, { floor: 3, site: 6 }],
  ['of any tenant', null, {}, {}],
])('rows of another store, with columns %s', (_, named, shown, belonging) => {
  const object = under({ scope: { org: 1 }, above: { org: 9, floor: 3 }, tenant: ['site'] })
  expect(object.shownIn(named)).toEqual(shown)
  expect(object.belonging(named, { org: 5, site: 6 })).toEqual(belonging)
})

test.each([
  [
    'has no within',
    { store: { key: 'id', find: () => null }, find: null },
    'has a store without within(values), which cannot be narrowed to a tenant. Give it find, or let it take rows of every tenant (scope: null).',
  ],
  [
    'looks nothing up',
    { find: null },
    'does not look its rows up, so it could lead to another tenant. Give it a store or find, or let it take rows of every tenant (scope: null).',
  ],
])('a relation that %s is a wrong configuration', (_, relation, words) => {
  const find = () =>
    under({ tenant: ['org'] })
      .at('shelf')
      .find(1, { ...relation, scope: undefined }, request)
  expect(find).toThrow(new ConfigurationError(`endpoint book: The field "shelf" ${words}`))
  expect(relationProblem('shelf', { ...relation, scope: undefined }, {})).toBeNull()
  expect(relationProblem('shelf', { ...relation, scope: null }, { keepsTenants: true })).toBeNull()
})
