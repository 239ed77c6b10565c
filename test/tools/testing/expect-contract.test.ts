// `client(app).expectContract()`: what it lets through, and what it says of the rest.
import { describe, expect, test, vi } from 'vitest'
import {
  type ApiRequest,
  type Behaviour,
  NamespaceVersioning,
  PageNumberPagination,
  TokenAuthentication,
  arraySource,
  create,
  defineApi,
  defineUrls,
  field,
  include,
  IsAuthenticated,
  list,
  reply,
  serializer,
} from '../../../src/index.ts'
import type { JSONSchema } from '../../../src/openapi.ts'
import { client } from '../../../src/testing.ts'
import { quiet } from '../../behaviour/fixtures.ts'

const paths = defineUrls({ cities: '/cities/', anything: '/anything/', made: '/made/' })
const urls = defineUrls({ v1: include('/v1', paths), v2: include('/v2', paths), me: '/me/' })

const city = serializer(
  { name: field.text({ maxLength: 10 }), population: field.integer({ since: 'v2' }) },
  { name: 'City' },
)

test('a refusal has a code of its own, which its document leaves room for', async () => {
  const permission = { hasPermission: () => ({ allowed: false, code: 'not_yours' }) as const }
  const api = defineApi({ urls: { me: '/me/' }, permissions: [permission] })
  const app = api.serve([api.endpoint('me').get(saying(() => ({ celsius: 1 })))], quiet)
  const headers = { accept: 'application/problem+json, application/json;q=0.5' }
  const { status, data } = await client(app).expectContract().get('/me/', { headers })
  expect([status, (data as { code: string }).code]).toEqual([403, 'not_yours'])
})

const SCHEMA = {
  type: 'object',
  properties: { celsius: { type: 'number' }, sky: { enum: ['clear', 'grey'] } },
  required: ['celsius'],
}

/** Says one thing and does another. */
function saying(handle: Behaviour['handle'], schema: JSONSchema | null = SCHEMA): Behaviour {
  return { handle, operation: () => ({ body: null, answers: [{ status: 200, schema }] }) }
}

function serve({
  rows = [{ name: 'Bergen', population: 7 }] as readonly object[],
  made = saying(() => null),
} = {}) {
  const api = defineApi({
    urls,
    versioning: new NamespaceVersioning(),
    // Unforeseen errors, and values that are not shown.
    logger: { error: () => undefined },
    allowedVersions: ['v1', 'v2'],
  })
  const tokens = { verify: async () => null } as never
  return api.serve(
    [
      api
        .endpoint('cities', { pagination: new PageNumberPagination({ pageSize: 5 }) })
        .get(list({ source: arraySource(rows) as never, serializer: city as never }))
        .post(create({ serializer: city, save: async (input) => input as never })),
      api
        .endpoint('anything')
        .get(({ query }: ApiRequest) => query.peek('a'))
        .post(() => 'done'),
      api.endpoint('made').get(made).post(made),
      api
        .endpoint('me', {
          versioning: null,
          authentication: [new TokenAuthentication({ tokens })],
          permissions: [new IsAuthenticated()],
        })
        .get(saying(({ user }) => user)),
    ],
    quiet,
  )
}

const asking = (...given: Parameters<typeof serve>) => client(serve(...given)).expectContract()
const making = (handle: Behaviour['handle'], schema?: JSONSchema | null) =>
  asking({ made: saying(handle, schema) }).get('/v2/made/')

describe('what is as the document says is let through', () => {
  test.each([
    ['/v1/cities/', 200],
    ['/v2/cities/?page=1', 200],
    ['/v2/cities/?page=9', 404],
    ['/v3/cities/', 404],
    ['/v2/anything/?a=b', 200],
    ['/nowhere/', 404],
    ['/me/', 401],
  ])('GET %s: %i', async (path, status) => {
    expect((await asking().get(path)).status).toBe(status)
  })

  test('HEAD, OPTIONS and methods that are not there', async () => {
    const { head, options, delete: remove } = asking()
    expect((await head('/v2/cities/')).status).toBe(200)
    expect((await options('/v2/cities/')).status).toBe(200)
    expect((await remove('/v2/cities/')).status).toBe(405)
  })

  test('what is created, and the refusal of bad input', async () => {
    const { post } = asking()
    const good = { name: 'Oslo', population: 1 }
    expect((await post('/v2/cities/', { json: good })).status).toBe(201)
    expect((await post('/v2/cities/', { json: { name: 7 } })).status).toBe(400)
    expect(
      (await post('/v2/cities/', { body: 'x', headers: { 'content-type': 'a/b' } })).status,
    ).toBe(415)
  })
})

