import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { configurationOf, defineApi } from '../../src/index.ts'
import { notebook } from '../behaviour/fixtures.ts'

// Only the clock that is never set back: requests take the time they take.
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

function service() {
  // It is a client's fault, and no error of the service.
  const { records, error: info } = notebook()
  const logger = { error: (record: object) => info({ ...record, level: 'error' }), info }
  const api = defineApi({ urls: { here: '/here/' }, logger })
  const app = api.serve([api.endpoint('here').get(() => 1)], { configuration: configurationOf() })
  const ask = async (host: string): Promise<number> =>
    (await app.fetch(new Request('http://localhost/here/', { headers: { host } }))).status
  return { ask, records }
}

test('a flood of refused hosts is one line a second, which says how many there were', async () => {
  const { ask, records } = service()
  const flood = async (): Promise<void> => {
    for (let at = 0; at < 500; at += 1) expect(await ask(`h${at}.evil.com`)).toBe(400)
  }
  const line = { event: 'host.refused', key: 'ALLOWED_HOSTS' }
  await flood()
  expect(records).toEqual([{ ...line, host: 'h0.evil.com', count: 1 }])
  vi.advanceTimersByTime(1000)
  await flood()
  expect(records.slice(1)).toEqual([{ ...line, host: 'h0.evil.com', count: 500 }])
  vi.advanceTimersByTime(1000)
  await ask('again.evil.com')
  expect(records.slice(2)).toEqual([{ ...line, host: 'again.evil.com', count: 500 }])
})

test('malformed hosts are counted with the others', async () => {
  const { ask, records } = service()
  for (const host of ['localhost:99999', 'evil.com', 'a b']) expect(await ask(host)).toBe(400)
  expect(records).toHaveLength(1)
})

test('a logger of errors alone is told, so that a mistyped ALLOWED_HOSTS is seen', async () => {
  const { records, error } = notebook()
  const api = defineApi({ urls: { here: '/here/' }, logger: { error } })
  const app = api.serve([api.endpoint('here').get(() => 1)], { configuration: configurationOf() })
  await app.fetch(new Request('http://localhost/here/', { headers: { host: 'mine.example' } }))
  expect(records).toMatchObject([{ event: 'host.refused', host: 'mine.example' }])
})
