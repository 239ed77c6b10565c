import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import {
  DatabaseUnavailable,
  type Step,
  addColumn,
  column,
  createIndex,
  createTable,
  defineMigrations,
  dropColumn,
  dropIndex,
  dropTable,
  migration,
  migrationsIn,
  plainSql,
  renameColumn,
  renameTable,
} from 'colophon/sql'
import { temporaryDirectory } from '../../../contract/temporary.ts'
import { NAMES, emptyPlace, ourTables } from './place.ts'
import { storesOf } from '../../../../src/accounts/tables/stores.ts'

const note = (name: string): Step<unknown> =>
  createTable(name, { id: column.id(), text: column.text({ maxLength: 50 }) })
const list = (...names: readonly string[]) =>
  defineMigrations(names.map((name) => migration(name, [note(name.slice(2))])))
const OURS = [
  '0001_users',
  '0002_tokens',
  '0003_sessions',
  '0004_named_tokens',
  '0005_counters',
  '0006_audit',
  '0007_roles',
  '0008_leases',
  '0009_identities',
  '0010_addresses',
  '0011_factors',
  '0012_spent_links',
  '0013_refresh_families',
  '0014_passkeys',
  '0015_links_epoch',
]

describe.each(NAMES)('the history of migrations on %s', (name) => {
  test('the status tells what was applied, is pending, late, changed and unknown, and makes nothing', async () => {
    const begun = Date.now()
    const { open } = await emptyPlace(name)
    const own = async (...names: readonly string[]) =>
      (await open(list(...names)).migrationStatus())
        .filter(({ of }) => of === 'application')
        .map((each) => `${each.name} ${each.state}`)
    expect(await own('1_a', '2_b')).toEqual(['1_a pending', '2_b pending'])
    expect(await ourTables(open())).toEqual([])
    await open(list('1_a', '3_c')).migrate()
    expect(await own('1_a', '2_b', '3_c', '4_d')).toEqual([
      '1_a applied',
      '2_b late',
      '3_c applied',
      '4_d pending',
    ])
    expect(await own('3_c')).toEqual(['1_a unknown', '3_c applied'])
    const changed = defineMigrations([
      migration('1_a', [note('other')]),
      migration('3_c', [note('c')]),
    ])
    const [first] = (await open(changed).migrationStatus()).filter(({ of }) => of === 'application')
    expect(first).toMatchObject({ name: '1_a', state: 'changed' })
    expect(first!.applied!.getTime()).toBeGreaterThan(begun - 1000)
    expect(first!.applied!.getTime()).toBeLessThan(Date.now() + 1000)
  })

  test('one that stands before those that were applied is refused, and nothing runs', async () => {
    const { open } = await emptyPlace(name)
    await open(list('1_a', '3_c')).migrate()
    const late = open(list('1_a', '2_b', '3_c', '4_d'))
    await expect(late.migrate()).rejects.toThrow(
      '2_b stands before 3_c, which was applied already.',
    )
    expect(await late.pendingMigrations()).toEqual(['2_b', '4_d'])
    expect(await open(list('3_c', '4_d')).migrate()).toEqual(['4_d'])
  })

  test('one that changed after it was applied is refused, until an operator accepts it', async () => {
    const { open } = await emptyPlace(name)
    await open(list('1_a')).migrate()
    const other = open(
      defineMigrations([migration('1_a', [note('x')]), migration('2_b', [note('b')])]),
    )
    await expect(other.migrate()).rejects.toThrow(
      'These migrations changed after they were applied: 1_a. Put them back as they were, ',
    )
    const accept = "update colophon_application_migration set checksum = ''"
    await other.write({ sql: accept, parameters: [] })
    expect(await other.migrate()).toEqual(['2_b'])
  })

  test('a failure names the migration, and the next run does the rest', async () => {
    const { open } = await emptyPlace(name)
    const broken = (...last: readonly Step[]) =>
      defineMigrations([
        migration('1_a', [note('a')]),
        migration('2_b', [
          note('b'),
          plainSql("insert into b (text) values ('kept')"),
          ...last,
          note('c'),
        ]),
      ])
    const wrong = plainSql('insert into nowhere (x) values (1)')
    await expect(open(broken(wrong)).migrate()).rejects.toThrow(
      /^The migration 2_b failed: .*nowhere/,
    )
    const undone = name !== 'mysql'
    const left = undone ? [...OURS, '1_a', '2_b'] : ['2_b']
    expect(await open(broken(wrong)).pendingMigrations()).toEqual(left)
    const mended = open(broken())
    expect(await mended.migrate()).toEqual(left)
    expect(await mended.read({ sql: 'select text from b', parameters: [] })).toEqual([
      { text: 'kept' },
    ])
    expect(await mended.read({ sql: 'select id from c', parameters: [] })).toEqual([])
  })

  // oxlint-disable-next-line vitest/no-conditional-tests -- SQLite waits for the lock before any statement runs
  if (name !== 'sqlite')
    test('one that waited too long for a lock is named, too', async () => {
      const stuck = plainSql({
        sqlite: '',
        postgres: "do $$ begin raise exception using errcode = '55P03'; end $$",
        mysql: "signal sqlstate 'HY000' set mysql_errno = 1205",
      })
      const { open } = await emptyPlace(name)
      const failed = open(defineMigrations([migration('1_a', [stuck])])).migrate()
      await expect(failed).rejects.toThrow(DatabaseUnavailable)
      await expect(failed).rejects.toThrow(
        /^The migration 1_a failed: The statement on .* does not end\. (?:Nothing|What)/,
      )
    })

  test('one whose note was deleted runs anew', async () => {
    const { open } = await emptyPlace(name)
    const database = open(list('1_a'))
    await database.migrate()
    for (const sql of ['drop table a', 'delete from colophon_application_migration'])
      await database.write({ sql, parameters: [] })
    expect(await database.migrate()).toEqual(['1_a'])
    expect(await database.read({ sql: 'select text from a', parameters: [] })).toEqual([])
  })

  test('two processes at once: one migrates, the other one waits', async () => {
    const { where, open } = await emptyPlace(name)
    const program = resolve('test/storage/sql/migrations/migrating.ts')
    const runs = await Promise.all(
      [1, 2].map(() => promisify(execFile)(process.execPath, [program, name, where])),
    )
    const done = runs.map(({ stdout }) => (JSON.parse(stdout) as string[]).join(' '))
    expect(done.toSorted()).toEqual(['', [...OURS, '0001_tables'].join(' ')])
    expect(await open().read({ sql: 'select text from word', parameters: [] })).toEqual([
      { text: 'once' },
    ])
  })

  test('a database that was migrated before applications had migrations goes on as it is', async () => {
    const { open } = await emptyPlace(name)
    const before = open()
    const statements = JSON.parse(
      readFileSync(`test/storage/sql/migrations/before/${name}.json`, 'utf8'),
    ) as [string, unknown[]][]
    for (const [sql, parameters] of statements) await before.write({ sql, parameters })
    const database = open(list('1_a'))
    // What came since then.
    expect(await database.pendingMigrations()).toEqual([
      '0006_audit',
      '0007_roles',
      '0008_leases',
      '0009_identities',
      '0010_addresses',
      '0011_factors',
      '0012_spent_links',
      '0013_refresh_families',
      '0014_passkeys',
      '0015_links_epoch',
      '1_a',
    ])
    expect(await database.migrate()).toEqual([
      '0006_audit',
      '0007_roles',
      '0008_leases',
      '0009_identities',
      '0010_addresses',
      '0011_factors',
      '0012_spent_links',
      '0013_refresh_families',
      '0014_passkeys',
      '0015_links_epoch',
      '1_a',
    ])
    const user = await storesOf(database).users.insert({
      username: 'alice',
      email: '',
      password: '',
      isActive: true,
      isStaff: false,
      isSuperuser: false,
      dateJoined: new Date(),
    })
    expect(await storesOf(database).users.byId(user.id)).toMatchObject({
      user: { username: 'alice' },
    })
    database.onlyUsed!()
    expect((await database.migrationStatus()).map((each) => each.state)).toEqual(
      [...OURS, '1_a'].map(() => 'applied'),
    )
  })

  test.each([
    ['select id from nowhere', 'has no table "nowhere"'],
    ['insert into nowhere (id) values (1)', 'has no table "nowhere"'],
    [
      'select absent from a',
      'has no column "absent". If a migration of yours makes it, run: colophon migrate. Else add it',
    ],
    ['select a.absent from a', 'has no column "absent"'],
    ['update a set absent = 1', 'has no column "absent"'],
    ['insert into a (absent) values (1)', 'has no column "absent"'],
    ['select digest from colophon_session', 'If they make no such table, name what you use'],
  ])('%s: the error says what is missing and what to do', async (sql, words) => {
    const { open } = await emptyPlace(name)
    const database = open(list('1_a'))
    database.onlyUsed!()
    await database.migrate()
    const failed = async () =>
      sql.startsWith('select')
        ? database.read({ sql, parameters: [] })
        : database.write({ sql, parameters: [] })
    const error = await failed().then(String, String)
    expect(error).toMatch(/^DatabaseUnavailable: The database /)
    expect(error).toContain(words)
    expect(error).toContain('colophon migrate')
  })

  test('our tables are made where an application uses them, and the others later', async () => {
    const { open } = await emptyPlace(name)
    const bare = open(list('1_a'))
    bare.onlyUsed!()
    expect(await bare.migrate()).toEqual(['1_a'])
    expect(await ourTables(bare)).toEqual([])
    const counting = open(list('1_a'))
    counting.onlyUsed!()
    void counting.counters
    expect(await counting.pendingMigrations()).toEqual(['0005_counters'])
    expect(await counting.migrate()).toEqual(['0005_counters'])
    const withTokens = open(list('1_a'))
    withTokens.onlyUsed!()
    void storesOf(withTokens).tokens
    expect(await withTokens.migrate()).toEqual(['0001_users', '0002_tokens', '0004_named_tokens'])
    expect(await ourTables(withTokens)).toEqual(
      expect.arrayContaining(['colophon_counter', 'colophon_token', 'colophon_user']),
    )
    expect(await open(list('1_a')).migrate()).toEqual([
      '0003_sessions',
      '0006_audit',
      '0007_roles',
      '0008_leases',
      '0009_identities',
      '0010_addresses',
      '0011_factors',
      '0012_spent_links',
      '0013_refresh_families',
      '0014_passkeys',
      '0015_links_epoch',
    ])
  })
})

