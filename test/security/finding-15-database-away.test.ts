import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { DatabaseUnavailable } from '../../src/sql.ts'
import { configurationOf, defineApi, defineUrls } from '../../src/index.ts'
import { type TestResponse, client } from '../../src/testing.ts'
import { SERVERS } from '../setup/databases.ts'
import { startBooks } from './book-service.ts'

const AWAY = {
  detail: 'The service is temporarily unavailable. Try again in a moment.',
}

function expectAway(response: TestResponse): void {
  expect([response.status, response.header('retry-after')]).toEqual([503, '5'])
  expect(response.data).toEqual(AWAY)
}

describe.each(SERVERS)('a database that is away: %s', (dialect) => {
  test('is 503 with Retry-After on every way to it, and one line of the log in a second (I22)', async () => {
    const { get, patch, post, proxy, headers, log } = await startBooks(dialect)
    expect((await get('/me/', { headers })).status).toBe(200)
    await proxy.refuse()
    const ask = () => [
      get('/books/'),
      get('/books/1/'),
      get('/me/', { headers }),
      patch('/books/1/', { json: { title: 'Other' } }),
      post('/books/', { json: { title: 'New' } }),
    ]
    // Within one second, however long that takes.
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    let asked = 0
    for (let round = 0; round < 40; round++) {
      const answers = await Promise.all(ask())
      answers.forEach(expectAway)
      asked += answers.length
    }
    expect(log.every(({ event }) => event === 'database.unavailable')).toBe(true)
    // Of connections that broke, for instance, and of those that cannot be made.
    const sentences = Map.groupBy(log, ({ error }) => error).values()
    for (const same of sentences) expect(same).toHaveLength(1)
    const counted = log.reduce((sum, { count }) => sum + Number(count), 0)
    expect(counted).toBeLessThanOrEqual(asked)
    expect(log.map(({ error }) => error)).toContainEqual(
      expect.stringContaining('Is its server running, and is the address right?'),
    )
  })

  test('that comes back answers at once', async () => {
    const { get, proxy, headers } = await startBooks(dialect)
    await proxy.refuse()
    expectAway(await get('/me/', { headers }))
    await proxy.resume()
    expect((await get('/me/', { headers })).status).toBe(200)
    expect((await get('/books/')).status).toBe(200)
  })

  test('says nothing of where it is, to clients that ask for problem documents too', async () => {
    const { get, proxy } = await startBooks(dialect)
    await proxy.refuse()
    const accept = 'application/json, application/problem+json'
    const { status, text, data } = await get('/books/', { headers: { accept } })
    expect([status, (data as { code: string }).code]).toEqual([503, 'unavailable'])
    expect(text).not.toMatch(/127\.0\.0\.1|test_|postgres|mysql/)
  })
})

describe.each(SERVERS)('a row that another process has locked: %s', (dialect) => {
  const title = (text: string) => ({ json: { title: text } })

  /** Many wait for the row of one book at a time. */
  async function contended(lockTimeout: number) {
    const books = await startBooks(dialect, { lockTimeout })
    await Promise.all(Array.from({ length: 20 }, () => books.get('/books/1/')))
    const letGo = await books.lock(1)
    const patches = Array.from({ length: 15 }, (_, index) =>
      books.patch('/books/1/', title(`P ${index}`)),
    )
    return { ...books, letGo, patches }
  }

  test('is 503 for those who want to change it, in time', async () => {
    const { patch, post, patches, letGo, log } = await contended(300)
    ;(await Promise.all(patches)).forEach(expectAway)
    expect(log[0]!.error).toContain('waited too long for a lock')
    await letGo()
    expect((await patch('/books/1/', title('Mine'))).status).toBe(200)
    expect((await post('/books/', title('x'))).status).not.toBe(503)
  })

  test('keeps nobody waiting who reads: that takes connections that writers never have', async () => {
    const { get, headers, patches, letGo } = await contended(100_000)
    let changed = 0
    for (const patched of patches) void patched.then(() => changed++)
    for (let round = 0; round < 10; round++) {
      const asked = ['/books/', '/books/1/', '/books/?page=2'].map((path) => get(path))
      const answers = await Promise.all([...asked, get('/me/', { headers })])
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    }
    expect(changed).toBe(0)
    await letGo()
    // Others have changed meanwhile what they were to change; some find it out too often.
    const statuses = (await Promise.all(patches)).map(({ status }) => status)
    expect(statuses.filter((status) => status !== 200 && status !== 409)).toEqual([])
    expect(statuses).toContain(200)
  })
})

test('a handler whose own database is away says so in the same way', async () => {
  const log: Record<string, unknown>[] = []
  const api = defineApi({
    urls: defineUrls({ a: '/a/' }),
    logger: { error: (record) => log.push({ ...record }) },
  })
  const a = api.endpoint('a').get(() => {
    throw new DatabaseUnavailable('The archive at archive.internal is being moved.')
  })
  const { get } = client(api.serve([a], { configuration: configurationOf() }))
  for (let times = 0; times < 100; times++) expectAway(await get('/a/'))
  expect(log).toMatchObject([
    {
      event: 'database.unavailable',
      count: 1,
      method: 'GET',
      path: '/a/',
      endpoint: 'a',
      error: 'The archive at archive.internal is being moved.',
    },
  ])
})
