import { describe, expect, test } from 'vitest'
import {
  type Step,
  type TablesOf,
  addColumn,
  column,
  createIndex,
  createTable,
  defineMigrations,
  dropColumn,
  dropIndex,
  dropTable,
  migration,
  plainSql,
  renameColumn,
  renameTable,
  run,
  sqlTable,
} from 'colophon/sql'
import { NAMES, emptyPlace } from './place.ts'
import { ownText } from '../../../../src/storage/sql/migrations/column-kinds.ts'

const first = migration('0001_tables', [
  createTable('organisation', {
    code: column.text({ maxLength: 20, primaryKey: true }),
    name: column.text({ maxLength: 100, unique: true }),
  }),
  createTable(
    'ticket',
    {
      id: column.id(),
      organisation: column.references('organisation', {
        key: 'code',
        as: column.text({ maxLength: 20 }),
        onDelete: 'cascade',
      }),
      title: column.text({ maxLength: 200 }),
      body: column.text({ default: '' }),
      status: column.choice(['open', 'closed'], { default: 'open' }),
      created: column.dateTime({ default: 'now' }),
      closed: column.dateTime({ nullable: true }),
      due: column.date({ nullable: true }),
      at: column.time({ nullable: true }),
      price: column.decimal({ maxDigits: 10, decimalPlaces: 2, default: '0' }),
      urgent: column.boolean({ default: false }),
      weight: column.float({ nullable: true }),
      votes: column.integer({ default: 0 }),
      token: column.uuid({ nullable: true, unique: true }),
      data: column.bytes({ nullable: true }),
    },
    { unique: [['organisation', 'title']], indexes: [['status', 'created']] },
  ),
])
const second = migration('0002_more', [
  addColumn('ticket', 'priority', column.choice(['low', 'high'], { default: 'low' })),
  addColumn(
    'ticket',
    'parent',
    column.references('ticket', { nullable: true, onDelete: 'set null' }),
  ),
  renameColumn('ticket', 'votes', 'score'),
  dropIndex('ticket', ['status', 'created']),
  dropColumn('ticket', 'weight'),
  createIndex('ticket', ['score']),
  plainSql("insert into organisation (code, name) values ('acme', 'Acme')"),
  run((db) =>
    db
      .withTables<{ ticket: { organisation: string; title: string } }>()
      .insertInto('ticket')
      .values({ organisation: 'acme', title: 'First' })
      .execute(),
  ),
])
const all = defineMigrations([first, second])
type Tables = TablesOf<typeof all>

const referring = (to: string) =>
  defineMigrations([
    migration('0001_wrong', [
      createTable('team', { id: column.id() }),
      createTable('person', { id: column.id(), team: column.references(to) }),
    ]),
  ])

const neededIn = (table: object) =>
  (table as { '~needed'(): Promise<readonly string[]> })['~needed']()

/** What a database fills by itself, and how it may fill anything. */
const ODD: Readonly<Record<(typeof NAMES)[number], readonly [string[], string, string]>> = {
  sqlite: [
    [],
    'id integer primary key not null, d integer generated always as (1) not null',
    'create trigger filling before insert on odd begin select 1; end',
  ],
  postgres: [
    ["create domain mood as text default 'fine'"],
    'id integer generated always as identity primary key, d mood not null, e serial, f integer generated always as (1) stored not null',
    'create rule filling as on insert to odd do also select 1',
  ],
  mysql: [
    [],
    "id integer auto_increment primary key, d enum('x', 'y') not null, e timestamp not null, f integer as (1) virtual",
    "create trigger filling before insert on odd for each row set new.a = 'x'",
  ],
}

