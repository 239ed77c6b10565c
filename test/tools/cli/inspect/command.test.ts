// What the command takes, and what it refuses.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openPostgres } from '../../../../src/storage/postgres/open.ts'
import { openSqlite } from '../../../../src/storage/sqlite/open.ts'
import { temporaryDirectory, temporaryPath } from '../../../contract/temporary.ts'
import { migratedDatabaseUrl } from '../../../setup/databases.ts'
import { generatePrisma } from '../../../storage/prisma/clients.ts'
import { createSchema, inspect, programFolder, runStatements } from './written.ts'

const path = temporaryPath(afterAll)
const database = ['--database', `sqlite:${path}`]

beforeAll(async () => {
  const file = openSqlite({ path })
  await file.migrate()
  await createSchema(file, 'hostile-sqlite.sql')
  file.close()
})

/** The files that were written, or why not. */
async function written(...args: readonly string[]): Promise<Readonly<Record<string, string>>> {
  const out = temporaryDirectory()
  const { status, complaint, output } = await inspect(...args, '--out', out)
  if (status !== 0) throw new Error(complaint)
  const names = ['tables.ts', 'stores.ts', 'serializers.ts', 'urls.ts', 'app.ts']
  const files = names.map((name) => [name, readFileSync(join(out, name), 'utf8')])
  return { ...Object.fromEntries(files), output }
}

describe('which tables', () => {
  test('--tables: these, by their names and by a pattern', async () => {
    const { 'stores.ts': stores } = await written(...database, '--tables', 'pri*e*,pair')
    expect([...stores!.matchAll(/^export const (\w+) = sql/gm)].map(([, name]) => name)).toEqual([
      'pair',
      'price',
      'priceList',
      'priceTag',
    ])
  })

  test('--exclude: all but these; what referred to them is a plain field, and said to be', async () => {
    const files = await written(...database, '--tables', 'price*', '--exclude', 'price')
    expect(files['serializers.ts']).toContain('  price: field.integer(),\n')
    expect(files['app.ts']).toContain('// Only the database checks that price leads to price.')
  })

  test('our own tables are left to us', async () => {
    expect((await written(...database))['tables.ts']).not.toContain('colophon')
  })

  test('tables of another schema are written where they are named', async () => {
    const url = await migratedDatabaseUrl('postgres', afterAll)
    const server = openPostgres({ url })
    await createSchema(server, 'hostile-postgres.sql')
    await server.close()
    const usual = await written('--database', url)
    expect(usual['tables.ts']).not.toContain('audit')
    const named = await written('--database', url, '--tables', 'audit.*,article')
    expect(named['stores.ts']).toContain(
      `export const auditEntry = sqlTable({ database, db, table: 'audit.entry', key: 'id' })`,
    )
    expect(named['serializers.ts']).toContain('find: (key) => stores.article.find(key)')
    expect(named['output']).toContain('audit.odd.name: its name cannot be written in a query')
  })
})

describe('names', () => {
  test('--naming snake', async () => {
    const files = await written(...database, '--tables', 'account,price_list', '--naming', 'snake')
    expect(files['serializers.ts']).toContain('  token_count: field.integer({ required: false }),')
    expect(files['urls.ts']).toContain(`resourceUrls('price_list', '/price_list/', ':id<int>')`)
  })

  test('a column that is called so already keeps its name', async () => {
    const { 'serializers.ts': serializers } = await written(...database, '--tables', 'class')
    expect(serializers).toContain('  userId: field.text({ nullable: true, required: false }),')
    expect(serializers).toContain(`  userId2: field.text({ source: 'user id'`)
    expect(serializers).toContain('  userId3: field.related(')
    expect(serializers).toContain('export const class_ = serializer({')
  })
})

