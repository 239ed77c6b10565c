// SEC16, I18: what browsers attach by themselves writes for no other site. More: test/security/finding-08-ambient-credentials.test.ts.
import { describe, expect, test } from 'vitest'
import { ALICE, ALICES_TOKEN, attacked, basic } from './service.ts'

const { get, post } = await attacked()
const SCHEMES = [
  ['Basic', '/by/basic/', { headers: basic(ALICE) }],
  ['a remote user', '/by/remote/', { headers: {}, environ: { REMOTE_USER: 'alice' } }],
] as const

describe.each(SCHEMES)('%s', (_, path, { headers, ...rest }) => {
  const send = async (more: Readonly<Record<string, string>>, ask = post): Promise<number> =>
    (await ask(path, { headers: { ...headers, ...more }, ...rest })).status

  test.each([
    ['no browser', {}, 200],
    ['a page of ours', { origin: 'http://localhost', 'sec-fetch-site': 'same-origin' }, 200],
    ['typed by a person', { 'sec-fetch-site': 'none' }, 200],
    [
      'a form of another site',
      { origin: 'http://evil.example', 'sec-fetch-site': 'cross-site' },
      403,
    ],
    ['another site in an old browser', { origin: 'http://evil.example' }, 403],
    ['a frame without an origin', { origin: 'null' }, 403],
    ['a sibling', { origin: 'http://sub.localhost', 'sec-fetch-site': 'same-site' }, 403],
  ])('%s', async (__, more, status) => {
    expect(await send(more)).toBe(status)
  })

  test('reading is no matter', async () => {
    expect(await send({ origin: 'http://evil.example', 'sec-fetch-site': 'cross-site' }, get)).toBe(
      200,
    )
  })
})

test('a token is attached by nobody but its owner', async () => {
  const headers = { ...ALICES_TOKEN, origin: 'http://evil.example', 'sec-fetch-site': 'cross-site' }
  expect((await post('/by/token/', { headers })).status).toBe(200)
})
