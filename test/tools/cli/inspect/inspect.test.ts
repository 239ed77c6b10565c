// Databases that were designed elsewhere: what is written for them compiles, serves, and does what it says.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { overSchema } from '../../../../src/tools/cli/inspect/inspect.ts'
import { type OverSchema, throughSchema } from '../../../../src/tools/cli/inspect/over.ts'
import { type Plan, planOf } from '../../../../src/tools/cli/inspect/plan.ts'
import { openMysql } from '../../../../src/storage/mysql/open.ts'
import { openPostgres } from '../../../../src/storage/postgres/open.ts'
import { openSqlite } from '../../../../src/storage/sqlite/open.ts'
import { column } from '../../../../src/storage/sql/migrations/column-kinds.ts'
import {
  createTable,
  defineMigrations,
  migration,
} from '../../../../src/storage/sql/migrations/steps.ts'
import type { FoundTable } from '../../../../src/storage/sql/schema-reader.ts'
import type { SqlDatabase } from '../../../../src/storage/sql/sql-database.ts'
import { temporaryPath } from '../../../contract/temporary.ts'
import { type DialectName, migratedDatabaseUrl } from '../../../setup/databases.ts'
import { type Program, smoke } from './smoke.ts'
import {
  compilerOn,
  createSchema,
  formatterOn,
  inspect,
  programFolder,
  runStatements,
} from './written.ts'
import { generatePrisma } from '../../../storage/prisma/clients.ts'
import { withEnvironment } from '../../../setup/environment.ts'

interface Case {
  readonly name: string
  readonly on: DialectName
  /** A file of SQL, or migrations. */
  readonly schema: string | typeof OWN
  /** Rows that only exist together. */
  readonly seeds?: readonly string[]
  readonly given?: Program['given']
  /** Over tables of Drizzle, or models of Prisma: as `drizzle-kit pull` and `prisma db pull` write them, or with names of their own. */
  readonly over?: 'drizzle' | 'prisma'
}

/** Every kind of column that migrations make. */
const OWN = defineMigrations([
  migration('0001_tables', [
    createTable('team', { id: column.id(), name: column.text({ maxLength: 20, unique: true }) }),
    createTable(
      'item',
      {
        id: column.id(),
        team: column.references('team', { onDelete: 'cascade' }),
        count: column.integer(),
        ratio: column.float({ nullable: true }),
        price: column.decimal({ maxDigits: 8, decimalPlaces: 2 }),
        done: column.boolean({ default: false }),
        note: column.text({ default: '' }),
        state: column.choice(['open', 'closed'], { default: 'open' }),
        day: column.date(),
        at: column.time(),
        due: column.dateTime(),
        made: column.dateTime({ default: 'now' }),
        bytes: column.bytes({ nullable: true }),
      },
      { unique: [['team', 'count']] },
    ),
    createTable(
      'place',
      { row: column.integer(), seat: column.integer() },
      { primaryKey: ['row', 'seat'] },
    ),
  ]),
])

/** A store has a manager, who works in a store. */
const STAFF = [
  `insert into country (country_id, country) values (1, 'Norway')`,
  `insert into city (city_id, city, country_id) values (1, 'Oslo', 1)`,
  `insert into address (address_id, address, district, city_id, phone) values (1, 'a', 'b', 1, 'c')`,
  `insert into staff (staff_id, first_name, last_name, address_id, store_id, username)
    values (100, 'Ada', 'L', 1, 100, 'ada')`,
  `insert into store (store_id, manager_staff_id, address_id) values (100, 100, 1)`,
]

const CASES: readonly Case[] = [
  { name: 'chinook', on: 'sqlite', schema: 'chinook.sql' },
  { name: 'chinook-2', on: 'mysql', schema: 'chinook.sql' },
  {
    name: 'sakila',
    on: 'mysql',
    schema: 'sakila.sql',
    seeds: ['set foreign_key_checks = 0', ...STAFF, 'set foreign_key_checks = 1'],
  },
  {
    name: 'pagila',
    on: 'postgres',
    schema: 'pagila.sql',
    seeds: [
      'set local session_replication_role = replica',
      ...STAFF,
      ...['country', 'city', 'address'].map(
        (table) => `select nextval('${table}_${table}_id_seq')`,
      ),
    ],
    // Prisma calls PG-13 otherwise than the database.
    given: { 'film.rating': 'G' },
  },
  {
    name: 'hostile-sqlite',
    on: 'sqlite',
    schema: 'hostile-sqlite.sql',
    seeds: ['insert into pair values (7, 8)'],
    given: {
      'child.x': 7,
      'child.y': 8,
      '2 words; drop.odd': 3,
      'account.password_hash': 'x',
      // A trigger writes it.
      'account.token_count': 1,
      'blobs.picture': new Uint8Array([1]),
    },
  },
  {
    name: 'hostile-postgres',
    on: 'postgres',
    schema: 'hostile-postgres.sql',
    given: {
      'article.from': '2022-01-01',
      'article.to': '2022-01-02',
      'article.editor_email': null,
      'document.content': '{}',
    },
  },
  {
    name: 'hostile-mysql',
    on: 'mysql',
    schema: 'hostile-mysql.sql',
    given: { 'code.secret_key': 'x' },
  },
  { name: 'own-sqlite', on: 'sqlite', schema: OWN },
  { name: 'own-postgres', on: 'postgres', schema: OWN },
  { name: 'own-mysql', on: 'mysql', schema: OWN },
]

