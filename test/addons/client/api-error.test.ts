import { describe, expect, test } from 'vitest'
import { ApiError } from '../../../src/client.ts'
import {
  ErrorDetail,
  NotFound,
  Throttled,
  ValidationError,
  configurationOf,
  defineApi,
} from '../../../src/index.ts'
import { failureOf, json, service } from './service.ts'

const ONE = { params: { id: 1 } }
const tree = {
  title: [new ErrorDetail('Too long.', 'max_length'), 'No.'],
  tags: [{}, { name: ['Blank.'] }],
  non_field_errors: ['Both.'],
}

/** What a client makes of an error of the service, asked for as a problem or plain. */
async function made(error: Error, accept?: string): Promise<ApiError> {
  const api = defineApi({ urls: { 'note-detail': '/notes/:id<int>/' } })
  const endpoint = api.endpoint('note-detail').get(() => {
    throw error
  })
  const app = api.serve([endpoint], { configuration: configurationOf() })
  const { client } = service([], {
    retry: false,
    baseUrl: 'http://localhost',
    fetch: (url, { headers, ...init }) => {
      const sent = new Headers(headers)
      if (accept !== undefined) sent.set('accept', accept)
      return app.fetch(new Request(url, { ...init, headers: sent }))
    },
  })
  const caught = await failureOf(client.get('note-detail', ONE))
  expect(caught).toBeInstanceOf(ApiError)
  return caught as ApiError
}

describe('errors of the service', () => {
  test('as a problem: with codes', async () => {
    const error = await made(new ValidationError(tree))
    expect(error).toMatchObject({
      name: 'ApiError',
      status: 400,
      code: 'invalid',
      operation: 'GET note-detail',
      requestId: expect.any(String),
    })
    expect(error.fields).toEqual({
      title: [
        { message: 'Too long.', code: 'max_length' },
        { message: 'No.', code: 'invalid' },
      ],
      'tags.1.name': [{ message: 'Blank.', code: 'invalid' }],
      non_field_errors: [{ message: 'Both.', code: 'invalid' }],
    })
    expect(error.message).toContain('GET note-detail 400')
  })

  test('plain: without', async () => {
    const error = await made(new ValidationError(tree), 'application/json')
    expect(error).toMatchObject({ status: 400, code: null, detail: 'Too long.' })
    expect(error.fields).toEqual({
      title: [
        { message: 'Too long.', code: null },
        { message: 'No.', code: null },
      ],
      'tags.1.name': [{ message: 'Blank.', code: null }],
      non_field_errors: [{ message: 'Both.', code: null }],
    })
  })

  test.each([undefined, 'application/json'])('one sentence (%s)', async (accept) => {
    const error = await made(new NotFound('No such note.'), accept)
    expect(error).toMatchObject({ status: 404, detail: 'No such note.', fields: {} })
    expect(error.code).toBe(accept === undefined ? 'not_found' : null)
  })

  test('a list of one text', async () => {
    const plain = await made(new ValidationError('Too short.'), 'application/json')
    const shown = await made(new ValidationError('Too short.'))
    for (const error of [plain, shown]) {
      expect(error.detail).toBe('Too short.')
      expect(error.fields['']?.[0]?.message).toBe('Too short.')
    }
  })

  test('one that asks to wait', async () => {
    expect(await made(new Throttled(7))).toMatchObject({ code: 'throttled', retryAfter: 7 })
  })
})

describe('what others answer', () => {
  test.each([
    ['a page', new Response('<h1>Bad gateway</h1>', { status: 500 }), 'Status 500.'],
    ['nothing', new Response(null, { status: 500 }), 'Status 500.'],
    ['a list of numbers', json([1, 2], { status: 500 }), 'Status 500.'],
    ['null', json(null, { status: 500 }), 'Status 500.'],
    [
      'one of thousands of levels',
      new Response(`${'['.repeat(9000)}"x"${']'.repeat(9000)}`, {
        status: 500,
        headers: { 'content-type': 'application/json' },
      }),
      'Status 500.',
    ],
    [
      'broken JSON',
      new Response('{', { status: 500, headers: { 'content-type': 'application/json' } }),
      'Status 500.',
    ],
  ])('%s is an error too', async (_, answer, detail) => {
    const { client } = service([answer])
    await expect(client.get('note-detail', ONE)).rejects.toMatchObject({ detail, fields: {} })
  })

  test('a field may be called like anything', async () => {
    const data = JSON.parse('{"__proto__": ["a"], "constructor": ["b"]}') as unknown
    const { client } = service([json(data, { status: 400 })])
    const error = (await failureOf(client.get('note-detail', ONE))) as ApiError
    expect(Object.keys(error.fields)).toEqual(['__proto__', 'constructor'])
  })
})
