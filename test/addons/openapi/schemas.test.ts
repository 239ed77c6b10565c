// What fields, serializers, policies and styles say of themselves.
import { expect, test } from 'vitest'
import {
  BasicAuthentication,
  CursorPagination,
  FieldFilter,
  HTMLRenderer,
  IsAdminUser,
  IsAuthenticated,
  IsAuthenticatedOrReadOnly,
  LimitOffsetPagination,
  OrderingFilter,
  PageNumberPagination,
  SearchFilter,
  TokenHasScope,
  type Settings,
  action,
  TokenAuthentication,
  allOf,
  anyOf,
  arraySource,
  checked,
  configurationOf,
  create,
  defineApi,
  field,
  list,
  many,
  not,
  partialUpdate,
  pick,
  reply,
  retrieve,
  serializer,
} from '../../../src/index.ts'
import type { Permission } from '../../../src/types.ts'
import { type JSONSchema, type OpenApiDocument, openApiDocument } from '../../../src/openapi.ts'
import { client } from '../../../src/testing.ts'

const configuration = configurationOf({ SECRET_KEY: 'for tests: tN4vQ0xJ8wYcR2mZ6kLpD1s' })
const row = {} as never
const save = () => row

/** The schemas of a serializer that is shown and sent. */
function schemasOf(fields: Parameters<typeof serializer>[0], options = {}) {
  const kind = serializer(fields, options)
  const api = defineApi({ urls: { 'city-list': '/cities/', 'city-detail': '/cities/:id<int>/' } })
  const change = partialUpdate({ find: save, serializer: kind, save })
  const app = api.serve(
    [
      api.endpoint('city-list').post(create({ serializer: kind, save })),
      api.endpoint('city-detail').patch(change),
    ],
    { configuration },
  )
  const { components } = openApiDocument(app)
  return components['schemas'] as Record<string, JSONSchema & { properties: JSONSchema }>
}

const kinds = field
test.each([
  ['text', kinds.text({ maxLength: 9 }), { type: 'string', minLength: 1, maxLength: 9 }],
  ['blank', kinds.text({ allowBlank: true }), { type: 'string' }],
  ['pattern', kinds.text({ pattern: /^a+$/ }), { type: 'string', minLength: 1, pattern: '^a+$' }],
  ['flags', kinds.text({ pattern: /^a+$/i }), { type: 'string', minLength: 1 }],
  [
    'flag u',
    kinds.text({ pattern: /^\p{L}$/u }),
    { type: 'string', minLength: 1, pattern: '^\\p{L}$' },
  ],
  // Expressions of JSON Schema have the flag `u`.
  ['no pattern of u', kinds.text({ pattern: /^a]$/ }), { type: 'string', minLength: 1 }],
  ['sets of v', kinds.text({ pattern: /^[!--b]$/v }), { type: 'string', minLength: 1 }],
  ['uuid', kinds.uuid(), { type: 'string', format: 'uuid' }],
  ['ip', kinds.ip({ version: 6 }), { type: 'string', format: 'ipv6' }],
  ['integer', kinds.integer({ min: 1 }), { type: 'integer', format: 'int64', minimum: 1 }],
  ['bigInteger', kinds.bigInteger({ max: 5n }), { type: 'integer', maximum: 5 }],
  ['boolean', kinds.boolean({ default: true }), { type: 'boolean', default: true }],
  ['date', kinds.date({ nullable: true }), { type: ['string', 'null'], format: 'date' }],
  ['unix', kinds.dateTime({ format: 'unix' }), { type: 'number', description: expect.any(String) }],
  [
    'choice',
    kinds.choice(['a', 'b'], { nullable: true }),
    { type: ['string', 'null'], enum: ['a', 'b', null] },
  ],
  [
    'named choice',
    kinds.choice({ a: 'Ah' }),
    { type: 'string', enum: ['a'], 'x-enum-descriptions': ['Ah'] },
  ],
  [
    'list',
    kinds.list(kinds.slug(), { maxLength: 3 }),
    {
      type: 'array',
      maxItems: 3,
      items: { type: 'string', minLength: 1, pattern: '^[A-Za-z0-9_-]+$' },
    },
  ],
  [
    'dictionary',
    kinds.dictionary(kinds.float()),
    { type: 'object', additionalProperties: { type: 'number', format: 'double' } },
  ],
  [
    'json',
    kinds.json({ label: 'Any', helpText: 'Of all.' }),
    { title: 'Any', description: 'Of all.' },
  ],
])('%s', (_, one, schema) => {
  const { CityWrite } = schemasOf({ value: one })
  expect(CityWrite!.properties['value']).toEqual(schema)
})