const OVER = CASES.filter(({ name }) => /^(?:chinook|sakila|pagila)$/.test(name)).flatMap((each) =>
  (['drizzle', 'prisma'] as const).map((over): Case => ({
    ...each,
    name: `${each.name}-${over}`,
    over,
  })),
)

const folder = programFolder()
const clients = programFolder()

const ADAPTERS: Readonly<Record<DialectName, (url: string) => readonly [string, string, string]>> =
  {
    sqlite: (url) => ['PrismaLibSql', 'libsql', `{ url: '${url.replace('sqlite:', 'file:')}' }`],
    postgres: (url) => ['PrismaPg', 'pg', `{ connectionString: '${url}' }`],
    mysql: (url) => ['PrismaMariaDb', 'mariadb', `'${url.replace('mysql:', 'mariadb:')}'`],
  }

/** The module that a team has. */
async function moduleOf({ name, on, over }: Case, url: string): Promise<string> {
  const file = join(import.meta.dirname, 'schemas', name.replace(`-${over}`, ''))
  if (over === 'drizzle') return `${file}.ts`
  const place = join(clients, name)
  mkdirSync(place)
  await generatePrisma(place, readFileSync(`${file}.prisma`, 'utf8'))
  const [adapter, library, options] = ADAPTERS[on](url)
  const lines = [
    `import { ${adapter} } from '@prisma/adapter-${library}'`,
    `import { PrismaClient } from './generated/client.ts'`,
    `export const db = new PrismaClient({ adapter: new ${adapter}(${options}) })`,
  ]
  writeFileSync(join(place, 'db.ts'), lines.join('\n'))
  return join(place, 'db.ts')
}

async function addressOf(on: DialectName): Promise<string> {
  return on === 'sqlite' ? `sqlite:${temporaryPath(afterAll)}` : migratedDatabaseUrl(on, afterAll)
}

function opened(on: DialectName, url: string, schema: Case['schema']): SqlDatabase {
  const own = typeof schema === 'string' ? {} : { migrations: schema }
  if (on === 'sqlite') return openSqlite({ path: url.slice('sqlite:'.length), ...own })
  return on === 'postgres' ? openPostgres({ url, ...own }) : openMysql({ url, ...own })
}

const programs = await Promise.all(
  [...CASES, ...OVER].map(async (each) => {
    const { over } = each
    const url = await addressOf(each.on)
    const database = opened(each.on, url, each.schema)
    afterAll(() => database.close())
    if (typeof each.schema === 'string') await createSchema(database, each.schema)
    else await database.migrate()
    await runStatements(database, each.seeds ?? [])
    const out = join(folder, each.name)
    const path = over === undefined ? '' : await moduleOf(each, url)
    const options = over === undefined ? [] : ['--for', over, '--schema', path]
    const ran = await inspect('--database', url, '--out', out, ...options)
    const found = await (await database.dialect.catalogue())(database)
    const place = { cwd: '/', dialect: database.dialect.name, folder: out, found }
    const named = over === undefined ? {} : { for: over, schema: path }
    const schema = await overSchema({ for: undefined, schema: undefined, ...named }, place)
    const catalogue = schema === null ? found : throughSchema(found, schema)
    const tables = catalogue.tables.filter(
      ({ name, isElsewhere }) => !isElsewhere && !name.startsWith('colophon_'),
    )
    return {
      ...each,
      url,
      out,
      ran,
      plan: planOf(catalogue, tables, 'camel'),
      ...columnsOf(schema, found.tables),
    }
  }),
)

/** What the database calls a column. */
function columnsOf(
  schema: OverSchema | null,
  tables: readonly FoundTable[],
): Pick<Program, 'columnOf'> {
  if (schema === null) return {}
  return {
    columnOf(name, property) {
      const own = [...schema.columnsOf(tables.find((table) => table.name === name)!)]
      return own.find(([, each]) => each.property === property)![0]
    },
  }
}

/** The program as it was written, on its database. */
async function started(out: string, url: string, plan: Plan): Promise<Program> {
  const env = {
    DATABASE_URL: url,
    SECRET_KEY: 'Xq7vLm2RzT9bKc4WnYp8GsDf3HjUe6AoBi5CtExMrNkPwQy1',
  }
  const { default: app } = await withEnvironment(env, () => import(join(out, 'app.ts')))
  const { database } = await import(join(out, 'stores.ts'))
  afterAll(() => database.close())
  return { app, plan, db: database.kysely() }
}

test('what is written compiles with the strictest settings, and is formatted', async () => {
  expect(programs.map(({ ran }) => ran.complaint)).toEqual(programs.map(() => ''))
  expect(await compilerOn(folder)).toBe('')
  expect(await formatterOn(folder)).toBe('')
})

