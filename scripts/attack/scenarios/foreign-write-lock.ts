import { DatabaseSync } from 'node:sqlite'
import type { Scenario } from '../scenario.ts'
import { AUTHORIZED, tally, told } from '../stage.ts'
import { ask } from '../tools/ask.ts'
import { pause } from '../tools/pause.ts'

const [WRITES, HELD] = [12, 3000]

/** While another process has the only write lock of SQLite, our process must wait without stopping. */
export const foreignWriteLock: Scenario = {
  name: 'foreign-write-lock',
  sends: `${WRITES} POSTs, while another process writes to the SQLite file for ${HELD / 1000} s`,
  async run(stage) {
    const path = await stage.world.sqliteFile()
    const service = await stage.start(stage.world.keys(`sqlite:${path}`))
    const foreign = new DatabaseSync(path)
    try {
      await stage.measure(
        service,
        async () => {
          foreign.exec('begin immediate')
          const writing = Array.from({ length: WRITES }, (_, i) => write(service.url, i))
          await pause(HELD)
          foreign.exec('rollback')
          const statuses = await Promise.all(writing)
          stage.note(`writes: ${told(tally(statuses))}`)
          stage.expect(
            'Each write is done, or refused with 503.',
            statuses.every((status) => status === 201 || status === 503),
          )
        },
        { probe: '/cities/1/', headers: AUTHORIZED },
      )
    } finally {
      foreign.close()
    }
  },
}

async function write(url: string, number: number): Promise<number> {
  const json = { slug: `note-${number}`, text: 'text' }
  return (await ask(`${url}/notes/`, { method: 'POST', headers: AUTHORIZED, json })).status
}
