// I12, E-rules: whatever comes over the wire, the conformance service answers without an error of its own. The same
// requests, thirty times as many, are a scenario of `npm run attack`.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DATA, type Entry, readEntries, readWorld } from '../../conformance/data.ts'
import { type ServiceProcess, startService } from '../../conformance/service-process.ts'
import { answersTo, flood } from '../../scripts/attack/hostile/flood.ts'
import { requestText } from '../../scripts/attack/tools/wire.ts'

const REQUESTS = 20_000
const seed = Number(process.env['HOSTILE_SEED'] ?? Math.floor(Math.random() * 2 ** 32))
const entries = readEntries(DATA)
const world = {
  paths: [...entries.filter((entry) => !failsOnPurpose(entry)).map(({ path }) => path), '/login/'],
  tokens: readWorld(DATA).tokens.map(({ key }) => key),
}
let service: ServiceProcess

beforeAll(async () => {
  service = await startService(DATA)
})
afterAll(() => service.stop())

test(`20,000 random hostile requests get no 5xx (HOSTILE_SEED=${seed})`, async () => {
  const limits = { requests: REQUESTS, milliseconds: Infinity, connections: 4, seed }
  const { sent, answers, suspects } = await flood(service.url, world, limits)
  expect(sent).toBeGreaterThanOrEqual(REQUESTS)
  expect(await culpritsAmong(suspects.flat())).toEqual([])
  expect(suspects).toEqual([])
  // It did answer, and in more than one way.
  expect(Object.keys(answers)).toEqual(expect.arrayContaining(['200', '400', '401', '403', '404']))
  const total = Object.values(answers).reduce((sum, count) => sum + count, 0)
  expect(total).toBeGreaterThan(REQUESTS / 2)
})

test('afterwards every address answers, and only those with a 5xx that make one on purpose', async () => {
  const wrong: string[] = []
  for (const entry of entries) {
    const path = entry.path.replace(/<id>/g, '1').replace(/<\w+>/g, 'v1')
    const answers = await answersTo(service.url, [requestText(`GET ${path}`)])
    const fails = Object.keys(answers).some((status) => status >= '500')
    if (fails !== isUnavailable(entry)) wrong.push(`${path}: ${JSON.stringify(answers)}`)
  }
  expect(wrong).toEqual([])
})

test.each([
  ['/errors/server-error/', '500'],
  ['/errors/crash/', '500'],
  ['/errors/unavailable/', '503'],
  ['/auth/unavailable/any/', '503'],
])('%s is the %s that it makes on purpose', async (path, status) => {
  expect(await answersTo(service.url, [requestText(`GET ${path}`)])).toHaveProperty(status, 1)
})

function failsOnPurpose(entry: Entry): boolean {
  return entry.view === 'error' || isUnavailable(entry)
}

/** A scheme that always raises a 503. */
function isUnavailable({ config }: Entry): boolean {
  return config?.authentication_classes?.includes('UnavailableAuthentication') ?? false
}

/** Which of the requests are answered with a 5xx, each asked alone. */
async function culpritsAmong(requests: readonly string[]): Promise<string[]> {
  const culprits: string[] = []
  for (const request of requests.slice(0, 500)) {
    const answers = await answersTo(service.url, [request])
    if (Object.keys(answers).some((status) => status >= '500')) culprits.push(request.slice(0, 500))
  }
  return culprits
}