test('there are more than thirty tables', () => {
  const tables = programs
    .filter(({ name, over }) => name !== 'chinook-2' && over === undefined)
    .map(({ plan }) => plan.resources.length)
  expect(tables.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(30)
})

/** One line of each kind that the columns of a database come to. */
const LINES: Readonly<Record<string, readonly string[]>> = {
  chinook: [
    `artistId: field.related({ find: (key) => stores.artist.find(key) }, { source: 'ArtistId' }),`,
    `unitPrice: field.decimal({ source: 'UnitPrice', maxDigits: 10, decimalPlaces: 2 }),`,
    `email: field.email({ source: 'Email', maxLength: 60 }),`,
  ],
  'chinook-2': [
    `artistId: field.integer({ source: 'ArtistId', validators: [unique(stores.artist, 'ArtistId')] }),`,
  ],
  sakila: [
    'active: field.boolean({ required: false }),',
    'length: field.integer({ min: 0, max: 65535, nullable: true, required: false }),',
    `lastUpdate: field.dateTime({ source: 'last_update', readOnly: true }),`,
    `createDate: field.dateTime({ source: 'create_date', naive: 'utc' }),`,
    '// password is a secret, by its name, so it is left out.',
    `uniqueTogether(stores.rental, ['rental_date', 'inventory_id', 'customer_id'])`,
  ],
  pagila: [
    `rentalDate: field.dateTime({ source: 'rental_date', naive: 'utc' }),`,
    `paymentDate: field.dateTime({ source: 'payment_date' }),`,
    'specialFeatures: field.list(field.text(), {',
    `rating: field.choice(['G', 'PG', 'PG-13', 'R', 'NC-17'], {`,
    `createDate: field.date({ source: 'create_date', readOnly: true }),`,
  ],
  'chinook-prisma': [
    `artistId: field.related({ find: (key) => stores.artist.find(key) }, { source: 'ArtistId' }),`,
    `birthDate: field.dateTime({`,
    `total: field.decimal({ source: 'Total', maxDigits: 10, decimalPlaces: 2 }),`,
  ],
  'sakila-prisma': [
    'rentalDuration: field.integer({ min: 0, max: 255, required: false }),',
    `rating: field.choice(['G', 'PG', 'PG_13', 'R', 'NC_17'], { nullable: true, required: false }),`,
    `uniqueTogether(stores.rental, ['rentalDate', 'inventoryId', 'customerId'])`,
    `validators: [unique(stores.store, 'managerStaffId')]`,
  ],
  'pagila-prisma': [
    `createDate: field.date({ source: 'create_date', readOnly: true }),`,
    `// fulltext is of the type tsvector, so it is left out.`,
    'specialFeatures: field.list(field.text(), {',
  ],
  'hostile-sqlite': [
    // As Django makes them.
    'priceId: field.related({ find: (key) => stores.price.find(key) }, {',
  ],
  'hostile-postgres': [
    'id: field.uuid({ readOnly: true }),',
    'level: field.integer({ min: 1, max: 100 }),',
    'score: field.float({ min: -1.5, max: 10, nullable: true, required: false }),',
    `status: field.choice(['new', 'old'], { required: false }),`,
    'nick: field.text({ minLength: 2, maxLength: 20 }),',
    'address: field.ip({ nullable: true, required: false }),',
    'settings: field.json({ required: false }),',
    'loud: field.text({ readOnly: true, nullable: true }),',
    'state: field.text({ required: false }),',
    'amount: field.decimal({ min: 0, maxDigits: 12, decimalPlaces: 3, required: false }),',
    // It leads to a column that is not the key.
    'editorEmail: field.email({',
    '// moods is of the type mood[], so it is left out.',
  ],
  'hostile-mysql': [
    'tiny: field.integer({ min: -128, max: 127 }),',
    `state: field.choice(['on', 'off']),`,
    'data: field.json({ required: false }),',
    'twice: field.integer({ readOnly: true, nullable: true }),',
    `key: field.uuid({ validators: [unique(stores.select, 'key')] }),`,
    'name: field.text({ maxLength: 40, allowBlank: true, required: false }),',
  ],
  'own-sqlite': [
    'done: field.boolean({ required: false }),',
    'due: field.dateTime(),',
    `state: field.choice(['open', 'closed'], { required: false }),`,
    `{ validators: [uniqueTogether(stores.item, ['team', 'count'])] },`,
  ],
}

test.each(Object.entries(LINES))('the fields of %s', (name, lines) => {
  const { out } = programs.find((each) => each.name === name)!
  const written = readFileSync(join(out, 'serializers.ts'), 'utf8')
  expect(lines.filter((line) => !written.includes(line))).toEqual([])
})

describe.each(programs)('$name on $on', ({ out, url, plan, given = {}, columnOf }) => {
  test('every resource does what it says', async () => {
    const program = await started(out, url, plan)
    const found = await smoke({ ...program, given, columnOf })
    const expected = plan.resources.map(({ name, key, creates }) => {
      if (key === null) return [name, '200 200 405 true']
      return [name, `${creates ? 201 : 405} 200 200 200 200 200 204 404`]
    })
    expect(found).toEqual(Object.fromEntries(expected))
  })
})
