// What a page may offer beside its answer: worked out once, by asking permissions and nothing else (W17).
import { beforeEach, describe, expect, test } from 'vitest'
import {
  JSONRenderer,
  type ApiRequest,
  type Incoming,
  PermissionDenied,
  arraySource,
  configurationOf,
  create,
  defineApi,
  destroy,
  field,
  german,
  handleException,
  list,
  partialUpdate,
  reply,
  retrieve,
  serializer,
  update,
} from '../../../src/index.ts'
import { type Offer, PageFacts } from '../../../src/addons/pages/page-facts.ts'
import type { Permission, Renderer, Throttle } from '../../../src/types.ts'
import type { Reply } from '../../../src/core/ports/representations.ts'
import { client } from '../../../src/testing.ts'

interface Book {
  readonly id: number
  readonly title: string
}

const shown: (Offer | null | undefined)[] = []
class Page implements Renderer {
  readonly mediaType = 'text/html'
  readonly format = 'api'
  async prepare(answer: Reply, request: ApiRequest): Promise<object> {
    shown.push(await new PageFacts(request).offer(answer))
    return {}
  }
  render(): string {
    return '<p>page</p>'
  }
}

const log = {
  handled: [] as string[],
  counted: 0,
  found: 0,
  asked: [] as string[],
  errors: [] as unknown[],
}
const rows: Book[] = [
  { id: 1, title: 'Emma' },
  { id: 2, title: 'Locked' },
]
const book = serializer({
  id: field.integer({ readOnly: true }),
  title: field.text({
    maxLength: 9,
    validators: [(title) => (title === 'no' ? 'Not that.' : null)],
  }),
})
const counting: Throttle = {
  admit() {
    log.counted += 1
    return { allowed: true }
  },
}
const asking: Permission<Book> = {
  hasPermission({ method }: ApiRequest) {
    log.asked.push(method)
    return method !== 'PATCH'
  },
  hasObjectPermission: ({ method }, { title }) => method !== 'DELETE' || title !== 'Locked',
}
const find = ({ params }: ApiRequest) => {
  log.found += 1
  return rows.find(({ id }) => id === Number(params['id']))
}
const before = () => void (log.found += 1)
const noting =
  <T>(name: string, value: T) =>
  () => {
    log.handled.push(name)
    return value
  }

function serve(more: object = {}) {
  const api = defineApi({
    urls: { books: '/books/', book: '/books/:id<int>/', push: '/push/', odd: '/odd/' },
    renderers: [new JSONRenderer(), new Page()],
    permissions: [asking],
    throttles: [counting],
    pagination: null,
    logger: { error: (record: unknown) => log.errors.push(record) },
    ...more,
  })
  return client(
    api.serve(
      [
        api
          .endpoint('books')
          .get(list({ source: arraySource(rows), serializer: book }))
          .post(create({ serializer: book, before, save: noting('create', rows[0]!) })),
        api
          .endpoint('book')
          .get(retrieve({ find, serializer: book }))
          .put(update({ find, serializer: book, save: noting('update', { id: 1, title: 'New' }) }))
          .patch(partialUpdate({ find, serializer: book, save: noting('patch', rows[0]!) }))
          .delete(destroy({ find, remove: noting('delete', true) })),
        api.endpoint('push').post(noting('push', 'pushed')),
        api
          .endpoint('odd')
          .get(() => 'odd')
          .post({
            handle: () => 'odd',
            form: (request) => {
              if (request.query.get('fault') === 'api') throw new PermissionDenied()
              if (request.query.get('fault') === 'program') throw new TypeError('program')
              return { fields: { word: { type: 'string', required: true, read_only: false } } }
            },
          }),
      ],
      { configuration: configurationOf() },
    ),
  )
}

const html = { headers: { accept: 'text/html' } }
const offered = () => shown.at(-1)!

beforeEach(() => {
  shown.length = 0
  Object.assign(log, { handled: [], counted: 0, found: 0, asked: [], errors: [] })
})

