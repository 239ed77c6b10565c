import { onTestFinished } from 'vitest'
import type { Migrations, SqlDatabase } from 'colophon/sql'
import { temporaryPath } from '../../../contract/temporary.ts'
import { type DialectName, SERVERS, emptyDatabaseUrl } from '../../../setup/databases.ts'
import { opened } from './open.ts'

export const NAMES: readonly DialectName[] = ['sqlite', ...SERVERS]

export interface Place {
  /** A path, or the address on a server. */
  readonly where: string
  /** The same database, for another version of an application. */
  open(migrations?: Migrations): SqlDatabase
}

/** An empty database. */
export async function emptyPlace(name: DialectName): Promise<Place> {
  const where = name === 'sqlite' ? temporaryPath() : await emptyDatabaseUrl(name)
  return {
    where,
    open(migrations) {
      const database = opened(name, where, migrations)
      onTestFinished(() => database.close())
      return database
    },
  }
}

/** The names of the tables of Colophon that are there. */
export async function ourTables(database: SqlDatabase): Promise<readonly string[]> {
  const tables = await database.kysely().introspection.getTables({ withInternalKyselyTables: true })
  return tables
    .map(({ name }) => name)
    .filter((name) => /^colophon_(?!migration|application)/.test(name))
    .toSorted()
}
