// SEC10: refusing costs little, however often. Live: `npm run attack`. More: test/accounts/token-use.test.ts.
import { expect, onTestFinished, test, vi } from 'vitest'
import { CountingQueue } from '../behaviour/guessing.ts'
import { attacked } from './service.ts'

const ATTEMPTS = 2000

test('a header without one readable token asks the database for nothing', async () => {
  const { database, get } = await attacked()
  const asked = counting(database)
  for (const key of ['', ' ', 'x y', 'x y z', 'é\u00ff'])
    for (let i = 0; i < 100; i++)
      expect((await get('/by/token/', { headers: { authorization: `Token ${key}` } })).status).toBe(
        401,
      )
  expect(asked()).toBe(0)
})

test('unknown tokens cost one look-up each, and one line in the log a second', async () => {
  const { database, get, log } = await attacked()
  const asked = counting(database)
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  for (let i = 0; i < ATTEMPTS; i++) {
    const authorization = `Token ${String(i).padStart(40, '0')}`
    expect((await get('/by/token/', { headers: { authorization } })).status).toBe(401)
  }
  expect(asked()).toBeLessThanOrEqual(ATTEMPTS)
  expect(log).toHaveLength(1)
})

test.each([
  ['keys that can be guessed are not looked up', 31, 10],
  ['others cost one look-up each: a right one is never refused', 40, ATTEMPTS],
])('with CREDENTIAL_FAILURES, beyond the limit is 429; %s', async (_, length, lookUps) => {
  const { database, get } = await attacked({ CREDENTIAL_FAILURES: '10/h' })
  const asked = counting(database)
  const statuses: number[] = []
  for (let i = 0; i < ATTEMPTS; i++) {
    const authorization = `Token ${String(i).padStart(length, '0')}`
    statuses.push((await get('/by/token/', { headers: { authorization } })).status)
  }
  expect(statuses.filter((status) => status === 401)).toHaveLength(10)
  expect(statuses.filter((status) => status === 429)).toHaveLength(ATTEMPTS - 10)
  expect(asked()).toBe(lookUps)
})

test('with CREDENTIAL_FAILURES, a thousand wrong passwords at once are ten hashes', async () => {
  const queue = new CountingQueue({ waiting: 1000, waitingEach: 1000 })
  const { post } = await attacked({ CREDENTIAL_FAILURES: '10/h' }, { hashQueue: queue })
  queue.hashed = 0
  const environ = { REMOTE_ADDR: '192.0.2.1' }
  const answers = Array.from({ length: 1000 }, (_, at) =>
    post('/token/', { environ, json: { username: 'alice', password: `wrong ${at}` } }),
  )
  const statuses = (await Promise.all(answers)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 400)).toHaveLength(10)
  expect(statuses.filter((status) => status === 429)).toHaveLength(990)
  expect(queue.hashed).toBe(10)
})

/** How often the store of tokens has been asked since. */
function counting(database: Awaited<ReturnType<typeof attacked>>['database']): () => number {
  let asked = 0
  const rows = database.rows.bind(database)
  database.rows = (statement) => {
    if (statement.sql.includes('"colophon_token"."digest" ')) asked++
    return rows(statement)
  }
  return () => asked
}
