import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import type { App } from '../../src/index.ts'
import { openSqlite } from '../../src/sqlite.ts'
import type { SqlDatabase } from '../../src/sql.ts'
import { NAMES, SERVERS, migratedDatabase } from '../setup/databases.ts'
import { lacking } from '../setup/environment.ts'
import { type Door, type DoorName, doorsOn } from './doors.ts'

/** A database with the tables of Colophon, gone after the tests of the file. */
export type OpenDatabase = () => Promise<SqlDatabase>

/** Where accounts may be kept. */
export const DATABASES: readonly (readonly [name: string, open: OpenDatabase])[] = [
  ['SQLite', openFile],
  ...SERVERS.filter((dialect) => !lacking().includes(NAMES[dialect])).map(
    (dialect) => [NAMES[dialect], () => migratedDatabase(dialect, {}, afterAll)] as const,
  ),
]

/** A service on one of the databases; `on` is the name for titles. */
export type On<Service> = Service & { readonly on: string }

/**
 * Starts a service on each database, for `describe.each` with `$on` in its title: for sentences about what a database
 * compares, orders, counts or keeps.
 */
export async function onDatabases<Service extends object>(
  start: (open: OpenDatabase) => Promise<Service>,
): Promise<readonly On<Service>[]> {
  return Promise.all(DATABASES.map(async ([on, open]) => ({ ...(await start(open)), on })))
}

/** Starts a service on SQLite alone: for sentences that are decided before a database is asked, such as those about headers. */
export async function onSqlite<Service extends object>(
  start: (open: OpenDatabase) => Promise<Service>,
): Promise<readonly On<Service>[]> {
  const [on, open] = DATABASES[0]!
  return [{ ...(await start(open)), on }]
}

/** Each service once for every door that is tried there (`doorsOn`). */
export function throughEveryDoor<Service extends { readonly on: string }>(
  services: readonly Service[],
  serve: (service: Service) => App,
): readonly (Service & { readonly door: Door; readonly through: DoorName })[] {
  return services.flatMap((service) =>
    doorsOn(service.on, serve(service)).map((door) => ({ ...service, door, through: door.name })),
  )
}

async function openFile(): Promise<SqlDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-'))
  const database = openSqlite({ path: join(folder, 'app.sqlite') })
  afterAll(() => {
    database.close()
    rmSync(folder, { recursive: true })
  })
  await database.migrate()
  return database
}
