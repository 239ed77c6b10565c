// Every step may take its time; what it says then counts as it would at once.
import { describe, expect, test } from 'vitest'
import { AuthenticationFailed, NotFound, configurationOf, defineApi } from '../../../src/index.ts'
import type { CorsPolicy, Throttle } from '../../../src/types.ts'
import type { Authenticator } from '../../../src/core/ports/policies/authentication.ts'
import { client } from '../../../src/testing.ts'

const quiet = { logger: { error: () => {} } }
const serving = (policy: object, said: object = {}) => {
  const api = defineApi({ urls: { a: '/a/' }, ...quiet, ...said })
  const a = api.endpoint('a', policy).get(({ user }) => ({ user: user.username }))
  return client(api.serve([a], { configuration: configurationOf() }))
}
const soon = <T>(value: T): Promise<T> =>
  new Promise((resolve) => void setImmediate(resolve, value))
const times = [
  ['at once', <T>(value: T): T | Promise<T> => value],
  ['later', soon],
] as const

describe.each(times)('a throttle that decides %s', (_, when) => {
  const admitting = (allowed: boolean): Throttle => ({
    admit: () => when(allowed ? { allowed } : { allowed, wait: 7 }),
  })

  test('admits', async () => {
    const { status, data } = await serving({ throttles: [admitting(true)] }).get('/a/')
    expect([status, data]).toEqual([200, { user: '' }])
  })
  test('refuses', async () => {
    const throttles = [admitting(true), admitting(false)]
    const { status, header } = await serving({ throttles }).get('/a/')
    expect([status, header('retry-after')]).toEqual([429, '7'])
  })
})

describe.each(times)('permissions that answer %s', (_, when) => {
  const saying = (...opinions: readonly boolean[]) =>
    serving({ permissions: opinions.map((opinion) => ({ hasPermission: () => when(opinion) })) })

  test.each([
    [[true, true, true], 200],
    [[false, true, true], 403],
    [[true, false, true], 403],
    [[true, true, false], 403],
  ])('are asked one after the other: %j', async (opinions, status) => {
    expect((await saying(...opinions).get('/a/')).status).toBe(status)
  })
})

test('two limits with one key are one: the lower of them, asked once', async () => {
  const limit = { key: 'a', seconds: 60, cost: 1, algorithm: 'log' } as const
  const limits = (most: number): Throttle => ({ limits: () => [{ ...limit, limit: most }] })
  const { get } = serving({ throttles: [limits(5), limits(3)] })
  const statuses = []
  for (let asked = 0; asked < 4; asked += 1) statuses.push((await get('/a/')).status)
  expect(statuses).toEqual([200, 200, 200, 429])
})

describe.each(times)('a scheme that refuses %s', (_, when) => {
  test('the handler is not run, and the answer says why', async () => {
    const authenticate = async () => {
      await when(null)
      throw new AuthenticationFailed('Who?')
    }
    const scheme = { authenticate, authenticateHeader: () => 'Test' } as unknown as Authenticator
    const { status, data } = await serving({ authentication: [scheme] }).get('/a/')
    expect([status, data]).toEqual([401, { detail: 'Who?' }])
  })
  test('whatever the error of the application is, it is its answer', async () => {
    const authenticate = async () => {
      await when(null)
      throw new NotFound('No such tenant.')
    }
    const scheme = { authenticate } as unknown as Authenticator
    const { status, data } = await serving({ authentication: [scheme] }).get('/a/')
    expect([status, data]).toEqual([404, { detail: 'No such tenant.' }])
  })
})

describe('what CORS shows', () => {
  const exposed = async (cors: CorsPolicy, said: object = {}) => {
    const { header } = await serving({ cors }, said).get('/a/', { headers: { origin: 'null' } })
    return [header('access-control-allow-origin'), header('access-control-expose-headers')]
  }
  const names =
    'Deprecation, Link, Location, RateLimit, RateLimit-Policy, Retry-After, Sunset, X-Request-Id'

  test('an origin that is hidden is admitted where it is named', async () => {
    expect(await exposed({ origins: ['null'] })).toEqual(['null', names])
  })
  test('the header that names the version is among the headers', async () => {
    const said = { versionHeader: 'X-Version' }
    expect(await exposed({ origins: ['null'] }, said)).toEqual(['null', `${names}, X-Version`])
  })
})
