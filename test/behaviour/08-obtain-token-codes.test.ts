import { describe, expect, test } from 'vitest'
import { defineApi, obtainToken } from '../../src/index.ts'
import { client } from '../../src/testing.ts'
import { bob, quiet } from './fixtures.ts'

const tried: string[] = []
const accounts = {
  users: {
    authenticate: async (username: string) => {
      tried.push(username)
      return null
    },
  },
  tokens: { obtain: () => ({ key: 'k-bob', user: bob, created: new Date(0) }) },
}
const api = defineApi({ urls: { token: '/token/' } })
const app = api.serve([api.endpoint('token').post(obtainToken({ accounts }))], quiet)

describe('K25 codes', () => {
  const problem = { accept: 'application/json, application/problem+json' }
  const coded = (code: string) => ({ message: expect.any(String) as string, code })

  test.each([
    ['required', {}, { username: [coded('required')], password: [coded('required')] }],
    [
      'blank',
      { username: ' ', password: '' },
      { username: [coded('blank')], password: [coded('blank')] },
    ],
    ['null', { username: null, password: 'x' }, { username: [coded('null')] }],
    ['invalid', { username: 'x', password: true }, { password: [coded('invalid')] }],
    [
      'null_characters_not_allowed',
      { username: 'x', password: 'a\0' },
      { password: [coded('null_characters_not_allowed')] },
    ],
    [
      'authorization',
      { username: 'x', password: 'y' },
      { non_field_errors: [coded('authorization')] },
    ],
    ['invalid as a whole', [], { non_field_errors: [coded('invalid')] }],
    ['null as a whole', null, { non_field_errors: [coded('null')] }],
  ])('%s', async (_, json, errorsFound) => {
    const { data } = await client(app).post('/token/', { json, headers: problem })
    expect(data).toMatchObject({ status: 400, errors: errorsFound })
  })

  test('I5 a wrong password and an unknown user look the same', async () => {
    const answers = await Promise.all(
      [
        { username: 'bob', password: 'x' },
        { username: 'x', password: 'x' },
      ].map((json) => client(app).post('/token/', { json })),
    )
    expect(answers[0]!.text).toBe(answers[1]!.text)
  })

  test('nobody is asked where a field is wrong', async () => {
    tried.length = 0
    await client(app).post('/token/', { json: { username: 'bob' } })
    expect(tried).toEqual([])
  })
})