describe('a page', () => {
  test('W13 of a list offers to create, with the fields and no values', async () => {
    await serve().get('/books/', html)
    expect(offered().methods).toEqual(['POST', 'OPTIONS'])
    expect(offered().forms).toMatchObject({
      POST: { fields: { title: { max_length: 9 } }, values: null },
    })
  })
  test('W8, W14 of an object offers what is permitted for it, with its values', async () => {
    await serve().get('/books/1/', html)
    expect(offered().methods).toEqual(['PUT', 'DELETE', 'OPTIONS'])
    expect(offered().forms['PUT']?.values).toEqual({ id: 1, title: 'Emma' })
  })
  test('W8 of an object that may not be deleted does not offer it', async () => {
    await serve().get('/books/2/', html)
    expect(offered().methods).toEqual(['PUT', 'OPTIONS'])
  })
  test('W17 asks each permission once per method, runs no handler and counts once', async () => {
    await serve().get('/books/1/', html)
    expect(log.asked).toEqual(['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
    expect(log).toMatchObject({ handled: [], counted: 1 })
  })
  test.each([
    ['/books/', 0],
    ['/books/1/', 1],
  ])('looks up nothing that its data did not need: %s', async (path, found) => {
    await serve().get(path, html)
    expect([offered().methods.length > 1, log.found]).toEqual([true, found])
  })
  test('W17 nothing of it happens where JSON is asked for', async () => {
    await serve().get('/books/1/')
    expect([log.asked, shown]).toEqual([['GET'], []])
  })
  test('W13 of a 405 offers the methods that there are', async () => {
    expect((await serve().get('/push/', html)).status).toBe(405)
    expect(offered()).toMatchObject({ methods: ['POST', 'OPTIONS'], forms: {}, refused: null })
  })
  test.each([
    ['W17 a 403', 'patch', '/books/1/', 403],
    ['a 404', 'get', '/books/9/', 404],
  ] as const)('%s offers nothing', async (_, method, path, status) => {
    expect((await serve()[method](path, html)).status).toBe(status)
    expect(offered().methods).toEqual([])
  })
  test('of a deleted object offers nothing', async () => {
    expect((await serve().delete('/books/1/', html)).status).toBe(200)
    expect(offered().methods).toEqual([])
  })
  test('of an object that was changed begins with what it is now', async () => {
    await serve().put('/books/1/', { ...html, json: { title: 'New' } })
    expect(offered().forms['PUT']?.values).toEqual({ id: 1, title: 'New' })
  })
})

describe('W15 a refused body', () => {
  test.each([
    ['JSON', { json: { title: 'no' } }, { title: 'no' }],
    ['a form', { form: { title: 'no' } }, expect.objectContaining({ names: expect.anything() })],
  ])('as %s comes back with what is wrong, by field', async (_, body, data) => {
    const { status } = await serve().post('/books/', { ...html, ...body })
    expect([status, log.handled]).toEqual([400, []])
    expect(offered().refused).toMatchObject({ method: 'POST', errors: { title: ['Not that.'] } })
    if (!(_ === 'a form')) expect(offered().refused?.data).toEqual(data)
  })
  test('says so by field where an exception handler wraps it', async () => {
    const exceptionHandler = (error: unknown, request: Incoming): Reply | null => {
      const usual = handleException(error, request)
      return usual && reply({ wrapped: usual.data }, { status: usual.status })
    }
    const messages = { de: german }
    await serve({ exceptionHandler, messages }).post('/books/', {
      ...html,
      json: {},
      headers: { ...html.headers, 'accept-language': 'de' },
    })
    expect(offered().refused?.errors).toEqual({ title: ['Dieses Feld fehlt.'] })
  })
  test('that nothing can read comes back empty', async () => {
    const broken = {
      body: '{"title":',
      headers: { ...html.headers, 'content-type': 'application/json' },
    }
    expect((await serve().post('/books/', broken)).status).toBe(400)
    expect(offered().refused).toMatchObject({ method: 'POST', errors: null })
  })
  test('of a PUT leaves the object as it is', async () => {
    await serve().put('/books/1/', { ...html, json: { title: 'far too long' } })
    expect(offered().forms['PUT']?.values).toEqual({ id: 1, title: 'Emma' })
    expect(offered().refused).toMatchObject({ method: 'PUT', data: { title: 'far too long' } })
  })
})

describe('fields that the program describes itself', () => {
  test('are shown', async () => {
    await serve().get('/odd/', html)
    expect(offered().forms['POST']).toMatchObject({ fields: { word: { type: 'string' } } })
  })
  test.each([
    ['api', 0],
    ['program', 1],
  ])('and fail (%s) cost the offer, never the page', async (fault, logged) => {
    expect((await serve().get(`/odd/?fault=${fault}`, html)).status).toBe(200)
    expect([offered().methods, log.errors.length]).toEqual([['OPTIONS'], logged])
  })
})