describe('what is not written', () => {
  test('secrets, in no serializer; and they are told', async () => {
    const { 'serializers.ts': serializers, output } = await written(...database)
    for (const name of ['password_hash', 'apiToken', 'reset token']) {
      expect(serializers).toContain(`  // ${name} is a secret, by its name, so it is left out.`)
      expect(serializers).not.toContain(`source: '${name}'`)
      expect(output).toContain(`account.${name}: a secret, by its name, so it is left out.`)
    }
    expect(serializers).not.toMatch(/^export const session/m)
  })

  test('tokens and sessions of other frameworks, whose columns have plain names', async () => {
    const other = temporaryPath()
    const file = openSqlite({ path: other })
    await runStatements(file, [
      'create table authtoken_token (key varchar(40) primary key, user_id integer not null unique)',
      'create table django_session (session_key varchar(40) primary key, session_data text not null)',
      'create table sessions (id varchar(40) primary key, payload text, sess json, room text)',
      'create table setting (key varchar(40) primary key, value text, " spaced" text)',
      'create table " led" (id integer primary key)',
    ])
    file.close()
    const named = ['--database', `sqlite:${other}`, '--tables', '*']
    const { 'serializers.ts': serializers, output } = await written(...named)
    expect(output).toContain('authtoken_token: its key key is a secret, by its name')
    expect(output).toContain('django_session: its key session_key is a secret, by its name')
    // Kysely would ask for the names without their spaces.
    expect(output).toContain('led: its name cannot be written in a query')
    expect(output).toContain('setting. spaced: called what no field can be')
    const fields = [...serializers!.matchAll(/^ +(\w+): /gm)].map(([, name]) => name)
    expect(fields).toEqual(['id', 'room', 'key', 'value'])
  })

  test('who may do what, unless it is named: tables of Django, and users with rights', async () => {
    const other = temporaryPath()
    const file = openSqlite({ path: other })
    await runStatements(file, [
      'create table auth_user (id integer primary key, password text, is_superuser bool not null)',
      'create table auth_group (id integer primary key, name text)',
      'create table django_content_type (id integer primary key, model text)',
      'create table shop_user (id integer primary key, password_hash text, role text)',
      'create table shop_user_groups (id integer primary key, group_id integer references auth_group (id))',
      'create table staff (staff_id integer primary key, password text, user_id integer references auth_user (id))',
    ])
    file.close()
    const args = ['--database', `sqlite:${other}`, '--exclude', 'django_*']
    const { 'tables.ts': tables, 'app.ts': app, output } = await written(...args)
    expect(tables).toContain('export interface Tables {\n  staff: StaffTable\n}')
    for (const text of [app, output]) {
      for (const name of ['auth_user', 'auth_group', 'shop_user_groups'])
        expect(text).toContain(`${name}: a table of users, rights or Django itself, by its name`)
      expect(text).toContain('shop_user: a table of passwords and rights, by its columns')
      expect(text).not.toContain('django')
    }
    const named = await written(...args.slice(0, 2), '--tables', 'auth_user')
    expect(named['tables.ts']).toContain('auth_user: AuthUserTable')
  })

  test('nothing of the database gets out of literals and comments', async () => {
    for (const [name, text] of Object.entries(await written(...database))) {
      if (name === 'output') continue
      const code = text.replaceAll(
        /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\/\/.*$|\/\*[^]*?\*\//gm,
        '',
      )
      expect(code).not.toContain('process')
    }
  })

  test('what is printed commands no terminal', async () => {
    const other = temporaryPath()
    const file = openSqlite({ path: other })
    await runStatements(file, [
      'create table "\u001B[2Jnote\u001B[31m" (id integer primary key, "\u001B[1m secret" text)',
    ])
    file.close()
    const { output } = await written('--database', `sqlite:${other}`)
    expect(output).toContain('secret')
    expect(output).not.toContain('\u001B')
  })

  test('the same database gives the same files', async () => {
    expect(await written(...database)).toEqual({
      ...(await written(...database)),
      output: expect.any(String),
    })
  })
})

const SCHEMA = `import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
export const prices = sqliteTable('price', { id: integer().primaryKey(), KEYS })
export const other = 1`