test('a decimal admits as many digits as its field, and those of older rows where it is shown', () => {
  const { City, CityWrite } = schemasOf({
    price: field.decimal({ maxDigits: 4, decimalPlaces: 2 }),
  })
  const { pattern } = CityWrite!.properties['price'] as { pattern: string }
  const fits = ['12.50', '-1', '0.5'].map((text) => new RegExp(pattern).test(text))
  expect(fits).toEqual([true, true, true])
  expect(new RegExp(pattern).test('123.456')).toBe(false)
  expect(City!.properties['price']).toMatchObject({
    pattern: expect.toSatisfy((shown: string) => new RegExp(shown).test('123.456')),
  })
})

test.each([
  ['Order line', 'Order_line'],
  ['Straße', 'Stra_e'],
  ['a/b%#', 'a_b__'],
])('the name %j of a serializer is %j, as OpenAPI allows', (name, own) => {
  const { [own]: shown, [`${own}Write`]: sent } = schemasOf({ a: field.integer() }, { name })
  expect([shown, sent]).toEqual([expect.any(Object), expect.any(Object)])
})

test('names of endpoints may have letters of any language, and components those of OpenAPI', () => {
  const names = ['übung-list', 'города-list', 'годы-list'] as const
  const urls = Object.fromEntries(names.map((name, at) => [name, `/${at}/` as const]))
  const api = defineApi({ urls })
  const served = names.map((name, at) =>
    api.endpoint(name).get(
      list({
        source: arraySource<Record<string, number>>([]),
        serializer: serializer({ [`a${at}`]: field.integer() }),
      }),
    ),
  )
  const { components, paths } = openApiDocument(api.serve(served, { configuration }))
  expect(Object.keys(components['schemas'] as object)).toEqual(
    expect.arrayContaining(['Ubung', '______', '____']),
  )
  expect(Object.values(paths).map(({ get }) => (get as JSONSchema)['operationId'])).toEqual([
    'getÜbungList',
    'getГородаList',
    'getГодыList',
  ])
})

test('what is shown, sent, and sent in order to change a part', () => {
  const schemas = schemasOf({
    id: field.integer({ readOnly: true }),
    name: field.text({ maxLength: 5 }),
    secret: field.text({ writeOnly: true, required: false }),
    owner: field.hidden(() => 7),
  })
  expect(Object.keys(schemas).toSorted()).toEqual(
    expect.arrayContaining(['City', 'CityPatch', 'CityWrite']),
  )
  const { City, CityWrite, CityPatch } = schemas
  expect(City).toEqual({
    type: 'object',
    properties: {
      id: { type: 'integer', format: 'int64', readOnly: true },
      name: { type: 'string' },
    },
    required: ['id', 'name'],
    examples: [{ id: 1, name: 'name' }],
  })
  expect(CityWrite!['examples']).toEqual([{ name: 'name', secret: 'secret' }])
  expect(CityWrite!['required']).toEqual(['name'])
  expect(CityWrite!.properties['secret']).toMatchObject({ writeOnly: true })
  expect(Object.keys(CityWrite!.properties)).toEqual(['name', 'secret'])
  expect(CityPatch!['required']).toBeUndefined()
})

test('what is nested has a name of its own, also where it holds itself', () => {
  const region = serializer({ code: field.text() }, { name: 'Region' })
  const part = serializer({ code: field.text() })
  const kind: Parameters<typeof serializer>[0] = {
    region: field.nested(region, { nullable: true }),
    part: field.nested(part),
    parts: field.list(field.nested(() => holder as never as typeof region)),
  }
  const holder = serializer(kind)
  const schemas = schemasOf(kind)
  expect(schemas['City']!.properties['region']).toEqual({
    anyOf: [{ $ref: '#/components/schemas/Region' }, { type: 'null' }],
  })
  expect(schemas['City']!.properties['part']).toEqual({ $ref: '#/components/schemas/CityPart' })
  const items = (schemas['City']!.properties['parts'] as { items: { $ref: string } }).items
  const held = schemas[items.$ref.split('/').at(-1)!]!
  expect((held.properties['parts'] as { items: object }).items).toEqual(items)
})

