import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  CLAIMS,
  NOW,
  type Pair,
  type Provider,
  ec,
  jwkOf,
  serviceOf,
  signed,
  startProvider,
} from './provider.ts'

const [first, second, third] = [ec('one'), ec('two'), ec('three')]
const token = ({ kid, privateKey }: Pair, claims: object = {}) =>
  signed({ alg: 'ES256', kid }, { ...CLAIMS, ...claims }, privateKey, 'ES256')
/** As many tokens as wanted, none of which is remembered. */
const fresh = (pair: Pair, jti: number) => token(pair, { jti: String(jti), exp: NOW + 90_000 })

let provider: Provider
beforeAll(async () => {
  provider = await startProvider()
})
beforeEach(() => {
  provider.asked = 0
  provider.publish(jwkOf(first))
})
afterAll(() => provider.close())

const service = (keys: object = {}) => serviceOf({ jwks: provider.url, keys })

describe('The keys of a provider', () => {
  test('are fetched once, for the first requests together', async () => {
    const { ask } = service()
    expect(provider.asked).toBe(0)
    const statuses = await Promise.all(
      Array.from({ length: 50 }, async (_, jti) => (await ask(fresh(first, jti))).status),
    )
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect(provider.asked).toBe(1)
  })

  test('a new one works within one request', async () => {
    const { ask } = service()
    await ask(token(first))
    provider.publish(jwkOf(second))
    expect((await ask(token(second))).status).toBe(200)
    expect(provider.asked).toBe(2)
    // What is remembered ends with the age of the keys, at the latest.
    expect((await ask(fresh(first, 1))).status).toBe(401)
  })

  test('a storm of unknown ones costs one fetch in a cool-down', async () => {
    const { ask, clock } = service()
    await ask(token(first))
    const storm = async () =>
      Promise.all(
        Array.from({ length: 200 }, async (_, at) => ask(token({ ...second, kid: `no-${at}` }))),
      )
    for (const round of [1, 2, 3]) {
      const statuses = (await storm()).map(({ status }) => status)
      expect(new Set(statuses)).toEqual(new Set([401]))
      await storm()
      expect(provider.asked).toBe(1 + round)
      expect((await ask(fresh(first, round))).status).toBe(200)
      clock.now += 30_000
    }
  })

  test('a storm before all others, too', async () => {
    const { ask } = service()
    const all = Array.from({ length: 50 }, async (_, at) => ask(token({ ...second, kid: `${at}` })))
    expect(new Set((await Promise.all(all)).map(({ status }) => status))).toEqual(new Set([401]))
    expect(provider.asked).toBe(1)
  })

  test('are fetched again when they are old: one that was taken back works no longer', async () => {
    const { ask, clock } = service()
    const long = token(first, { exp: NOW + 90_000 })
    expect((await ask(long)).status).toBe(200)
    provider.publish(jwkOf(second))
    clock.now += 599_999
    expect((await ask(long)).status).toBe(200)
    clock.now += 1
    expect((await ask(long)).status).toBe(401)
    // They are as new as the request: they are not fetched again for the key that they lack.
    expect(provider.asked).toBe(2)
  })

  test('may be a hundred', async () => {
    const { ask } = service()
    const others = Array.from({ length: 99 }, (_, at) => jwkOf({ ...second, kid: `${at}` }))
    provider.publish(...others, jwkOf(first))
    expect((await ask(token(first))).status).toBe(200)
  })

  test('that fit alike are tried, four at most: a kid is missing, or is there twice', async () => {
    const { ask, clock, records } = service()
    const reasons = () => records.splice(0).map(({ reason }) => reason)
    const [one, two, three] = [first, second, third].map((pair) => ({ ...pair, kid: 'same' }))
    provider.publish(jwkOf(one!), jwkOf(two!), jwkOf(second, { kid: undefined }))
    const asked = [token(two!), signed({ alg: 'ES256' }, CLAIMS, second.privateKey, 'ES256')]
    for (const each of asked) expect((await ask(each)).status).toBe(200)
    expect((await ask(token(three!))).status).toBe(401)
    expect((await ask(token(two!, { exp: NOW - 60 }))).text).toContain('The token has expired.')
    expect(reasons()).toEqual(['signature'])
    clock.now += 600_000
    provider.publish(...Array.from({ length: 4 }, () => jwkOf(one!)), jwkOf(two!))
    expect((await ask(fresh(two!, 1))).status).toBe(401)
    expect(reasons()).toEqual(['several keys fit'])
  })

  test('a clock that is set back makes them old', async () => {
    const { ask, clock } = service()
    await ask(fresh(first, 1))
    clock.now -= 10_000
    expect((await ask(fresh(first, 2))).status).toBe(200)
    expect(provider.asked).toBe(2)
  })
})

