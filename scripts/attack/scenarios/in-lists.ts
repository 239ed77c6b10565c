import type { Scenario } from '../scenario.ts'
import type { Service } from '../service.ts'
import { type Stage, tally, told } from '../stage.ts'
import { ask } from '../tools/ask.ts'

/** The number of lists, and the values in the first one; each next list has one value more. */
const [REQUESTS, FEWEST] = [700, 1500]
/** Bytes by which the service's memory may grow. */
const GROWTH = 150e6

/** If each length of list made its own statement, all of them would stay prepared. */
export const inLists: Scenario = {
  name: 'in-lists',
  sends: `${REQUESTS} lists filtered by id__in, each with another number of values`,
  run: async (stage) => flood(stage, await stage.onSqlite()),
}

export const inListsPostgres: Scenario = {
  name: 'in-lists-postgres',
  sends: `the same on PostgreSQL`,
  run: async (stage) => flood(stage, await stage.onPostgres()),
}

async function flood(stage: Stage, service: Service): Promise<void> {
  const statuses: number[] = []
  await stage.measure(service, async () => {
    for (let first = 0; first < REQUESTS; first += 4) {
      const numbers = [first, first + 1, first + 2, first + 3]
      const answers = await Promise.all(numbers.map((number) => ask(service.url + list(number))))
      statuses.push(...answers.map(({ status }) => status))
    }
  })
  const { before, peak } = stage.figures!.memory
  const answers = tally(statuses)
  stage.note(`answers: ${told(answers)}`)
  stage.expect('Each is answered, or refused with 400.', onlyThese(answers, ['200', '400']))
  stage.expect(`Memory grows by at most ${GROWTH / 1e6} MB.`, peak - before <= GROWTH)
}

/** Short values, so that thousands of them fit into a request line. */
const list = (number: number): string =>
  `/cities/?limit=1&id__in=${Array.from({ length: FEWEST + number }, (_, i) => i % 10).join(',')}`

function onlyThese(answers: Readonly<Record<string, number>>, allowed: string[]): boolean {
  return Object.keys(answers).every((status) => allowed.includes(status))
}
