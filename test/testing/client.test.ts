import { describe, expect, test } from 'vitest'
import { defineApi, reply } from '../../src/index.ts'
import { Form, type UploadedFile } from '../../src/std/http/form.ts'
import { client } from '../../src/testing.ts'
import { quiet } from '../behaviour/fixtures.ts'

const api = defineApi({ urls: { cookies: '/cookies/', body: '/body/' } })
const app = api.serve(
  [
    api
      .endpoint('cookies')
      .get(({ header }) => header('cookie'))
      .post(() =>
        reply('set', {
          headers: { 'Set-Cookie': ['a=1; Path=/', 'b=x=y; HttpOnly', 'c=; Max-Age=0'] },
        }),
      ),
    api.endpoint('body').post(async ({ body, header }) => {
      const sent = await body()
      return {
        type: header('content-type'),
        sent: sent instanceof Form ? 'a form' : sent,
      }
    }),
  ],
  quiet,
)

describe('cookies of the test client', () => {
  test('those that an answer sets, by name', async () => {
    const { cookies } = await client(app).post('/cookies/')
    expect(cookies).toEqual({ a: '1', b: 'x=y', c: '' })
    expect((await client(app).get('/cookies/')).cookies).toEqual({})
  })

  test('are sent back as they came, but for those that were taken away', async () => {
    const { cookies } = await client(app).post('/cookies/')
    expect((await client(app).get('/cookies/', { cookies })).data).toBe('a=1; b=x=y')
  })
})

describe('bodies of the test client', () => {
  test.each([
    ['json', { json: { a: 1 } }, { type: 'application/json', sent: { a: 1 } }],
    ['a form', { form: { a: '1' } }, { type: 'application/x-www-form-urlencoded', sent: 'a form' }],
    ['an empty text, which is none', { body: '' }, { type: null, sent: {} }],
  ])('%s', async (_, options, seen) => {
    expect((await client(app).post('/body/', options)).data).toEqual(seen)
  })
})

test('multipart bodies of the test client have texts, lists, and files with name and type', async () => {
  const uploads = defineApi({ urls: { body: '/body/' } })
  const upload = uploads.endpoint('body').post(async ({ body }) => {
    const form = (await body()) as Form
    const { filename, mediaType, bytes } = form.get('scan') as UploadedFile
    return [form.get('title'), form.getAll('tag'), filename, mediaType, bytes.length]
  })
  const scan = new File([new Uint8Array(3)], 'ä b.png', { type: 'image/png' })
  const { data } = await client(uploads.serve([upload], quiet)).post('/body/', {
    multipart: { title: 'ä', tag: ['x', 'y'], scan },
  })
  expect(data).toEqual(['ä', ['x', 'y'], 'ä b.png', 'image/png', 3])
})