test('what is made of another has no name of its own', () => {
  const region = serializer({ code: field.text(), name: field.text() }, { name: 'Region' })
  const schemas = schemasOf({
    region: field.nested(region),
    brief: field.nested(pick(region, ['code'])),
  })
  expect(schemas['City']!.properties['brief']).toEqual({ $ref: '#/components/schemas/CityBrief' })
})

test('a file that must be there makes a body a form, and JSON has none of the others', async () => {
  const photo = field.image({ types: ['image/png'] })
  const some = {
    map: field.file({ nullable: true, required: false }),
    note: field.text({ nullable: true }),
  }
  const needed = serializer({ photo, ...some })
  const spared = serializer({ plan: field.file({ required: false }), ...some })
  const api = defineApi({ urls: { 'city-list': '/cities/', plans: '/plans/' } })
  const change = partialUpdate({ find: save, serializer: needed, save })
  const endpoints = [
    api
      .endpoint('city-list')
      .post(create({ serializer: needed, save }))
      .patch(change),
    api.endpoint('plans').post(create({ serializer: spared, save })),
  ]
  const app = api.serve(endpoints, { configuration })
  const { paths, components } = openApiDocument(app)
  const schemas = components['schemas'] as Record<string, { properties: JSONSchema }>
  const bodyOf = (path: string, verb: string) => {
    const { requestBody } = paths[path]![verb] as Described
    const entries = Object.entries(
      requestBody.content as Record<string, { schema: { $ref: string } }>,
    )
    return entries.map(([type, { schema }]) => {
      const { properties } = schemas[schema.$ref.split('/').at(-1)!]!
      return `${type}: ${Object.keys(properties).join()}`
    })
  }
  const form = 'multipart/form-data'
  const named = 'application/x-www-form-urlencoded'
  expect(bodyOf('/cities/', 'post')).toEqual([`${form}: photo,map,note`])
  const texts = ['application/json: map,note', `${named}: note`]
  expect(bodyOf('/cities/', 'patch')).toEqual([...texts, `${form}: photo,map,note`])
  expect(bodyOf('/plans/', 'post')).toEqual([...texts, `${form}: plan,map,note`])
  expect(schemas['PlansWriteWithoutFiles']!.properties['map']).toEqual({ type: 'null' })
  const { post } = client(app).expectContract()
  expect(await post('/plans/', { json: { map: null, note: null } })).toMatchObject({ status: 201 })
})

test('a list of objects has no form', () => {
  const kind = serializer({ name: field.text() })
  const api = defineApi({ urls: { 'city-list': '/cities/', bulk: '/bulk/' } })
  const app = api.serve(
    [
      api.endpoint('city-list').post(action({ input: kind, perform: () => undefined })),
      api.endpoint('bulk').post(action({ input: many(kind), perform: () => undefined })),
    ],
    { configuration },
  )
  const { paths } = openApiDocument(app)
  const types = (path: string) => {
    const { requestBody } = paths[path]!['post'] as Described
    return Object.keys(requestBody.content)
  }
  const forms = ['application/x-www-form-urlencoded', 'multipart/form-data']
  expect(types('/cities/')).toEqual(['application/json', ...forms])
  expect(types('/bulk/')).toEqual(['application/json'])
})

test('a schema of another library gives its own', () => {
  const basket = {
    '~standard': {
      version: 1,
      vendor: 'test',
      validate: (value: unknown) => ({ value }),
      jsonSchema: {
        input: () => ({
          $schema: 'https://json-schema.org/draft/2020-12/schema',
          type: 'object',
          properties: { item: { $ref: '#/$defs/Item' } },
          $defs: { Item: { type: 'string' } },
        }),
        output: () => {
          throw new Error('It has no form.')
        },
      },
    },
  } as const
  const api = defineApi({ urls: { 'city-list': '/cities/' } })
  const handler = checked({ body: basket, answer: basket }, (body) => reply(body))
  const app = api.serve([api.endpoint('city-list').post(handler)], { configuration })
  const { requestBody, responses } = operationIn(openApiDocument(app), 'post')
  expect(requestBody.content['application/json']!.schema).toEqual({
    type: 'object',
    properties: { item: { type: 'string' } },
  })
  expect(responses['200']!.content!['application/json']!.schema).toEqual({})
})

interface Described {
  readonly parameters: readonly { readonly name: string; readonly schema: object }[]
  readonly requestBody: { readonly content: Readonly<Record<string, { schema: object }>> }
  readonly responses: Readonly<
    Record<string, { $ref?: string; content?: Readonly<Record<string, { schema: JSONSchema }>> }>
  >
  readonly security: readonly object[]
}