/** What a provider may do in place of giving its keys, and the reason in the log. */
const LIES: readonly (readonly [string, (response: ServerResponse) => void, RegExp])[] = [
  ['is broken', (response) => response.writeHead(500).end(), /status 500/],
  ['has moved', (response) => response.writeHead(302, { location: '/other' }).end(), /status 302/],
  ['sends a page', (response) => response.end('<!doctype html><p>Log in'), /no JSON/],
  ['sends nothing', (response) => response.end(), /no JSON/],
  ['sends null', (response) => response.end('null'), /no public keys/],
  ['sends no list', (response) => response.end('{"keys":{"length":1}}'), /no public keys/],
  ['sends no keys', (response) => response.end('{"keys":[]}'), /no public keys/],
  ['sends texts', (response) => response.end('{"keys":["a",null,1]}'), /no public keys/],
  ['sends 256 kB', (response) => response.end(' '.repeat(256 * 1024 + 1)), /more than 262144/],
  [
    'sends without end',
    (response) => {
      const more = () => void (response.destroyed || response.write(' '.repeat(65_536), more))
      more()
    },
    /more than 262144/,
  ],
  [
    'sends 101 keys',
    (response) => response.end(JSON.stringify({ keys: Array(101).fill(jwkOf(first)) })),
    /more than 100 keys/,
  ],
  [
    'sends private keys',
    (response) =>
      response.end(JSON.stringify({ keys: [{ ...first.privateKey.export({ format: 'jwk' }) }] })),
    /no public keys/,
  ],
  [
    'sends symmetric keys',
    (response) => response.end('{"keys":[{"kty":"oct","k":"c2VjcmV0","kid":"one"}]}'),
    /no public keys/,
  ],
  ['hangs up', (response) => response.destroy(), /UND_ERR_SOCKET|ECONNRESET/],
  ['hangs up in the middle', (response) => (response.write('{"keys":['), response.destroy()), /./],
  ['does not answer', () => {}, /TimeoutError/],
  ['does not finish', (response) => void response.write('{"keys":['), /TimeoutError/],
]

describe('A provider that', () => {
  /** Those that hang are not waited for as long as others may take. */
  const timesOf = (reason: RegExp): object =>
    /Timeout/.test(String(reason)) ? { timeout: 1000 } : {}

  test.each(LIES)('%s: 503 where no key is known', async (_, lie, reason) => {
    const { ask, records } = service(timesOf(reason))
    provider.answer = lie
    const away = await ask(token(first))
    expect([away.status, away.header('retry-after')]).toEqual([503, '30'])
    expect(records).toContainEqual(
      expect.objectContaining({
        event: 'jwt.keys_unavailable',
        reason: expect.stringMatching(reason),
        address: provider.url,
      }),
    )
    await ask(token(first))
    expect(provider.asked).toBe(1)
    expect(provider.others).toBe(0)
  })

  test.each(LIES)('%s: keys that are known go on, for a day', async (_, lie, reason) => {
    const { ask, clock } = service(timesOf(reason))
    await ask(fresh(first, 1))
    provider.answer = lie
    clock.now += 600_000
    for (const jti of [2, 3, 4]) expect((await ask(fresh(first, jti))).status).toBe(200)
    expect(provider.asked).toBe(2)
    // The token may be right.
    expect((await ask(token(second))).status).toBe(503)
    expect(provider.asked).toBe(2)
    clock.now += 86_400_000
    expect((await ask(token(first, { exp: NOW + 999_999 }))).status).toBe(503)
    provider.publish(jwkOf(first))
    clock.now += 30_000
    expect((await ask(token(first, { exp: NOW + 999_999 }))).status).toBe(200)
    // It is back, and does not have this one.
    expect((await ask(token(second, { exp: NOW + 999_999 }))).status).toBe(401)
  })

  test('is away, and then hangs: requests go on with keys that are known, and do not wait', async () => {
    const { ask, clock, records } = service({ timeout: 60_000 })
    await ask(fresh(first, 1))
    provider.answer = (response) => response.destroy()
    clock.now += 600_000
    expect((await ask(fresh(first, 2))).status).toBe(200)
    const asked = Promise.withResolvers<ServerResponse>()
    provider.answer = (response) => asked.resolve(response)
    clock.now += 30_000
    for (const jti of [3, 4]) expect((await ask(fresh(first, jti))).status).toBe(200)
    expect(records).toHaveLength(1)
    const waiting = await asked.promise
    // It may have taken back a key since it was asked last.
    provider.publish(jwkOf(second))
    provider.answer(waiting)
    expect((await ask(fresh(second, 5))).status).toBe(200)
    expect([(await ask(fresh(first, 6))).status, provider.asked]).toEqual([401, 4])
  })

  test('rested for long is asked first: a key that it has taken back meanwhile works no longer', async () => {
    const { ask, clock } = service()
    await ask(fresh(first, 1))
    provider.answer = (response) => response.destroy()
    clock.now += 600_000
    expect((await ask(fresh(first, 2))).status).toBe(200)
    provider.publish(jwkOf(second))
    clock.now += 630_000
    expect((await ask(fresh(first, 3))).status).toBe(401)
  })

  test('is away for other machines, too: an address that does not listen', async () => {
    const jwks = 'http://127.0.0.1:1/jwks.json'
    const { ask } = serviceOf({ jwks })
    expect((await ask(token(first))).status).toBe(503)
    expect((await ask(null)).status).toBe(401)
    expect((await ask(token(first, { aud: 'x' }))).status).toBe(503)
  })

  test('sends a private key among others: only the others count', async () => {
    const { ask } = service()
    provider.publish(
      [],
      { ...jwkOf(first), ...first.privateKey.export({ format: 'jwk' }) },
      jwkOf(third),
    )
    expect((await ask(token(first))).status).toBe(401)
    expect((await ask(token(third))).status).toBe(200)
  })
})
