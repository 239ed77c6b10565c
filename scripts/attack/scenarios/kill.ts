import { DatabaseSync } from 'node:sqlite'
import type { Scenario } from '../scenario.ts'
import type { Service } from '../service.ts'
import { AUTHORIZED } from '../stage.ts'
import { ask } from '../tools/ask.ts'
import { pause } from '../tools/pause.ts'

const [ROUNDS, WRITERS, MILLISECONDS] = [5, 4, 600]

/** Acknowledged writes are kept, wherever in a write the process is killed. */
export const kill: Scenario = {
  name: 'kill-9',
  sends: `${ROUNDS} × kill -9, while ${WRITERS} clients write to SQLite`,
  async run(stage) {
    const path = await stage.world.sqliteFile()
    const acknowledged: string[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const service = await stage.start(stage.world.keys(`sqlite:${path}`))
      const writers = Array.from({ length: WRITERS }, (_, i) =>
        write(service, `${round}-${i}`, acknowledged),
      )
      await pause(MILLISECONDS)
      await service.kill()
      await Promise.all(writers)
    }
    const { lost, intact } = look(path, acknowledged)
    stage.note(`${acknowledged.length} acknowledged writes, ${lost} lost`)
    stage.expect('There were writes.', acknowledged.length >= ROUNDS)
    stage.expect('No acknowledged write is lost.', lost === 0)
    stage.expect('The database is intact.', intact)
  },
}

async function write({ url }: Service, name: string, acknowledged: string[]): Promise<void> {
  for (let number = 0; ; number++) {
    const json = { slug: `${name}-${number}`, text: 'text' }
    const { status } = await ask(`${url}/notes/`, { method: 'POST', headers: AUTHORIZED, json })
    if (status !== 201) return
    acknowledged.push(json.slug)
  }
}

function look(path: string, slugs: readonly string[]): { lost: number; intact: boolean } {
  const database = new DatabaseSync(path)
  try {
    const one = database.prepare('select 1 from note where slug = ?')
    const lost = slugs.filter((slug) => one.get(slug) === undefined).length
    const check = database.prepare('pragma integrity_check').get()
    return { lost, intact: check?.['integrity_check'] === 'ok' }
  } finally {
    database.close()
  }
}