test('SQLite asks about names in quotation marks; the error has the name alone', async () => {
  const database = (await emptyPlace('sqlite')).open(list('1_a'))
  await database.migrate()
  const asked = async () => database.read({ sql: 'select "absent" from a', parameters: [] })
  await expect(asked()).rejects.toThrow('has no column "absent". If')
})

describe('migrations of a folder', () => {
  test('are files in the order of their names', async () => {
    const folder = join(temporaryDirectory(), 'migrations')
    mkdirSync(folder)
    const door = pathToFileURL(resolve('src/sql.ts')).href
    const write = (
      file: string,
      name: string,
      step = `createTable('t${name.slice(0, 4)}', { id: column.id() })`,
    ) =>
      writeFileSync(
        join(folder, file),
        `import { addColumn, column, createTable, migration } from ${JSON.stringify(door)}
         export default migration(${JSON.stringify(name)}, [${step}])`,
      )
    write('0002_b.ts', '0002_b')
    write('0001_a.ts', '0001_a')
    writeFileSync(join(folder, 'README.md'), '')
    const { open } = await emptyPlace('sqlite')
    const own = () => open(migrationsIn(pathToFileURL(folder)))
    // Files sort otherwise: `0001_a-2.ts` stands in front of `0001_a.ts`.
    write('0001_a-2.ts', '0001_a-2', `addColumn('t0001', 'n', column.integer({ default: 0 }))`)
    expect((await own().migrate()).slice(-3)).toEqual(['0001_a', '0001_a-2', '0002_b'])
    writeFileSync(join(folder, '0001_a.js'), readFileSync(join(folder, '0001_a.ts')))
    await expect(own().migrate()).rejects.toThrow('two files of the name 0001_a.')
    rmSync(join(folder, '0001_a.js'))
    write('0003_c.ts', '0003_d')
    await expect(own().migrate()).rejects.toThrow('0003_c.ts is to have a migration of its name')
  })
})

