import { type Connection, type RowDataPacket, createConnection } from 'mysql2/promise'
import { type afterAll, onTestFinished } from 'vitest'
import { type MysqlOptions, type MysqlUrlOptions, openMysql } from '../../src/storage/mysql/open.ts'
import {
  type PostgresOptions,
  type PostgresUrlOptions,
  openPostgres,
} from '../../src/storage/postgres/open.ts'
import type { ServerDatabase } from '../../src/storage/sql/sql-database.ts'
import { addressesOf } from './addresses.ts'
import type { ServerDialect } from './dialects.ts'

export * from './dialects.ts'

/** The addresses of a server of this run, which starts when the first test asks. */
export interface ServerAddresses {
  readonly url: string
  readonly socketUrl: string
}

/** Fails if the server is missing: a test that needs it is never skipped. */
export function serverOf(dialect: ServerDialect): Promise<ServerAddresses> {
  return addressesOf(dialect)
}

type Options = Partial<
  Omit<PostgresUrlOptions & PostgresOptions & MysqlUrlOptions & MysqlOptions, 'url' | 'pool'>
>

/** The moment of clearing up: after the test, or by `afterAll` after the tests of a file. */
type Later = typeof onTestFinished | typeof afterAll

/** The address of an empty database, which is deleted after the test, or at the moment of `later`. */
export function emptyDatabaseUrl(dialect: ServerDialect, later?: Later): Promise<string> {
  return databaseUrl(dialect, '', later)
}

/** An empty database, closed after the test. */
export async function emptyDatabase(
  dialect: ServerDialect,
  options: Options = {},
): Promise<ServerDatabase> {
  return opened(dialect, await emptyDatabaseUrl(dialect), options)
}

/** A database with the tables of Colophon. */
export async function migratedDatabase(
  dialect: ServerDialect,
  options: Options = {},
  later: Later = onTestFinished,
): Promise<ServerDatabase> {
  return opened(dialect, await migratedDatabaseUrl(dialect, later), options, later)
}

/** The address of a database with the tables of Colophon. */
export async function migratedDatabaseUrl(
  dialect: ServerDialect,
  later: Later = onTestFinished,
): Promise<string> {
  if (dialect === 'postgres') return databaseUrl(dialect, ` template ${await template()}`, later)
  const url = await databaseUrl(dialect, '', later)
  const { connection, definitions } = await (copier ??= makeCopier())
  await connection.query(`use ${nameIn(url)};${definitions}`)
  return url
}

const directly = (url: string): string => url
let way = directly

/** Opens all databases through another way, such as a pooler, until the result is called. */
export function goBy(other: typeof way): () => void {
  way = other
  return () => void (way = directly)
}

/** Opens the same database again, with its own connections. */
export function opened(
  dialect: ServerDialect,
  url: string,
  options: Options = {},
  later: Later = onTestFinished,
): ServerDatabase {
  const open = { postgres: openPostgres, mysql: openMysql }[dialect]
  const database = open({ url: way(url), ...options })
  later(() => database.close())
  return database
}

/** The placeholder with this position, counted from 1. */
export function placeholder(dialect: ServerDialect, position: number): string {
  return dialect === 'postgres' ? `$${position}` : '?'
}

async function databaseUrl(
  dialect: ServerDialect,
  options: string,
  later: Later = onTestFinished,
): Promise<string> {
  const { url } = await serverOf(dialect)
  const name = newName()
  const strategy = dialect === 'postgres' ? await (copying ??= wayToCopy()) : ''
  await administrate(dialect, `create database ${name}${options}${strategy}`)
  const forced = dialect === 'postgres' ? ' with (force)' : ''
  later(() => administrate(dialect, `drop database ${name}${forced}`))
  return url.replace(/\/\w+$/, `/${name}`)
}

function newName(): string {
  return `test_${crypto.randomUUID().replaceAll('-', '')}`
}

/** Time-outs for the connections of all tests, which must not fail because the machine is busy. */
const PATIENT = { connectTimeout: 300_000, statementTimeout: 300_000 }

const administrators = new Map<ServerDialect, Promise<ServerDatabase>>()

/** A connection for all tests of a thread: logging in takes longer than making a database. */
function administratorOf(dialect: ServerDialect): Promise<ServerDatabase> {
  const administrator = administrators.get(dialect) ?? openAdministrator(dialect)
  administrators.set(dialect, administrator)
  return administrator
}

async function administrate(dialect: ServerDialect, sql: string): Promise<void> {
  await (await administratorOf(dialect)).write({ sql, parameters: [] })
}

async function openAdministrator(dialect: ServerDialect): Promise<ServerDatabase> {
  const { url } = await serverOf(dialect)
  return { postgres: openPostgres, mysql: openMysql }[dialect]({ url, connections: 2, ...PATIENT })
}

let copying: Promise<string> | null = null

/** Copying files costs half as much as the log, which PostgreSQL prefers from 15 on. */
async function wayToCopy(): Promise<string> {
  const sql = "select current_setting('server_version_num')::integer"
  const { values } = await (await administratorOf('postgres')).rows({ sql, parameters: [] })
  return Number(values[0]![0]) < 150_000 ? '' : ' strategy file_copy'
}

let made: Promise<string> | null = null

/** A database with tables for copies: PostgreSQL copies it as fast as it makes an empty one. */
function template(): Promise<string> {
  return (made ??= makeTemplate())
}

async function makeTemplate(): Promise<string> {
  return nameIn(await databaseMigrated('postgres'))
}

let copier: Promise<Copier> | null = null

/** MariaDB cannot copy a database, so this sends the definitions of tables at once, for a ninth of the cost of migrations. */
interface Copier {
  readonly connection: Connection
  readonly definitions: string
}

async function makeCopier(): Promise<Copier> {
  const url = await databaseMigrated('mysql')
  const connection = await createConnection({
    uri: url,
    multipleStatements: true,
    connectTimeout: PATIENT.connectTimeout,
  })
  const rows = async (sql: string) => (await connection.query<RowDataPacket[]>(sql))[0]
  const copied: string[] = []
  for (const { name } of await rows(TABLES)) {
    copied.push((await rows(`show create table ${name}`))[0]!['Create Table'])
    copied.push(`insert into ${name} select * from ${nameIn(url)}.${name}`)
  }
  for (const { name } of await rows(ROUTINES))
    copied.push((await rows(`show create procedure ${name}`))[0]!['Create Procedure'])
  // A table may refer to a later one.
  const definitions = ['set foreign_key_checks = 0', ...copied, 'set foreign_key_checks = 1']
  return { connection, definitions: definitions.join(';') }
}

const TABLES =
  'select table_name as name from information_schema.tables where table_schema = database()'
const ROUTINES =
  'select routine_name as name from information_schema.routines where routine_schema = database()'

/** The address of a database with the tables of Colophon, for all tests of a thread. */
async function databaseMigrated(dialect: ServerDialect): Promise<string> {
  const url = await databaseUrl(dialect, '', () => {})
  const database = { postgres: openPostgres, mysql: openMysql }[dialect]({ url, ...PATIENT })
  await database.migrate()
  await database.close()
  return url
}

function nameIn(url: string): string {
  return url.split('/').at(-1)!
}
