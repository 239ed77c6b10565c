// SEC36: no two of scope, identity and window share a counter, whatever a client chooses as its name.
// More: test/policies/throttling/counter-keys.test.ts, test/contract/counter-exactness.ts.
import { expect, test } from 'vitest'
import {
  type ApiRequest,
  ConcurrencyThrottle,
  RateThrottle,
  UserRateThrottle,
  configurationOf,
  defineApi,
} from '../../src/index.ts'
import { client } from '../../src/testing.ts'
import { sha256 } from '../../src/core/secrets/digest.ts'

/** Counts by a name that the client sends. */
class ByName extends RateThrottle {
  override identify({ query }: ApiRequest): string {
    return query.get('name') ?? ''
  }
}

function service(...throttles: ConstructorParameters<typeof ByName>[0][]) {
  const api = defineApi({
    urls: { one: '/one/', two: '/two/' },
    throttles: [new ByName(throttles[0])],
  })
  const second = { throttles: [new ByName(throttles[1] ?? throttles[0])] }
  const app = api.serve(
    [api.endpoint('one').get(() => 1), api.endpoint('two', second).get(() => 2)],
    { configuration: configurationOf() },
  )
  return async (path: string, name: string): Promise<number> =>
    (await client(app).get(`${path}?name=${encodeURIComponent(name)}`)).status
}

const LONG = `tenant:${'x'.repeat(500)}`

test.each([
  [
    'a name written as the digest of another',
    LONG,
    `tenant:sha256:${sha256(JSON.stringify(LONG))}`,
  ],
  ['and as the plain digest', LONG, `tenant:sha256:${sha256(LONG)}`],
  ['names that differ after 16,000 characters', `${'x'.repeat(16_000)}a`, `${'x'.repeat(16_000)}b`],
  ['a window at the end of a name', 'tenant:a_60', 'tenant:a'],
  ['a line end', 'tenant:a', 'tenant:a\n'],
  ['a zero byte', 'tenant:a\0', 'tenant:a'],
  ['other letters that look the same', 'tenant:а', 'tenant:a'],
  ['cases', 'tenant:A', 'tenant:a'],
])('one client is not limited by another: %s', async (_title, one, other) => {
  const ask = service({ rate: '1/min' })
  expect([await ask('/one/', one), await ask('/one/', one)]).toEqual([200, 429])
  expect([await ask('/one/', other), await ask('/one/', other)]).toEqual([200, 429])
})

test('a name cannot reach into the counter of another scope', async () => {
  const ask = service({ rate: '1/min', scope: 'a' }, { rate: '1/min', scope: 'a_b' })
  expect(await ask('/two/', 'user:1')).toBe(200)
  for (const name of ['b_user:1', 'b_user:1_60', 'user:1'])
    expect(await ask('/one/', name)).toBe(200)
  expect(await ask('/two/', 'user:1')).toBe(429)
})

test('a user whose id is an address is not the client of that address', async () => {
  const api = defineApi({
    urls: { one: '/one/' },
    throttles: [
      new UserRateThrottle({ rate: '1/min' }),
      new ConcurrencyThrottle({ limit: 1, scope: 'user' }),
    ],
  })
  const app = api.serve([api.endpoint('one').get(() => 1)], { configuration: configurationOf() })
  const ask = async (as?: object): Promise<number> =>
    (await client(app).get('/one/', { as, environ: { REMOTE_ADDR: '192.0.2.1' } })).status
  const named = (id: unknown) => ({ isAuthenticated: true, id })
  expect([await ask(), await ask()]).toEqual([200, 429])
  for (const id of ['192.0.2.1', 'ip:192.0.2.1', 1, '', 'user:1'])
    expect([id, await ask(named(id)), await ask(named(id))]).toEqual([id, 200, 429])
})