describe('an answer that no renderer writes', () => {
  const metrics = (contentType: string): Behaviour => ({
    handle: () => reply('requests_total 4\n', { contentType }),
    operation: () => ({
      body: null,
      answers: [{ status: 200, mediaTypes: ['text/plain'], schema: { type: 'string' } }],
    }),
  })

  test('is of the type that the document says', async () => {
    const { get } = asking({ made: metrics('text/plain; version=0.0.4') })
    expect((await get('/v2/made/')).status).toBe(200)
    await expect(asking({ made: metrics('text/csv') }).get('/v2/made/')).rejects.toThrow(
      'the document has text/plain, and text/csv came.',
    )
  })
})

describe('what is otherwise is told', () => {
  test('a value in a row, with its pointer, in the version of the request', async () => {
    const rows = [
      { name: 'Bergen', population: 7 },
      { name: 'Oslo', population: 'many' },
    ]
    const { get } = asking({ rows })
    expect((await get('/v1/cities/')).status).toBe(200)
    await expect(get('/v2/cities/')).rejects.toThrow(
      'getCities of v2 answered 200 to GET /v2/cities/: at "/results/1/population" of the body the document says "must be integer", and this was there: null',
    )
  })

  test.each<
    [what: string, handle: Behaviour['handle'], schema: JSONSchema | null, sentence: string]
  >([
    [
      'a member that is missing',
      () => ({}),
      SCHEMA,
      `at "" of the body the document says "must have required property 'celsius'", and this was there: {}`,
    ],
    [
      'a value that is none of the choices',
      () => ({ celsius: 7, sky: 'red' }),
      SCHEMA,
      'at "/sky" of the body the document says "must be equal to one of the allowed values" (["clear","grey"]), and this was there: "red"',
    ],
    [
      'a status',
      () => reply({ celsius: 7 }, { status: 202 }),
      SCHEMA,
      'answered 202 to GET /v2/made/: the document has 200, ',
    ],
    [
      'a body where there is none',
      () => ({ celsius: 7 }),
      null,
      'the document has no body there, and this came: {"celsius":7}',
    ],
    [
      'no body where there is one',
      () => reply(null),
      SCHEMA,
      'the document has a body there, and none came.',
    ],
    [
      'an error that was not foreseen',
      () => {
        throw new Error('Rain')
      },
      SCHEMA,
      'getMade of v2 answered 500 to GET /v2/made/: the document has 200, ',
    ],
    [
      'a media type',
      () => reply('7', { contentType: 'text/csv' }),
      SCHEMA,
      'the document has application/json, and text/csv came.',
    ],
  ])('%s', async (_, handle, schema, sentence) => {
    await expect(making(handle, schema)).rejects.toThrow(sentence)
  })

  test('a header that is required', async () => {
    const made: Behaviour = {
      handle: () => ({ celsius: 7 }),
      operation: () => ({
        body: null,
        answers: [
          {
            status: 200,
            headers: {
              'X-Sky': { description: 'Its colour.', schema: {}, required: true } as never,
            },
          },
        ],
      }),
    }
    await expect(asking({ made }).get('/v2/made/')).rejects.toThrow(
      'the document requires the header X-Sky, and it did not come.',
    )
  })
})

describe('a request that the document does not allow', () => {
  test('is told where it is answered with 2XX', async () => {
    await expect(asking().get('/v2/cities/?colour=red')).rejects.toThrow(
      'getCities of v2 answered 200 to GET /v2/cities/?colour=red, which its document does not allow: the document has no parameter colour, but page.',
    )
    await expect(
      asking().post('/v2/cities/', { json: { name: 'Oslo', population: '1' } }),
    ).rejects.toThrow(
      'which its document does not allow: at "/population" of the body the document says "must be integer", and this was there: "1"',
    )
  })

  test('a form has texts alone, which are not judged', async () => {
    const form = { name: 'Oslo', population: '1' }
    expect((await asking().post('/v2/cities/', { form })).status).toBe(201)
  })
})

test('without it nothing is judged, and it holds for what was taken from the client before', async () => {
  const asker = client(serve({ made: saying(() => ({})) }))
  const { get } = asker
  expect((await get('/v2/made/')).status).toBe(200)
  expect(asker.expectContract()).toBe(asker)
  await expect(get('/v2/made/')).rejects.toThrow('celsius')
})

test('what was not made by `serve` has no documents', () => {
  const { handle } = serve()
  expect(() => client({ handle }).expectContract()).toThrow(
    'expectContract(): documents are made of what api.serve() has made.',
  )
})

test('no scheme is asked a second time', async () => {
  const authenticate = vi.fn<() => null>(() => null)
  const api = defineApi({ urls: { made: '/made/' }, authentication: [{ authenticate }] })
  const app = api.serve([api.endpoint('made').get(saying(() => ({ celsius: 7 })))], quiet)
  await client(app).expectContract().get('/made/')
  expect(authenticate).toHaveBeenCalledTimes(1)
})
