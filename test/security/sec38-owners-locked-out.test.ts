// SEC38: a stranger who fails often enough for an account locks its owner out. More: test/policies/throttling/guesses.test.ts.
import { expect, test } from 'vitest'
import { ALICE, attacked, basic } from './service.ts'

const HOME = { REMOTE_ADDR: '192.0.2.1' }
const LIMIT = { CREDENTIAL_FAILURES: '5/h' }

const wrong = (at: number) => ({ username: ALICE.username, password: `wrong ${at}` })

test('strangers anywhere do not keep the owner from logging in at home', async () => {
  const { post } = await attacked(LIMIT)
  const logIn = async (environ: Readonly<Record<string, string>>, json = ALICE) =>
    (await post('/token/', { environ, json })).status
  expect(await logIn(HOME)).toBe(200)
  const strangers = []
  for (let at = 0; at < 50; at++)
    strangers.push(await logIn({ REMOTE_ADDR: `198.51.100.${at}` }, wrong(at)))
  expect(strangers).toEqual([...Array<number>(5).fill(400), ...Array<number>(45).fill(429)])
  expect(await logIn(HOME)).toBe(200)
  // Not even the right password is any use to a stranger then.
  expect(await logIn({ REMOTE_ADDR: '198.51.100.99' })).toBe(429)
})

test('neighbours behind the same address do not either, while they fail for others', async () => {
  const { get, post } = await attacked(LIMIT)
  expect((await get('/by/basic/', { environ: HOME, headers: basic(ALICE) })).status).toBe(200)
  const fail = async (username: string, at: number) =>
    (await post('/token/', { environ: HOME, json: { username, password: `${at}` } })).status
  for (let at = 0; at < 20; at++) await fail('mallory', at)
  // One who fails for one account stops no other, known there or not; nor more than those who are new, with many.
  expect(await fail('bob', 0)).toBe(400)
  for (let at = 0; at < 50; at++) await fail(`mallory ${at}`, at)
  expect(await fail('bob', 1)).toBe(429)
  expect((await get('/by/basic/', { environ: HOME, headers: basic(ALICE) })).status).toBe(200)
})

test('a program of the owner that goes on with an old password does not either', async () => {
  const { accounts, post } = await attacked(LIMIT)
  await accounts.users.setPassword((await accounts.users.byUsername('alice'))!, 'a new one')
  for (let times = 0; times < 20; times++) await post('/token/', { environ: HOME, json: ALICE })
  const json = { ...ALICE, password: 'a new one' }
  expect((await post('/token/', { environ: HOME, json })).status).toBe(200)
})

test('accounts that do not exist are limited like those that do', async () => {
  const { post } = await attacked(LIMIT)
  const answers = async (username: string, network: string) => {
    const seen = []
    for (let at = 0; at < 8; at++) {
      const json = { username, password: `wrong ${at}` }
      const { status, text } = await post('/token/', {
        environ: { REMOTE_ADDR: `${network}.${at}` },
        json,
      })
      seen.push(`${status} ${text.replace(/\d{4} seconds/, 'an hour')}`)
    }
    return seen
  }
  const unknown = await answers('mallory', '203.0.113')
  expect(await answers('alice', '198.51.100')).toEqual(unknown)
  expect(await answers('ivan', '192.0.2')).toEqual(unknown)
  expect(unknown.at(-1)).toMatch(/^429 /)
})
