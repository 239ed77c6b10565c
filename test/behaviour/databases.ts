import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import type { App } from '../../src/index.ts'
import { type Database, openSqlite } from '../../src/sqlite.ts'
import { NAMES, SERVERS, migratedDatabase } from '../setup/databases.ts'
import { type Door, type DoorName, doors } from './doors.ts'

/** A database with the tables of Colophon, gone after the tests of the file. */
export type OpenDatabase = () => Promise<Database>

/** Where accounts may be kept. */
export const DATABASES: readonly (readonly [name: string, open: OpenDatabase])[] = [
  ['SQLite', openFile],
  ...SERVERS.map(
    (dialect) => [NAMES[dialect], () => migratedDatabase(dialect, {}, afterAll)] as const,
  ),
]

/** A service on one of the databases; `on` is the name for titles. */
export type On<Service> = Service & { readonly on: string }

/** Starts a service on each database, for `describe.each` with `$on` in its title. */
export async function onDatabases<Service extends object>(
  start: (open: OpenDatabase) => Promise<Service>,
): Promise<readonly On<Service>[]> {
  return Promise.all(DATABASES.map(async ([on, open]) => ({ ...(await start(open)), on })))
}

/** Each service once for every door of its application. */
export function throughEveryDoor<Service extends { readonly on: string }>(
  services: readonly Service[],
  serve: (service: Service) => App,
): readonly (Service & { readonly door: Door; readonly through: DoorName })[] {
  return services.flatMap((service) =>
    doors(serve(service)).map((door) => ({ ...service, door, through: door.name })),
  )
}

async function openFile(): Promise<Database> {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-'))
  const database = openSqlite({ path: join(folder, 'app.sqlite') })
  afterAll(() => {
    database.close()
    rmSync(folder, { recursive: true })
  })
  await database.migrate()
  return database
}
