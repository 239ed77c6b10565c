import { describe, expect, test } from 'vitest'
import { defineApi, reply } from '../../src/index.ts'
import { client } from '../../src/testing.ts'
import { quiet } from '../behaviour/fixtures.ts'

const api = defineApi({ urls: { cookies: '/cookies/' } })
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