describe.each(NAMES)('migrations of an application on %s', (name) => {
  test('make tables whose defaults, rows and constraints are as they say', async () => {
    const begun = Date.now()
    const database = (await emptyPlace(name)).open(all)
    expect(await database.migrate()).toEqual(
      expect.arrayContaining(['0001_users', '0001_tables', '0002_more']),
    )
    expect(await database.pendingMigrations()).toEqual([])
    expect(await database.migrate()).toEqual([])
    const db = database.kysely<Tables>()
    const tickets = sqlTable({ database, db, table: 'ticket', key: 'id' })
    expect(await neededIn(tickets)).toEqual(['organisation', 'title'])
    const found = (await tickets.find(1))!
    expect(found).toMatchObject({
      title: 'First',
      body: '',
      status: 'open',
      score: 0,
      priority: 'low',
      parent: null,
    })
    // The clock of the database may be in whole seconds.
    expect(Number(new Date(found.created))).toBeGreaterThan(begun - 1000)
    expect(Number(new Date(found.created))).toBeLessThan(Date.now() + 1000)
    expect([Number(found.price), Number(found.urgent)]).toEqual([0, 0])
    const row = await tickets.insert({
      organisation: 'acme',
      title: 'Second',
      closed: '2024-02-29T12:30:00.5Z',
      due: '2024-02-29',
      at: '08:30:00',
      price: '12.50',
      urgent: true,
      token: '0190f5a1-0000-7000-8000-000000000001',
      data: new Uint8Array([1, 2]),
      parent: 1,
    })
    expect(new Date(row.closed!).toISOString()).toBe('2024-02-29T12:30:00.500Z')
    expect(Number(row.price)).toBe(12.5)
    await tickets.insert({ organisation: 'acme', title: 'Third', closed: new Date(0) })
    const rejected = (values: object) =>
      Promise.resolve(tickets.insert({ organisation: 'acme', title: 'x', ...values })).then(
        () => 'was kept',
        (error: { kind?: string; columns?: readonly string[] }) => [
          error.kind,
          ...(error.columns ?? []),
        ],
      )
    expect(await rejected({ title: 'Second' })).toEqual(['unique', 'organisation', 'title'])
    expect(await rejected({ status: 'lost' })).toEqual(['invalid', 'status'])
    expect(await rejected({ organisation: 'none' })).toEqual(['does_not_exist', 'organisation'])
    expect(await rejected({ title: null })).toEqual(['null', 'title'])
    expect(await rejected({ title: 'x'.repeat(201) })).toEqual(['max_length', 'title'])
    expect((await rejected({ due: 'soon' })).slice(1)).toEqual(['due'])
    expect((await rejected({ closed: 'soon' })).slice(1)).toEqual(['closed'])
    await tickets.remove(1)
    expect((await tickets.find(row.id))!.parent).toBeNull()
    await db.deleteFrom('organisation').where('code', '=', 'acme').execute()
    expect(await db.selectFrom('ticket').selectAll().execute()).toEqual([])
  })

  test('what an insert has to give is known, but for what the database may fill', async () => {
    const database = (await emptyPlace(name)).open()
    const write = (sql: string) => database.write({ sql, parameters: [] })
    const needed = () => {
      const db = database.kysely<{ odd: { id: number } }>()
      return neededIn(sqlTable({ database, db, table: 'odd', key: 'id' }))
    }
    const [before, columns, trigger] = ODD[name]
    for (const sql of before) await write(sql)
    await write(
      `create table odd (a varchar(9) not null, b integer not null default 1, c integer, ${columns})`,
    )
    expect(await needed()).toEqual(['a'])
    await write(trigger)
    expect(await needed()).toEqual([])
  })

  test('texts are compared byte by byte, in keys and in what is unique', async () => {
    const database = (await emptyPlace(name)).open(all)
    await database.migrate()
    const db = database.kysely<Tables>()
    const names = ['alice', 'Alice', 'alice ', 'älice', 'alicé']
    for (const each of names)
      await db.insertInto('organisation').values({ code: each, name: each }).execute()
    const found = db.selectFrom('organisation').select('name').where('code', '=', 'Alice')
    expect(await found.execute()).toEqual([{ name: 'Alice' }])
  })

  test('an error is told at its column, whatever the columns are called', async () => {
    const words = defineMigrations([
      migration('1_words', [
        createTable('words', {
          id: column.id(),
          date: column.date({ nullable: true }),
          length: column.text({ maxLength: 3, nullable: true }),
          order: column.date({ nullable: true }),
          is: column.choice(['a', "it's"], { nullable: true }),
        }),
      ]),
    ])
    const database = (await emptyPlace(name)).open(words)
    await database.migrate()
    const db = database.kysely<TablesOf<typeof words>>()
    const table = sqlTable({ database, db, table: 'words', key: 'id' })
    const columnOf = (values: object) =>
      Promise.resolve(table.insert(values)).then(
        () => 'was kept',
        ({ columns }: { readonly columns?: readonly string[] }) => columns,
      )
    expect(await columnOf({ order: 'soon' })).toEqual(['order'])
    expect(await columnOf({ length: 'long' })).toEqual(['length'])
    expect(await columnOf({ is: 'b' })).toEqual(['is'])
    expect(await columnOf({ is: "it's", order: '2024-02-29', length: 'abc' })).toBe('was kept')
  })

  test('a reference to a table that is not there is refused', async () => {
    const place = await emptyPlace(name)
    await expect(place.open(referring('teams')).migrate()).rejects.toThrow(
      name === 'mysql' ? /0001_wrong failed.*person/s : /0001_wrong failed.*teams/s,
    )
  })

  test('columns with references, and tables, go and get other names', async () => {
    const { open } = await emptyPlace(name)
    await open(all).migrate()
    const third = migration('0003_less', [
      dropColumn('ticket', 'parent'),
      dropColumn('ticket', 'title'),
      renameTable('ticket', 'issue'),
      dropColumn('issue', 'token'),
    ])
    const longer = defineMigrations([first, second, third])
    const database = open(longer)
    expect(await database.migrate()).toEqual(['0003_less'])
    const rows = await database
      .kysely<TablesOf<typeof longer>>()
      .selectFrom('issue')
      .selectAll()
      .execute()
    expect(Object.keys(rows[0]!)).not.toEqual(expect.arrayContaining(['title']))
    const gone = defineMigrations([
      first,
      second,
      third,
      migration('0004_none', [dropTable('issue')]),
    ])
    expect(await open(gone).migrate()).toEqual(['0004_none'])
  })
  test.each([
    ['dropTable', dropTable('organisation')],
    ['plain SQL', plainSql('DROP TABLE if exists organisation')],
  ])(
    'a table that others refer to is not dropped by %s, and no row of theirs is lost',
    async (_, drop) => {
      const { open } = await emptyPlace(name)
      await open(all).migrate()
      const without = open(defineMigrations([first, second, migration('0003_drop', [drop])]))
      await expect(without.migrate()).rejects.toThrow(
        /^The migration 0003_drop failed: .*(?:ticket still refers|depend|foreign key)/,
      )
      expect(await without.read({ sql: 'select title from ticket', parameters: [] })).toEqual([
        { title: 'First' },
      ])
    },
  )
  test('names may be anything, and stay names and texts', async () => {
    const table = 'a"b`c\'d'
    const text = `it's \\' not the end\\n "q"`
    const odd = defineMigrations([
      migration('0001_odd', [
        createTable(table, {
          id: column.id(),
          'q"x`\'\\': column.text({ maxLength: 50, default: text }),
          'with.dot': column.integer({ default: -1, unique: true }),
          'new\nline': column.choice(['a\\b', `it's`], { default: 'a\\b' }),
          long: column.text({ default: text }),
        }),
        addColumn(table, 'more', column.boolean({ default: true })),
      ]),
    ])
    const database = (await emptyPlace(name)).open(odd)
    await database.migrate()
    const db = database.kysely<TablesOf<typeof odd>>()
    await db.insertInto(table).values({ 'with.dot': 7 }).execute()
    const [row] = await db.selectFrom(table).selectAll().execute()
    expect(Object.values(row!).slice(1, 5)).toEqual([text, 7, 'a\\b', text])
  })

  test('a table takes the name of another, which keeps its indexes and references', async () => {
    const table = (): Step<unknown> =>
      createTable(
        't',
        {
          a: column.integer({ unique: true }),
          b: column.integer(),
          parent: column.references('parent'),
        },
        { primaryKey: ['a', 'b'] },
      )
    const renamed = defineMigrations([
      migration('0001', [createTable('parent', { id: column.id() }), table()]),
      migration('0002', [renameTable('t', 'old'), table(), dropColumn('old', 'parent')]),
      migration('0003', [dropTable('old'), dropColumn('t', 'parent'), dropIndex('t', ['a'])]),
    ])
    const database = (await emptyPlace(name)).open(renamed)
    expect((await database.migrate()).slice(-3)).toEqual(['0001', '0002', '0003'])
  })
})

