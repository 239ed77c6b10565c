import { afterEach, expect, test, vi } from 'vitest'
import type { Auth } from '../../../src/client.ts'
import { json, service } from './service.ts'

afterEach(() => vi.unstubAllGlobals())

/** What GET and POST are sent with. */
async function sentBy(auth: Auth | undefined, of: { readonly keyword?: string } = {}) {
  const { client, asked } = service([json({ id: 1 })], auth === undefined ? of : { ...of, auth })
  await client.get('note-detail', { params: { id: 1 } })
  await client.post('note-list', { body: { title: 'a' } })
  return asked.map(({ headers, credentials }) => [
    headers.get('authorization'),
    headers.get('x-csrftoken'),
    credentials,
  ])
}

test('no one', async () => {
  expect(await sentBy(undefined)).toEqual([
    [null, null, 'same-origin'],
    [null, null, 'same-origin'],
  ])
})

test('a token, which a function may give anew for each attempt', async () => {
  let count = 0
  expect(await sentBy({ token: () => `key${++count}` })).toEqual([
    ['Token key1', null, 'omit'],
    ['Token key2', null, 'omit'],
  ])
  const bearer = await sentBy({ token: 'key', keyword: 'Bearer' })
  expect(bearer[0]).toEqual(['Bearer key', null, 'omit'])
})

test('the keyword of the service stands before a token, unless `auth` has one', async () => {
  const [[ofService], [ofAuth]] = [
    await sentBy({ token: 'key' }, { keyword: 'Bearer' }),
    await sentBy({ token: 'key', keyword: 'Own' }, { keyword: 'Bearer' }),
  ]
  expect([ofService?.[0], ofAuth?.[0]]).toEqual(['Bearer key', 'Own key'])
})

test('a name and a password, in UTF-8', async () => {
  const [get] = await sentBy({ username: 'zoë', password: 'p:ä' })
  expect(get).toEqual([`Basic ${Buffer.from('zoë:p:ä').toString('base64')}`, null, 'omit'])
})

test.each(['csrftoken', '__Host-csrftoken'])('a session, with the cookie %s', async (name) => {
  vi.stubGlobal('document', { cookie: `a=b; ${name}=secret; c=d` })
  expect(await sentBy({ session: true })).toEqual([
    [null, null, 'include'],
    [null, 'secret', 'include'],
  ])
})

test.each([undefined, { cookie: '' }, { cookie: 'notcsrftoken=a; b=c' }])(
  'a session without a token in %j',
  async (document) => {
    vi.stubGlobal('document', document)
    expect(await sentBy({ session: true })).toEqual([
      [null, null, 'include'],
      [null, null, 'include'],
    ])
  },
)

test('a session of another origin, with the token that it was given', async () => {
  const sent = await sentBy({ session: true, csrfToken: () => 'given' })
  expect(sent.map(([, token]) => token)).toEqual([null, 'given'])
})
