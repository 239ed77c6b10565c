import pg from 'pg'
import type { Scenario } from '../scenario.ts'
import type { Service } from '../service.ts'
import { AUTHORIZED, tally, told } from '../stage.ts'
import { ask } from '../tools/ask.ts'
import { pause } from '../tools/pause.ts'

/** More changes than the service has connections, so that those that wait for the row hold all of them. */
const [CHANGES, HELD] = [24, 3000]

/** A foreign lock on one row must not take up every connection to the database. */
export const lockedRow: Scenario = {
  name: 'locked-row',
  sends: `${CHANGES} PATCHes of a row that another transaction holds locked for ${HELD / 1000} s`,
  async run(stage) {
    const url = await stage.world.postgresUrl()
    const service = await stage.start(stage.world.keys(url))
    const json = { slug: 'locked', text: 'text' }
    await ask(`${service.url}/notes/`, { method: 'POST', headers: AUTHORIZED, json })
    const foreign = new pg.Client(url)
    await foreign.connect()
    try {
      await stage.measure(
        service,
        async () => {
          await foreign.query(`begin; select * from note where slug = 'locked' for update`)
          const changes = Array.from({ length: CHANGES }, (_, i) => change(service, i))
          await pause(HELD)
          await foreign.query('rollback')
          const statuses = await Promise.all(changes)
          stage.note(`changes: ${told(tally(statuses))}`)
          stage.expect(
            'Each change is done, or refused with 409 or 503.',
            statuses.every((status) => [200, 409, 503].includes(status)),
          )
        },
        { probe: '/cities/1/', headers: AUTHORIZED },
      )
    } finally {
      await foreign.end()
    }
  },
}

async function change({ url }: Service, number: number): Promise<number> {
  const json = { text: `text ${number}` }
  const answer = await ask(`${url}/notes/locked/`, { method: 'PATCH', headers: AUTHORIZED, json })
  return answer.status
}
