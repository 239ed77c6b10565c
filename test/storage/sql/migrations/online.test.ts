// What would lock a large table is known before it runs. On MariaDB the server itself is asked, by `lock=none`, whether that is so.
import { describe, expect, test } from 'vitest'
import {
  type Migration,
  type Step,
  addColumn,
  column,
  createIndex,
  createTable,
  defineMigrations,
  migration,
  plainSql,
  renameColumn,
  renameTable,
} from '../../../../src/sql.ts'
import { sql } from 'kysely'
import type { BlockingStatement } from '../../../../src/core/ports/database.ts'
import { type ServerDialect, emptyDatabaseUrl, opened } from '../../../setup/databases.ts'
import { temporarySqlite } from '../../../contract/temporary.ts'

const FIRST: Migration = migration('0001_first', [
  createTable('author', { id: column.id() }),
  createTable('small', { id: column.id(), text: column.text({ maxLength: 40, nullable: true }) }),
  createTable('note', {
    id: column.id(),
    text: column.text({ maxLength: 40, nullable: true }),
    kind: column.text({ maxLength: 40, nullable: true }),
    author: column.integer({ nullable: true }),
  }),
])

/** A database whose table `note` is large; `check` judges what comes next. */
async function large(dialect: ServerDialect) {
  const url = await emptyDatabaseUrl(dialect)
  const open = (...more: readonly Migration[]) =>
    opened(dialect, url, { migrations: defineMigrations([FIRST, ...more]) })
  const database = open()
  await database.migrate()
  const db = database.kysely<{ note: { text: string } }>()
  for (let at = 0; at < 10; at++)
    await db
      .insertInto('note')
      .values(Array.from({ length: 1000 }, () => ({ text: 'a' })))
      .execute()
  const check = async (...steps: readonly Step[]): Promise<readonly BlockingStatement[]> => {
    const next = open(migration('0002_next', steps))
    const found = await next.blockingMigrations!()
    return found!
  }
  const run = (text: string) => sql.raw(text).execute(db)
  return { check, run }
}

const LOCKING: Readonly<Record<ServerDialect, readonly (Step | string)[]>> = {
  postgres: [
    createIndex('note', ['text']),
    createIndex('note', ['text'], { unique: true }),
    addColumn('note', 'by', column.references('author', { nullable: true })),
    renameColumn('note', 'text', 'words'),
    renameTable('note', 'remark'),
    addColumn('note', 'level', column.choice(['low', 'high'], { nullable: true })),
    'create unique index note_text on note (text)',
    'alter table note alter column kind type integer using 1',
    'alter table "note" alter column "kind" set data type text',
    'alter table note alter kind set not null',
    'alter table note add constraint positive check (author > 0)',
    'alter table only public.note add foreign key (author) references author (id)',
    'alter table note add column code integer unique',
    'alter table note add constraint by_text unique (text, id)',
    'alter table note add column level integer not null',
    'alter table note add column key uuid default gen_random_uuid()',
    'alter table note add column nth bigserial',
    'update note set text = 1',
    'delete from note',
    'lock table note in share mode',
    'vacuum full note',
    'reindex table note',
  ],
  mysql: [
    addColumn('note', 'by', column.references('author', { nullable: true })),
    'alter table note modify text varchar(50) character set latin1',
    'alter table note change kind kind integer',
    'alter table note add constraint positive check (author > 0)',
    'alter table note add constraint by_author foreign key (author) references author (id)',
    'alter table note add fulltext index words (text)',
    'alter table note convert to character set latin1',
    'update note set text = 1',
    'optimize table note',
  ],
}

const ONLINE: Readonly<Record<ServerDialect, readonly (Step | string)[]>> = {
  postgres: [
    addColumn('note', 'seen', column.boolean({ default: false })),
    addColumn('note', 'more', column.text({ nullable: true })),
    createIndex('small', ['text']),
    'create index concurrently note_text on note (text)',
    'alter table note add constraint positive check (author > 0) not valid',
    'alter table note add foreign key (author) references author (id) not valid',
    'alter table note validate constraint positive',
    'alter table note add constraint by_text unique using index note_text',
    'alter table note add column at timestamptz not null default now()',
    'alter table note alter column kind drop not null',
    "alter table note alter column kind set default 'type'",
    'update note set text = 1 where id < 10',
    'alter table note drop column kind',
    'reindex table concurrently note',
  ],
  mysql: [
    addColumn('note', 'seen', column.boolean({ default: false })),
    addColumn('note', 'more', column.text({ nullable: true })),
    createIndex('note', ['text']),
    createIndex('note', ['text'], { unique: true }),
    'alter table note drop column kind',
    'alter table note alter column kind set default 1',
  ],
}

const stepOf = (each: Step | string): Step => (typeof each === 'string' ? plainSql(each) : each)
const named = (each: Step | string): string =>
  typeof each === 'string' ? each : JSON.stringify(each['~step'])

describe.each(['postgres', 'mysql'] as const)('%s', (dialect) => {
  test('names what would lock a large table, why, and what to do', async () => {
    const { check } = await large(dialect)
    const missed: string[] = []
    for (const each of LOCKING[dialect]) {
      const found = await check(stepOf(each))
      if (found.length === 0) missed.push(named(each))
      for (const { migration: name, table, why, instead } of found)
        expect({ name, table, why, instead }).toEqual({
          name: '0002_next',
          table: 'note',
          why: expect.stringMatching(/\.$/),
          instead: expect.stringMatching(/\.$/),
        })
    }
    expect(missed).toEqual([])
  })

  test('lets through what does not, and what is about small and new tables', async () => {
    const { check } = await large(dialect)
    const refused: string[] = []
    for (const each of ONLINE[dialect])
      if ((await check(stepOf(each))).length > 0) refused.push(named(each))
    const fresh = createTable('fresh', { id: column.id(), a: column.integer() })
    expect(await check(fresh, createIndex('fresh', ['a']), createIndex('small', ['id']))).toEqual(
      [],
    )
    expect(refused).toEqual([])
  })
})

test('MariaDB itself refuses to do with lock=none what is named, and does the rest', async () => {
  const { run } = await large('mysql')
  const isOnline = (text: string) =>
    run(`${text}, lock=none`).then(
      () => true,
      () => false,
    )
  const alters = (all: readonly (Step | string)[]) =>
    all.filter((each) => typeof each === 'string').filter((text) => text.startsWith('alter'))
  for (const text of alters(LOCKING.mysql))
    expect([text, await isOnline(text)]).toEqual([text, false])
  await run('create index note_text on note (text) lock=none')
  for (const text of alters(ONLINE.mysql).toReversed())
    expect([text, await isOnline(text)]).toEqual([text, true])
})

test('what was made online before is there already, and needs no lock', async () => {
  const { check, run } = await large('postgres')
  const index = plainSql('create index if not exists note_kind on note (kind)')
  const required = plainSql('alter table note alter column text set not null')
  expect(await check(index, required)).toHaveLength(2)
  await run('create index concurrently note_kind on note (kind)')
  await run('alter table note add constraint has_text check (text is not null) not valid')
  expect(await check(index, required)).toHaveLength(1)
  await run('alter table note validate constraint has_text')
  expect(await check(index, required)).toEqual([])
})

test('of a file nothing is known', async () => {
  const database = temporarySqlite({ migrations: defineMigrations([FIRST]) })
  expect(await database.blockingMigrations!()).toBe(null)
})