describe('over a schema of Drizzle', () => {
  let folder = ''
  let number = 0
  const over = async (keys: string, text = SCHEMA, name = `schema${++number}.ts`) => {
    const module = join(folder, name)
    writeFileSync(module, text.replace('KEYS', keys))
    return inspect(...database, '--for', 'drizzle', '--schema', module, '--out', folder, '--force')
  }
  beforeAll(() => {
    mkdirSync('.docs-check', { recursive: true })
    folder = mkdtempSync(join(resolve('.docs-check'), 'schema-'))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  test('only its tables are written, with its names', async () => {
    const { complaint, output } = await over("sum: integer('amount')")
    expect(complaint).toBe('')
    expect(output).toContain('account: the schema has no such table, so it is left out.')
    expect(output).toContain('Written to')
    expect(output).not.toContain('tables.ts')
    const stores = readFileSync(join(folder, 'stores.ts'), 'utf8')
    expect(stores).toContain("import { drizzle } from 'drizzle-orm/sqlite-proxy'")
    expect(stores).toContain("from './schema1.ts'")
    expect(readFileSync(join(folder, 'serializers.ts'), 'utf8')).toContain('  sum: field.integer(')
    expect(stores).toContain('drizzle(async () => ({ rows: [] }))')
    expect(stores).toContain(
      "price = drizzleTable({ database, db, table: schema.prices, key: 'id' })",
    )
  })

  test.each([
    "sum: customType<{ data: string }>({ dataType: () => 'date' })('amount')",
    "sum: text('more')",
  ])('a table that drizzleTable would refuse for "%s" is left out', async (sum) => {
    const text = SCHEMA.replace('{ integer', '{ customType, integer').replaceAll(
      'other = 1',
      "list = sqliteTable('price_list', { id: integer().primaryKey() })",
    )
    const { complaint, output } = await over(sum, text)
    expect(complaint).toBe('')
    expect(output).toContain(
      'price: drizzleTable would not have the values of "sum" as Drizzle has them, so it is left out.',
    )
    expect(readFileSync(join(folder, 'stores.ts'), 'utf8')).not.toContain('schema.prices')
  })

  test.each<{ title: string; keys?: string; text?: string; name?: string; complaint: string }>([
    {
      title: 'a column that the database has not',
      keys: 'nowhere: text()',
      complaint: 'The column "nowhere" of the schema is not in the table price of the database.',
    },
    {
      title: 'no table',
      text: 'export const other = 1',
      complaint: 'exports no table of Drizzle.',
    },
    { title: 'a module that is broken', text: "import './nowhere'", complaint: 'Cannot load' },
    ...['#', '?', '%'].map((sign) => ({
      title: `a path with ${sign}`,
      keys: "sum: integer('amount')",
      name: `db${sign}1.ts`,
      complaint: 'because of #, ? or %. Rename it.',
    })),
    {
      title: 'a schema of another database',
      text: SCHEMA.replaceAll('sqlite', 'pg'),
      complaint: 'The schema is not one of SQLite, which the database is.',
    },
  ])('$title is refused', async ({ keys = '', text, name, complaint }) => {
    const refused = await over(keys, text, name)
    expect(refused.status).toBe(1)
    expect(refused.complaint).toContain(complaint)
  })

  test('an export that is no identifier is written as a text', async () => {
    const text = `${SCHEMA.replace('export const prices', 'const prices')}
export { prices as 'our-prices' }`
    expect((await over("sum: integer('amount')", text)).complaint).toBe('')
    expect(readFileSync(join(folder, 'stores.ts'), 'utf8')).toContain(
      "table: schema['our-prices'],",
    )
  })

  test('--for needs --schema', async () => {
    const { status, complaint } = await inspect(...database, '--for', 'drizzle')
    expect([status, complaint]).toEqual([
      1,
      'colophon: Name both: --for drizzle --schema src/schema.ts, or --for prisma --schema src/db.ts, which exports the client.',
    ])
  })
})

describe('over a schema of Prisma', () => {
  const folder = programFolder()
  let number = 0
  const over = async (module: string, model?: string, provider = 'sqlite') => {
    const place = join(folder, String(++number))
    mkdirSync(place)
    const head = `generator client {\n provider = "prisma-client"\n output = "./generated"\n}
      datasource db {\n provider = "${provider}"\n}\n`
    if (model !== undefined) await generatePrisma(place, `${head}\n${model}`)
    writeFileSync(join(place, 'db.ts'), module)
    return inspect(...database, '--for', 'prisma', '--schema', join(place, 'db.ts'), '--out', place)
  }
  const client = `import { PrismaLibSql } from '@prisma/adapter-libsql'
    import { PrismaClient } from './generated/client.ts'
    export default new PrismaClient({ adapter: new PrismaLibSql({ url: 'file:${path}' }) })`
  const ofPostgres = client
    .replaceAll('PrismaLibSql', 'PrismaPg')
    .replace('libsql', 'pg')
    .replace('url: ', 'connectionString: ')

  test('only its models are written, with its names and those keys that Prisma knows', async () => {
    const { complaint, output } = await over(
      client,
      `/// "A price" // model Price {
      model Price {
        number Int    @unique @map("id") // @id
        sum    Int    @map("amount") @default(7)
        @@map("price")
      }
      model List {
        id Int
        kind Kind @unique @map("name")
        @@id([id, kind])
        @@map("price_list")
      }
      enum Kind {
        a
      }`,
    )
    expect(complaint).toBe('')
    expect(output).toContain('account: the schema has no such model, so it is left out.')
    expect(output).toContain('price_list: prismaTable needs a single field with @id or @unique')
    const stores = readFileSync(join(folder, String(number), 'stores.ts'), 'utf8')
    expect(stores).toContain("import prisma from './db.ts'")
    expect(stores).toContain('A file is another one than that of Prisma. */')
    expect(stores).toContain("price = prismaTable({ prisma, model: 'price', key: 'number' })")
    const serializers = readFileSync(join(folder, String(number), 'serializers.ts'), 'utf8')
    expect(serializers).toContain('  sum: field.integer({ required: false }),')
  })

  test('an export that is no identifier is imported by a text', async () => {
    const named = client.replace('export default', 'const made =') + "\nexport { made as 'our-db' }"
    await over(named, 'model price {\n id Int @id\n}')
    expect(readFileSync(join(folder, String(number), 'stores.ts'), 'utf8')).toContain(
      "import { 'our-db' as prisma } from './db.ts'",
    )
  })

  test.each([
    {
      title: 'a client that was not generated',
      module: "import './generated/client.ts'",
      complaint: 'make it first: npx prisma generate',
    },
    { title: 'no client', module: 'export const a = {}', complaint: 'exports no client of Prisma' },
    {
      title: 'a client of another version',
      module:
        "export const a = { _runtimeDataModel: {}, _activeProvider: 'sqlite', _clientVersion: '6.1.0' }",
      complaint: 'It takes a PrismaClient of Prisma 7.',
    },
    {
      title: 'a field that the database has not',
      module: client,
      model: 'model price {\n id Int @id\n nowhere Int\n}',
      complaint: 'The field "nowhere" of the schema is not in the table price of the database.',
    },
    {
      title: 'a schema of another database',
      module: ofPostgres,
      model: 'model price {\n id Int @id\n}',
      provider: 'postgresql',
      complaint: 'The provider of the schema is postgresql, and the database is SQLite.',
    },
  ])('$title is refused', async ({ module, model, provider, complaint }) => {
    const refused = await over(module, model, provider)
    expect(refused.status).toBe(1)
    expect(refused.complaint).toContain(complaint)
  })
})

describe('refusals', () => {
  test('files that are there are not replaced, but by --force', async () => {
    const out = temporaryDirectory()
    writeFileSync(join(out, 'app.ts'), 'mine')
    const refused = await inspect(...database, '--out', out)
    expect(refused.status).toBe(1)
    expect(refused.complaint).toContain('has app.ts already')
    expect(readFileSync(join(out, 'app.ts'), 'utf8')).toBe('mine')
    expect((await inspect(...database, '--out', out, '--force')).status).toBe(0)
    expect(readFileSync(join(out, 'app.ts'), 'utf8')).toContain('api.serve')
  })

  test.each([
    [['--tables', 'pric'], 'There is no table "pric". Did you mean "price"?'],
    [['--exclude', 'nothing*'], 'There is no table "nothing*".'],
    [['--tables', 'price', '--exclude', 'price'], 'There are no tables to write for.'],
  ])('%j', async (args, complaint) => {
    const out = join(temporaryDirectory(), 'out')
    const refused = await inspect(...database, ...args, '--out', out)
    expect(refused).toEqual({ status: 1, output: '', complaint: `colophon: ${complaint}` })
  })

  test.each(['', ' ,'])('--tables %j, such as of an unset variable, is not all', async (names) => {
    const out = join(temporaryDirectory(), 'out')
    const { status, complaint } = await inspect(...database, '--tables', names, '--out', out)
    expect([status, complaint]).toEqual([2, expect.stringContaining('It names none.')])
    expect(existsSync(out)).toBe(false)
  })

  test('a file that is not there is not made', async () => {
    const { status, complaint } = await inspect('--database', 'sqlite:nowhere.sqlite')
    expect(status).toBe(1)
    expect(complaint).toMatch(/^colophon: There is no database at .*nowhere\.sqlite\./)
  })

  test('an address of another kind', async () => {
    const { complaint } = await inspect('--database', 'oracle://x')
    expect(complaint).toMatch(/^colophon: --database begins with "oracle:".* sqlite:PATH/)
  })

  test('a database without tables', async () => {
    const empty = temporaryPath()
    const file = openSqlite({ path: empty })
    await runStatements(file, ['create view v as select 1'])
    file.close()
    const { complaint } = await inspect('--database', `sqlite:${empty}`)
    expect(complaint).toBe('colophon: There are no tables to write for.')
  })
})