describe('migrations that cannot be', () => {
  const columns = { id: column.id(), text: column.text() }
  test.each([
    ['names that do not ascend', () => list('2_b', '1_a'), '"1_a" stands behind "2_b"'],
    ['a name twice', () => list('1_a', '1_a'), 'stands behind'],
    ['a name that is none', () => list('a b'), 'letters, digits'],
    ['a table of ours', () => note('colophon_user'), 'Give yours another name'],
    ['a key without an end', () => createTable('t', columns, { unique: [['text']] }), 'maxLength'],
    [
      'a key that is not there',
      () => createTable('t', columns, { primaryKey: ['key'] as never }),
      'no column "key"',
    ],
    [
      'a new column without a value',
      () => addColumn('t', 'c', column.integer()),
      'would have no value',
    ],
    [
      'one of this moment',
      () => addColumn('t', 'c', column.dateTime({ default: 'now' })),
      'would have no value',
    ],
    ['a choice without values', () => column.choice([]), 'no value would fit'],
    [
      'a reference that cannot become NULL',
      () => column.references('t', { onDelete: 'set null' }),
      'needs nullable: true',
    ],
    ['several statements', () => plainSql('select 1; select 2'), 'one statement'],
  ])('%s: refused when it is written down', (_, make, words) => {
    expect(make).toThrow(words)
  })

  test('statements with other statements in them are one', () => {
    const trigger = "create trigger t after insert on a begin update a set b = ';'; end"
    for (const text of [trigger, 'do $x$ select 1; select 2 $x$;', "select ';'"])
      expect(plainSql(text)).toEqual({ '~step': { do: 'sql', sql: text } })
  })
})