const operationIn = (document: OpenApiDocument, verb: string): Described =>
  Object.values(document.paths)[0]![verb] as Described

function listed(settings: Partial<Settings>, spec = {}) {
  const kind = serializer({ id: field.integer(), created: field.dateTime() })
  const source = arraySource([{ id: 1, created: '2024-01-01T00:00:00Z' }], { key: 'id' })
  const api = defineApi({ urls: { 'city-list': '/cities/' }, ...(settings as object) })
  const behaviour = list({ source, serializer: kind, ...spec })
  return operationIn(
    openApiDocument(api.serve([api.endpoint('city-list').get(behaviour)], { configuration })),
    'get',
  )
}

test.each([
  [
    'page numbers',
    new PageNumberPagination({ pageSize: 5 }),
    ['count', 'next', 'previous', 'results'],
  ],
  [
    'a capped count',
    new LimitOffsetPagination({ defaultLimit: 5, count: 'capped' }),
    ['count', 'count_precision', 'next', 'previous', 'results'],
  ],
  ['cursors', new CursorPagination({ pageSize: 5 }), ['next', 'previous', 'results']],
])('the envelope of %s', (_, pagination, members) => {
  const { schema } = listed({ pagination }).responses['200']!.content!['application/json']!
  expect(Object.keys(schema['properties'] as object)).toEqual(members)
})

test('O1 without a size a list is the bare array, or may be', () => {
  const of = (pagination: PageNumberPagination | null) =>
    listed({ pagination }).responses['200']!.content!['application/json']!.schema
  expect(of(null)['type']).toBe('array')
  expect(of(new PageNumberPagination())['type']).toBe('array')
  expect(of(new PageNumberPagination({ pageSizeQueryParam: 'size' }))['oneOf']).toHaveLength(2)
})

test('a style with an answer of its own does not inherit the schema of another', () => {
  class Bare extends PageNumberPagination {
    override respond(_: never, results: readonly unknown[]) {
      return reply(results)
    }
  }
  const { responses } = listed({ pagination: new Bare({ pageSize: 5 }) })
  expect(responses['200']!.content!['application/json']!.schema).toEqual({})
})

test('parameters of pages and filters, with limits and choices', () => {
  const { parameters } = listed(
    {
      pagination: new PageNumberPagination({
        pageSize: 5,
        pageSizeQueryParam: 'size',
        maxPageSize: 9,
      }),
      filters: [new FieldFilter(), new SearchFilter({ maxLength: 50 }), new OrderingFilter()],
      strictQuery: true,
    },
    {
      filterFields: ['id', 'id__in', 'created__isnull'],
      orderingFields: ['id'],
      searchFields: ['id'],
    },
  )
  const schemas = Object.fromEntries(parameters.map(({ name, schema }) => [name, schema]))
  expect(schemas).toMatchObject({
    size: { type: 'integer', minimum: 1, maximum: 9, default: 5 },
    id: { type: 'integer' },
    id__in: { type: 'array', items: { type: 'integer' }, maxItems: 100 },
    created__isnull: { type: 'boolean' },
    search: { type: 'string', maxLength: 50 },
    ordering: { type: 'array', items: { enum: ['id', '-id'] } },
  })
})

const users = { authenticate: async () => null }
const basic = new BasicAuthentication({ users })
const bearer = new TokenAuthentication({ tokens: { verify: () => null }, keyword: 'Bearer' })
const odd: Permission = { hasPermission: () => true }

test.each<[string, readonly Permission[], readonly object[]]>([
  ['open', [], [{ Basic: [] }, { Bearer: [] }, {}]],
  ['users', [new IsAuthenticated()], [{ Basic: [] }, { Bearer: [] }]],
  ['readers', [new IsAuthenticatedOrReadOnly()], [{ Basic: [] }, { Bearer: [] }, {}]],
  ['one of two', [anyOf(new IsAdminUser(), odd)], [{ Basic: [] }, { Bearer: [] }, {}]],
  ['both', [allOf(new IsAdminUser(), odd)], [{ Basic: [] }, { Bearer: [] }]],
])('who may: %s', (_, permissions, security) => {
  const operation = listed({ authentication: [basic, bearer], permissions })
  expect(operation.security).toEqual(security)
  expect(Object.keys(operation.responses)).toContain('401')
})

