import type { Kernel } from '../ports/http-adapter.ts'
import type { Logger, ServedEndpoint } from '../ports/kernel.ts'
import type { Gauge } from '../ports/service-facts.ts'
import type { AfterAnswers } from '../pipeline/after-answer.ts'
import type { Database } from '../ports/database.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'
import {
  DatabaseUnavailable,
  DirectoryMissing,
  changedSinceApplied,
  migrationsThatAre,
} from '../errors/storage-errors.ts'
import type { AppAccounts, AppCounters, AppTasks } from './preset.ts'

/** @throws ConfigurationError a table is missing, or not as a migration makes it */
export async function requireTables(databases: readonly Database[]): Promise<void> {
  const statuses = await Promise.all(databases.map((database) => database.migrationStatus()))
  const changed = changedSinceApplied(statuses.flat())
  if (changed !== null) throw new ConfigurationError(changed)
  const names = migrationsThatAre(statuses.flat(), 'pending', 'late')
  if (names.length === 0) return
  throw new ConfigurationError(
    `The database is not up to date (${names.join(', ')}). Run: colophon migrate`,
  )
}

/** @throws ConfigurationError an endpoint, or the accounts, name a column that its table does not have */
async function requireColumns({ served, accounts }: Running): Promise<void> {
  const lacking = (await accounts?.lacks?.()) ?? null
  if (lacking !== null) throw new ConfigurationError(lacking)
  for (const each of served)
    for (const behaviour of Object.values(each.behaviours)) {
      const problem = (await behaviour.lacks?.(each)) ?? null
      if (problem !== null) throw new ConfigurationError(`${each.place}: ${problem}`)
    }
}

interface Asked extends Pick<ServedEndpoint, 'behaviours' | 'settings' | 'versions'> {
  readonly place: string
}

/** Requires the tables, but lets a server start without its database: if that cannot be asked now, requests ask it later. */
async function requireTablesIfKnown(running: Running): Promise<void> {
  try {
    await requireTables(running.databases)
    await requireColumns(running)
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable) || error instanceof DirectoryMissing) throw error
  }
}

/** The resources that an application opens, watches and closes. */
export interface Running {
  readonly accounts: AppAccounts | null
  readonly databases: readonly Database[]
  readonly served: readonly Asked[]
  readonly counters: AppCounters
  readonly afterAnswers: Pick<AfterAnswers<never>, 'size' | 'finished'>
  readonly tasks: AppTasks | undefined
  readonly logger: Logger
}

export function lifecycleOf(
  running: Running,
): Required<Pick<Kernel, 'open' | '~opening' | 'drain' | 'close'>> & { isDraining(): boolean } {
  const { counters, afterAnswers, tasks, logger } = running
  let draining = false
  let isOpen = false
  let opening: Promise<void> | null = null
  const open = async (): Promise<void> => {
    draining = false
    await requireTablesIfKnown(running)
    await counters.prepare()
    tasks?.start(logger)
    isOpen = true
  }
  return {
    isDraining: () => draining,
    open,
    '~opening': () => (isOpen ? null : (opening ??= open().finally(() => (opening = null)))),
    drain: () => void (draining = true),
    async close(patience) {
      await Promise.all([afterAnswers.finished(patience), tasks?.stop(patience)])
      await counters.close()
    },
  }
}

/** The gauges of all parts; those of a database are labelled with the name that probes give it. */
export function gaugesOf(running: Running): readonly Gauge[] {
  const { accounts, databases, counters, afterAnswers } = running
  const labelled = databases.flatMap((database, at) => {
    const named = { database: at === 0 && databases.length > 1 ? 'accounts' : 'database' }
    const gauges = database.gauges?.() ?? []
    return gauges.map((each) => ({ ...each, labels: { ...named, ...each.labels } }))
  })
  return [
    ...labelled,
    ...counters.gauges(),
    ...(accounts?.gauges?.() ?? []),
    { name: 'tasks_after_answers', value: afterAnswers.size },
  ]
}
