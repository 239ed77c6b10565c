import type { Scenario } from '../scenario.ts'
import { tally, told } from '../stage.ts'
import { ask } from '../tools/ask.ts'
import { CITIES } from '../target/tables.ts'

const REQUESTS = 20

/** The operator limits the size of pages with the key MAX_PAGE_SIZE. */
export const hugePages: Scenario = {
  name: 'huge-pages',
  sends: `${REQUESTS} times ?limit=1000000000 of a list with ${CITIES} rows, and a deep offset`,
  async run(stage) {
    const service = await stage.onSqlite()
    await stage.measure(service, async () => {
      const statuses: number[] = []
      for (let i = 0; i < REQUESTS; i++) {
        const offset = i % 2 === 0 ? '' : `&offset=${CITIES - 10}`
        statuses.push((await ask(`${service.url}/cities/?limit=1000000000${offset}`)).status)
      }
      stage.note(`answers: ${told(tally(statuses))}`)
      stage.expect(
        'None is an error of ours.',
        statuses.every((status) => status < 500),
      )
    })
  },
}
