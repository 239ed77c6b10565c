import { onTestFinished } from 'vitest'
import {
  MemoryCounters,
  type Settings,
  UserRateThrottle,
  configurationOf,
  defineApi,
} from '../../src/index.ts'
import type { CounterStore } from '../../src/types.ts'
import { type RunningServer, serve } from '../../src/node.ts'

/** One endpoint with a limit by user and address, on a real socket. */
export async function throttled(
  settings: Partial<Settings> = {},
  keys: Readonly<Record<string, unknown>> = {},
  counters: CounterStore = new MemoryCounters(),
) {
  const throttles = [new UserRateThrottle({ rate: '5/h' })]
  const logger = { error: () => {} }
  const api = defineApi({ urls: { one: '/one/' }, logger, counters, throttles, ...settings })
  const configuration = configurationOf(keys)
  const app = api.serve([api.endpoint('one').get(() => 'one')], { configuration })
  const server: RunningServer = await serve(app, { port: 0 })
  onTestFinished(() => server.close())
  /** How many of these requests pass. */
  const passing = async (requests: readonly Readonly<Record<string, string>>[]) => {
    const answers = await Promise.all(
      requests.map(async (headers) => {
        const answer = await fetch(`${server.url}/one/`, { headers })
        await answer.text()
        return answer.status
      }),
    )
    return answers.filter((status) => status === 200).length
  }
  return { app, passing }
}

/** The `X-Forwarded-For` of so many requests, each different. */
export const rotating = (count: number, addressOf: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => ({ 'x-forwarded-for': addressOf(i) }))
