import type { App } from '../../api/app.ts'
import { browserChecks } from './browsers.ts'
import { connectionChecks } from './connections.ts'
import { endpointChecks } from './endpoints.ts'
import { DatabaseUnavailable } from '../../errors/storage-errors.ts'
import type { Checks, Diagnosis, Examined } from './finding.ts'
import { limitChecks } from './limits.ts'
import { LIST_KINDS, behaviourFindings } from './lists.ts'
import { serviceChecks } from './service.ts'

const CHECKS: Checks = {
  ...serviceChecks,
  ...connectionChecks,
  ...browserChecks,
  ...limitChecks,
  ...endpointChecks,
}

/** Every kind of finding, in the order of a report. */
export const KINDS: readonly string[] = [...Object.keys(CHECKS), ...LIST_KINDS]

/**
 * What is unsafe or doubtful about the settings of an application, taken as what production would run. No request
 * is made, and nothing is written; the database is asked for its tables.
 */
export async function examine(app: App): Promise<readonly Diagnosis[]> {
  const examined = { ...app, endpoints: app.describe(), pending: await pendingMigrations(app) }
  const found = Object.entries(CHECKS).flatMap(([kind, check]) =>
    check(examined).map((each): Diagnosis => ({ kind, ...each })),
  )
  return [...found, ...behaviourFindings(examined)]
}

async function pendingMigrations({ accounts }: App): Promise<Examined['pending']> {
  try {
    return (await accounts?.database.pendingMigrations()) ?? []
  } catch (error) {
    if (error instanceof DatabaseUnavailable) return error
    throw error
  }
}
