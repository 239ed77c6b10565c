// SEC7: a credential counts under its own scheme, in its own form. More: test/behaviour/04-hostile.test.ts.
import { expect, test } from 'vitest'
import { ALICE, attacked, basic } from './service.ts'

const { get } = await attacked()
const key = 'a'.repeat(40)
const right = basic(ALICE).authorization

test.each([
  ['a token by its scheme', '/by/token/', `Token ${key}`, 200],
  ['the scheme in lower case (RFC 9110 §11.1)', '/by/token/', `token ${key}`, 200],
  ['another scheme', '/by/token/', `Bearer ${key}`, 401],
  ['the scheme of passwords', '/by/token/', `Basic ${key}`, 401],
  ['the token alone', '/by/token/', key, 401],
  ['a third part', '/by/token/', `Token ${key} x`, 401],
  ['a part in front', '/by/token/', `x Token ${key}`, 401],
  ['a comma', '/by/token/', `Token ${key}, Basic x`, 401],
  ['two headers as one', '/by/token/', `Token ${key}, Token ${key}`, 401],
  ['no separator', '/by/token/', `Token${key}`, 401],
  ['a no-break space', '/by/token/', `Token\u00a0${key}`, 401],
  ['a password by its scheme', '/by/basic/', right, 200],
  ['a password as a token', '/by/basic/', right.replace('Basic', 'Token'), 401],
  ['a token as a password', '/by/basic/', `Basic ${btoa(`alice:${key}`)}`, 401],
  ['no colon', '/by/basic/', `Basic ${btoa('alice')}`, 401],
  ['a session as a token', '/by/session/', `Token ${key}`, 403],
])('%s', async (_, path, authorization, status) => {
  expect((await get(path, { headers: { authorization } })).status).toBe(status)
})
