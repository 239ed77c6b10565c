// Clients that write and read in random order: does each see what it has written itself?
import { Dice } from '../../scripts/attack/hostile/dice.ts'
import { configurationOf, defineApi, defineUrls } from '../../src/index.ts'
import { type PostgresUrlOptions, openPostgres } from '../../src/postgres.ts'

const CLIENTS = 8

interface Steps {
  readonly steps: number
  /** Do clients send the place up to which they have written? */
  readonly withPlace: boolean
  readonly seed: number
}

/** What came of the steps. */
export interface OwnWrites {
  /** Reads that showed less than their client had written. */
  violations: number
  byReplica: number
  reads: number
}

interface Note {
  readonly value: number
  readonly replica: boolean
}

/** All clients at once, each one step after the other; two thirds of the steps are reads. */
export async function readsOfOwnWrites(
  options: PostgresUrlOptions,
  { steps, withPlace, seed }: Steps,
): Promise<OwnWrites> {
  const database = openPostgres(options)
  const ask = await service(database)
  const found: OwnWrites = { violations: 0, byReplica: 0, reads: 0 }
  const client = async (id: number): Promise<void> => {
    const dice = new Dice(seed + id)
    let [value, after] = [0, (await ask(id, '', 0)).after]
    for (let step = 0; step < steps / CLIENTS; step++) {
      if (dice.below(3) === 0) {
        const written = await ask(id, '', ++value)
        if (withPlace) after = written.after
        continue
      }
      const read = await ask(id, after)
      found.reads++
      if (read.replica) found.byReplica++
      if (read.value !== value) found.violations++
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, (_, id) => client(id)))
  await database.close()
  return found
}

/** Reads a note, or writes it. */
async function service(database: ReturnType<typeof openPostgres>) {
  const run = (sql: string, ...parameters: unknown[]) => ({ sql, parameters })
  await database.write(run('drop table if exists own_note'))
  await database.write(run('create table own_note (id int primary key, value int not null)'))
  for (let id = 0; id < CLIENTS; id++)
    await database.write(run('insert into own_note values ($1, 0)', id))
  const urls = defineUrls({ note: '/notes/:id<int>/' })
  const api = defineApi({ urls, database, reads: 'replica' })
  const note = api
    .endpoint('note')
    .get(async ({ params }) => {
      const sql = 'select value, pg_is_in_recovery() as replica from own_note where id = $1'
      return (await database.read(run(sql, params.id)))[0]
    })
    .put(async (request) => {
      const { value } = (await request.body()) as { value: number }
      const sql = 'update own_note set value = $2 where id = $1'
      await database.write(run(sql, request.params.id, value))
      return { value, replica: false }
    })
  const { fetch } = api.serve([note], { configuration: configurationOf() })
  return async (id: number, after: string | null, value?: number) => {
    const headers = {
      'Content-Type': 'application/json',
      ...(after !== null && { 'Read-After': after }),
    }
    const written = value === undefined ? {} : { method: 'PUT', body: JSON.stringify({ value }) }
    const answer = await fetch(
      new Request(`http://localhost/notes/${id}/`, { headers, ...written }),
    )
    if (answer.status !== 200) throw new Error(`It answers ${answer.status}.`)
    return { ...((await answer.json()) as Note), after: answer.headers.get('Read-After') }
  }
}
