import type { Scenario } from '../scenario.ts'
import { tally, told } from '../stage.ts'
import { ask } from '../tools/ask.ts'

const TIMES = 5

/** Reading numbers of JSON exactly costs hardly more than reading them at all. */
export const bigNumbers: Scenario = {
  name: 'big-numbers',
  sends: `${TIMES} bodies of 2.4 MB: small integers, and one number of 20 digits among them`,
  async run(stage) {
    const service = await stage.onSqlite()
    const numbers = `${'12345,'.repeat(400_000)}12345678901234567890`
    const body = `[${numbers}]`
    const statuses: number[] = []
    await stage.measure(service, async () => {
      for (let i = 0; i < TIMES; i++) {
        const { status } = await ask(`${service.url}/echo/`, { method: 'POST', text: body })
        statuses.push(status)
      }
    })
    stage.note(`answers: ${told(tally(statuses))}`)
    stage.expect(
      'Each is answered.',
      statuses.every((status) => status === 200),
    )
  },
}
