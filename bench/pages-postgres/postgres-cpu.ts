import { readFileSync, readdirSync } from 'node:fs'
import { openPostgres } from 'colophon/postgres'

/** The microseconds of a tick, in which Linux reports CPU time. */
const TICK = 10_000

/** Measures the CPU time, in microseconds, of all processes of a PostgreSQL server on this machine. */
export async function postgresCpu(url: string): Promise<() => number> {
  const database = openPostgres({ url })
  const { values } = await database.rows({ sql: 'select pg_backend_pid()', parameters: [] })
  const { parent } = statOf(Number(values[0]![0]))!
  await database.close()
  return () => cpuOf(parent)
}

/** The time of ended processes counts for their parent. */
function cpuOf(postmaster: number): number {
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const stats = processes.flatMap((name) => statOf(Number(name)) ?? [])
  const [own] = stats.filter(({ id }) => id === postmaster)
  const children = stats.filter(({ parent }) => parent === postmaster)
  return children.reduce((sum, { alone }) => sum + alone, own!.alone + own!.over) * TICK
}

/** The system's facts about a process; `null`: it has ended. */
function statOf(id: number) {
  const text = readOrNull(`/proc/${id}/stat`)
  if (text === null) return null
  // The fields follow the name, which may contain spaces.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const [parent, user, system, userOver, systemOver] = [1, 11, 12, 13, 14].map((place) =>
    Number(fields[place]),
  )
  return { id, parent: parent!, alone: user! + system!, over: userOver! + systemOver! }
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