test('the checksum of a migration is the same in each version of the package', async () => {
  const { open } = await emptyPlace('sqlite')
  const database = open(
    defineMigrations([
      migration('1_tables', [
        createTable('author', {
          id: column.id(),
          name: column.text({ maxLength: 50, unique: true }),
        }),
        createTable(
          'note',
          {
            id: column.id(),
            text: column.text({ maxLength: 80, default: 'none' }),
            count: column.integer({ nullable: true }),
            share: column.float({ nullable: true }),
            price: column.decimal({ maxDigits: 8, decimalPlaces: 2, nullable: true }),
            isOpen: column.boolean({ default: false }),
            state: column.choice(['new', 'old'], { default: 'new' }),
            day: column.date({ nullable: true }),
            time: column.time({ nullable: true }),
            at: column.dateTime({ nullable: true }),
            key: column.uuid({ nullable: true }),
            data: column.bytes({ nullable: true }),
            facts: column.json({ nullable: true }),
            author: column.references('author', { onDelete: 'cascade' }),
            size: column.of<string>(
              { sqlite: 'text', postgres: 'text', mysql: 'text' },
              { nullable: true },
            ),
          },
          { indexes: [['text']], unique: [['author', 'count']] },
        ),
      ]),
      migration('2_changes', [
        addColumn('note', 'more', column.text({ maxLength: 9, nullable: true })),
        createIndex('note', ['day', 'count'], { unique: true }),
        renameColumn('note', 'more', 'rest'),
        dropIndex('note', ['day', 'count']),
        dropColumn('note', 'rest'),
        renameTable('note', 'remark'),
        plainSql('update remark   set text = text'),
        dropTable('remark'),
      ]),
    ]),
  )
  await database.migrate()
  const sql = 'select name, checksum from colophon_application_migration order by name'
  const { values } = await database.rows({ sql, parameters: [] })
  expect(values).toEqual([
    ['1_tables', '24405903c66ee72935be29c95fa5adc21e5d778c7ec81b7a9632ab44a232969f'],
    ['2_changes', '0cf05561f9415a7e1c310e00ec32edbe1427fdb74b342a90dff8b93f2e9c607c'],
  ])
})
