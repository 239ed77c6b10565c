// A clock that was set back by a day silenced `token.refused` for that day.
import { expect, onTestFinished, test, vi } from 'vitest'
import { openAccounts } from '../accounts/fixtures.ts'
import { storesOf } from '../../src/accounts/tables/stores.ts'

const SECOND = 1000
const DAY = 86_400 * SECOND

/** Accounts of a service by clocks that the test has in hand, with the names of what the log and a listener were told. */
async function withClocks() {
  vi.useFakeTimers({ toFake: ['Date', 'performance'], now: new Date('2026-03-04T05:06:07Z') })
  onTestFinished(() => void vi.useRealTimers())
  const told: string[] = []
  const accounts = await openAccounts({
    logger: { info: ({ event }) => void told.push(String(event)), error: () => undefined },
  })
  accounts.events.on('token.used', ({ type }) => void told.push(type))
  const alice = await accounts.users.create({ username: 'alice', password: 'wonderland' })
  return { ...accounts, alice, told }
}

test('unknown tokens are told of once a second, also after the clock was set back', async () => {
  const { tokens, told } = await withClocks()
  const guess = async (): Promise<number> => {
    told.length = 0
    await tokens.verify('guess')
    return told.filter((event) => event === 'token.refused').length
  }
  expect(await guess()).toBe(1)
  expect(await guess()).toBe(0)
  vi.setSystemTime(Date.now() - DAY)
  expect(await guess()).toBe(0)
  vi.advanceTimersByTime(SECOND)
  expect(await guess()).toBe(1)
})

test('the use of a token is noted, also after the clock was set back', async () => {
  const { tokens, alice, told } = await withClocks()
  const { key } = await tokens.obtain(alice)
  await tokens.verify(key)
  vi.setSystemTime(Date.now() - DAY)
  told.length = 0
  await tokens.verify(key)
  expect(told).toEqual(['token.used'])
  await tokens.verify(key)
  expect(told).toEqual(['token.used'])
})

test('sessions that are over are cleared, also after the clock was set back', async () => {
  const { sessions, alice, database } = await withClocks()
  await sessions.start(alice)
  vi.setSystemTime(Date.now() - DAY)
  const created = Date.now() - 30 * DAY
  await database.write({
    sql: 'insert into colophon_session (digest, user_id, created, expires) values (?, ?, ?, ?)',
    parameters: ['over', alice.id, created, created + DAY],
  })
  await sessions.start(alice)
  expect(await storesOf(database).sessions.byDigest('over')).toBeNull()
})