test('without schemes there is no security, and no 401', () => {
  const { security, responses } = listed({ authentication: [] })
  expect(security).toEqual([])
  expect(Object.keys(responses)).toEqual(['200', '404', '406'])
})

test('a tag says what the list of its objects says of itself', () => {
  const api = defineApi({
    urls: { 'city-list': '/cities/', 'city-detail': '/c/:id<int>/', me: '/me/' },
  })
  const app = api.serve(
    [
      api.endpoint('city-detail', { description: 'One of them.' }).get(() => row),
      api.endpoint('city-list', { description: 'Where people live.' }).get(() => row),
      api.endpoint('me').get(() => row),
    ],
    { configuration },
  )
  const { tags } = openApiDocument(app)
  expect(tags).toEqual([
    { name: 'city', description: 'Where people live.' },
    { name: 'me', description: 'Operations of Me.' },
  ])
})

test('without a description, operations and tags say what they are about', () => {
  const api = defineApi({ urls: { 'city-list': '/cities/', 'city-close': '/close/' } })
  const kind = serializer({ name: field.text() })
  const app = api.serve(
    [
      api.endpoint('city-list').get(list({ source: arraySource([row]), serializer: kind })),
      api.endpoint('city-close').post(() => row),
    ],
    { configuration },
  )
  const { paths, tags } = openApiDocument(app)
  const at = (path: string, verb: string) =>
    (paths[path] as Record<string, JSONSchema>)[verb]!['description']
  expect(at('/cities/', 'get')).toBe('The city objects that the client may see.')
  expect(at('/close/', 'post')).toBe('City Close (POST).')
  expect(tags).toEqual([{ name: 'city', description: 'Operations on city objects.' }])
})

test('bodies of forms have no null, which no form can say', () => {
  const schemas = schemasOf(
    {
      ratio: field.float({ nullable: true }),
      kind: field.choice(['null', 'b'], { nullable: true }),
      name: field.text(),
    },
    { name: 'City' },
  )
  expect(schemas['CityWrite']!.properties['ratio']).toMatchObject({ type: ['number', 'null'] })
  expect(schemas['CityWriteForm']).toMatchObject({
    type: 'object',
    properties: {
      ratio: { type: 'number' },
      kind: { type: 'string', enum: ['null', 'b'] },
      name: { type: 'string' },
    },
    required: ['ratio', 'kind', 'name'],
  })
  expect(Object.keys(schemasOf({ name: field.text() }, { name: 'City' }))).not.toContain(
    'CityWriteForm',
  )
})

test('an error is never an empty object', () => {
  const { Detail } = schemasOf({ name: field.text() })
  expect(Detail).toMatchObject({ minProperties: 1 })
})

test('an endpoint that has pages alone is documented as one', () => {
  const renderers = [new HTMLRenderer()]
  const api = defineApi({ urls: { home: '/' }, renderers })
  const app = api.serve([api.endpoint('home').get(retrieve({ find: () => row }))], {
    configuration,
  })
  const { get } = openApiDocument(app).paths['/'] as { get: { responses: JSONSchema } }
  expect(get.responses['200']).toMatchObject({ content: { 'text/html': {} } })
})

test('scopes stand with the schemes that have them, and nowhere where there is a way without', () => {
  const schemes = [
    new TokenAuthentication({ tokens: { verify: () => null } }),
    new TokenAuthentication({ tokens: { verify: () => null }, keyword: 'Bearer' }),
    new BasicAuthentication({ users: {} as never }),
  ]
  const securityUnder = (...permissions: Permission[]) => {
    const api = defineApi({ urls: { city: '/' }, authentication: schemes, permissions } as {
      urls: { city: '/' }
    })
    const app = api.serve([api.endpoint('city').get(() => row)], { configuration })
    return (openApiDocument(app).paths['/'] as { get: { security: unknown } }).get.security
  }
  const [reads, writes] = ['read', 'write'].map((scope) => new TokenHasScope({ scopes: [scope] }))
  const under = (...scopes: string[]) => [{ Token: scopes }, { Bearer: scopes }, { Basic: [] }]
  expect(securityUnder(reads!)).toEqual(under('read'))
  expect(securityUnder(reads!, writes!)).toEqual(under('read', 'write'))
  expect(securityUnder(allOf(reads!, writes!, reads!))).toEqual(under('read', 'write'))
  expect(securityUnder(anyOf(reads!, writes!))).toEqual(under())
  expect(securityUnder(not(reads!))).toEqual([...under(), {}])
})