// MariaDB keeps each table that was made before one that fails.
test.each(NAMES.filter((name) => name !== 'mysql'))(
  'on %s nothing is kept of a migration that failed',
  async (name) => {
    const place = await emptyPlace(name)
    await expect(place.open(referring('teams')).migrate()).rejects.toThrow('0001_wrong failed')
    expect(await place.open(referring('team')).migrate()).toContain('0001_wrong')
  },
)

test('an index is named by its table and columns, and by a digest where that is more than databases take', async () => {
  const fits = 'f'.repeat(55)
  const exceeds = 'e'.repeat(56)
  const text = column.text({ maxLength: 9 })
  const created = migration('0001_a', [
    createTable(
      'a',
      { id: column.id(), [fits]: text, [exceeds]: text },
      { indexes: [[fits], [exceeds]] },
    ),
  ])
  const database = (await emptyPlace('sqlite')).open(defineMigrations([created]))
  await database.migrate()
  const sql = "select name from sqlite_master where type = 'index' and tbl_name = 'a' order by name"
  const { values } = await database.rows({ sql, parameters: [] })
  expect(values.flat()).toEqual([expect.stringMatching(/^a_e{52}_[0-9a-f]{8}$/), `a_${fits}_index`])
})

test('a text for a further database goes by the name that it has for itself, and has to be there', () => {
  const texts = { sqlite: 'text', postgres: 'inet', mysql: 'inet6' }
  expect(ownText({ ...texts, embedded: 'address' }, 'embedded')).toBe('address')
  expect(() => ownText(texts, 'embedded')).toThrow(
    'has texts for sqlite, postgres, mysql, and none for "embedded"',
  )
})
