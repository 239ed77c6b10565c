import { randomBytes } from 'node:crypto'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DatabaseServer, startPostgres } from '../servers/postgres.ts'
import { prepare } from './target/tables.ts'

/** Configuration keys of a service. */
export type Keys = Readonly<Record<string, string>>

/** Databases for the services under attack; `close` deletes them. */
export class World {
  readonly #folder = mkdtempSync(join(tmpdir(), 'colophon-attack-'))
  readonly #secret = randomBytes(32).toString('hex')
  #template: Promise<string> | null = null
  #postgres: Promise<DatabaseServer> | null = null
  #copies = 0

  /** Makes an SQLite database with all rows, and gives its path. */
  async sqliteFile(folder = this.#folder): Promise<string> {
    const path = join(folder, `${++this.#copies}.sqlite`)
    copyFileSync(await (this.#template ??= this.#makeTemplate()), path)
    return path
  }

  /** The address of a PostgreSQL with all rows, which starts when it is first asked for. */
  async postgresUrl(): Promise<string> {
    return (await (this.#postgres ??= this.startPostgres())).url
  }

  /** Starts another PostgreSQL with all rows, for a scenario that stops it. */
  async startPostgres(): Promise<DatabaseServer> {
    const server = await startPostgres()
    await prepare(this.keys(server.url))
    return server
  }

  /** The configuration of the operator. */
  keys(databaseUrl: string): Keys {
    return { DATABASE_URL: databaseUrl, SECRET_KEY: this.#secret, ...PRODUCTION }
  }

  async close(): Promise<void> {
    const postgres = await this.#postgres?.catch(() => null)
    await postgres?.stop()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  async #makeTemplate(): Promise<string> {
    const path = join(this.#folder, 'template.sqlite')
    await prepare(this.keys(`sqlite:${path}`))
    return path
  }
}

/** Keys that the documents recommend for production. */
const PRODUCTION: Keys = {
  ALLOWED_HOSTS: 'localhost,127.0.0.1',
  MAX_PAGE_SIZE: '1000',
}
