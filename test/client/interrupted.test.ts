// A walk that is interrupted at a thousand random places while rows come and go, over a service that fails now and then.
import { expect, test } from 'vitest'
import { createClient, routesOf } from '../../src/client.ts'
import {
  CursorPagination,
  arraySource,
  configurationOf,
  defineApi,
  defineUrls,
  list,
} from '../../src/index.ts'

/** Numbers from 0 to 1, the same for the same seed (a linear congruential generator). */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32
}

const urls = defineUrls({ rows: '/rows/' })

test('of 1,000 interrupted walks, each has every row that stayed once and in order (seed 16)', async () => {
  const random = randomFrom(16)
  const rows = Array.from({ length: 60 }, (_, i) => ({ id: 1000 * i }))
  const api = defineApi({ urls, pagination: new CursorPagination({ pageSize: 7, ordering: 'id' }) })
  const source = arraySource(rows, { key: 'id' })
  const app = api.serve([api.endpoint('rows').get(list({ source }))], {
    configuration: configurationOf({ SECRET_KEY: 'a long random text' }),
  })
  let failures = 0
  const clientOf = () =>
    createClient<typeof app>({
      baseUrl: 'http://localhost',
      routes: routesOf(urls),
      version: null,
      retry: { retries: 50 },
      clock: { sleep: () => Promise.resolve() },
      async fetch(url, init) {
        const fate = random()
        if (fate < 0.3) failures++
        if (fate < 0.1) throw new TypeError('reset')
        if (fate < 0.2) return Response.json({}, { status: fate < 0.15 ? 429 : 503 })
        const answer = await app.fetch(new Request(url, init))
        return fate < 0.3 ? new Response((await answer.text()).slice(0, -5), answer) : answer
      },
    })
  const change = (stable: ReadonlySet<number>) => {
    const at = Math.floor(random() * rows.length)
    if (random() < 0.5 && !stable.has(rows[at]!.id)) rows.splice(at, 1)
    else rows.push({ id: Math.floor(random() * 60_000) + 0.5 + random() / 4 })
    rows.sort((one, other) => one.id - other.id)
  }
  let interruptions = 0
  while (interruptions < 1000) {
    const stable = new Set(rows.filter(() => random() < 0.5).map(({ id }) => id))
    const seen: number[] = []
    let checkpoint = clientOf().rows('rows').checkpoint()
    for (let isOver = false; !isOver;) {
      const walk = clientOf().rows('rows').resume(checkpoint)
      let left = Math.floor(random() * 12)
      isOver = true
      for await (const { id } of walk) {
        seen.push(id)
        if (left-- === 0) {
          isOver = false
          break
        }
      }
      checkpoint = walk.checkpoint()
      if (!isOver) interruptions++
      change(stable)
    }
    expect(new Set(seen).size).toBe(seen.length)
    const kept = seen.filter((id) => stable.has(id))
    expect(kept).toEqual([...stable].toSorted((one, other) => one - other))
    rows.splice(120)
  }
  expect(failures).toBeGreaterThan(300)
})
