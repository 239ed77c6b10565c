// A scope compares exactly, whatever texts the column itself takes for the same.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PermissionDenied } from '../../../../src/core/errors/api-errors.ts'
import { type SqlTable, sqlTable } from '../../../../src/sql.ts'
import type { Portion } from '../../../../src/core/ports/list-source.ts'
import type { SqlDatabase } from '../../../../src/storage/sql/sql-database.ts'
import type { DialectName } from '../../../setup/dialects.ts'
import { openSqlite } from '../../../../src/sqlite.ts'
import { temporaryPath } from '../../../contract/temporary.ts'
import { NAMES, emptyDatabaseUrl, opened } from '../../../setup/databases.ts'
import { run } from '../query/query-fixture.ts'

interface Note {
  id: number
  owner: string | null
  title: string
  parent: number | null
}
interface Tables {
  note: Note
}

const mysql = (charset: string, collation: string) =>
  `varchar(20) character set ${charset} collate ${collation}`

const COLUMNS: readonly (readonly [
  string,
  DialectName,
  type: string,
  owners: readonly string[],
])[] = [
  ['SQLite', 'sqlite', 'varchar(20) collate nocase', ['ada', 'ADA']],
  ['SQLite', 'sqlite', 'text collate rtrim', ['ada', 'ada ']],
  ['SQLite', 'sqlite', 'blob collate nocase', ['ada', 'ADA']],
  ['PostgreSQL', 'postgres', 'citext', ['ada', 'ADA']],
  ['PostgreSQL', 'postgres', 'varchar(20) collate loose', ['ada', 'ADA', 'Adá']],
  ['PostgreSQL', 'postgres', 'text_without_case', ['ada', 'Ada']],
  ['PostgreSQL', 'postgres', 'domain_of_domain', ['ada', 'ADA']],
  [NAMES.mysql, 'mysql', mysql('utf8mb4', 'utf8mb4_general_ci'), ['ada', 'Adá', 'ada ']],
  [NAMES.mysql, 'mysql', mysql('utf8mb4', 'utf8mb4_unicode_nopad_ci'), ['ada', 'Adá']],
  [NAMES.mysql, 'mysql', mysql('utf8mb4', 'utf8mb4_bin'), ['ada', 'ada ']],
  [NAMES.mysql, 'mysql', mysql('latin1', 'latin1_swedish_ci'), ['Adá', 'ADA', 'ada']],
  [NAMES.mysql, 'mysql', 'tinytext collate utf8mb4_general_ci', ['é', 'E']],
]

const LOOSE = [
  'create extension citext',
  `create collation loose (provider = icu, locale = 'und-u-ks-level1', deterministic = false)`,
  'create domain text_without_case as text collate loose',
  'create domain domain_of_citext as citext',
  'create domain domain_of_domain as domain_of_citext',
]

async function notesOf(dialect: DialectName, type: string) {
  const database =
    dialect === 'sqlite'
      ? openSqlite({ path: temporaryPath(afterAll) })
      : opened(dialect, await emptyDatabaseUrl(dialect, afterAll), {}, afterAll)
  if (dialect === 'sqlite') afterAll(() => database.close())
  const length = type.startsWith('tinytext') ? '(9)' : ''
  await run(
    database,
    ...(dialect === 'postgres' ? LOOSE : []),
    `create table note (id integer primary key, owner ${type}, title varchar(20) not null, parent integer)`,
    `create index note_owner on note (owner${length})`,
  )
  const db = database.kysely<Tables>()
  const notes = sqlTable({ database, db, table: 'note', key: 'id' })
  const replies = { store: notes, by: 'parent', columns: ['title'] } as const
  const threads = sqlTable({ database, db, table: 'note', key: 'id', relations: { replies } })
  return { database, notes, threads }
}

/** Two of each owner, with one reply below the first, of the next owner; and one of none. */
async function fill(
  database: SqlDatabase,
  notes: SqlTable<Tables, 'note', 'id'>,
  owners: readonly string[],
) {
  await run(database, 'delete from note')
  for (const [at, owner] of owners.entries()) {
    await notes.insert({ id: 10 * at + 1, owner, title: 'first', parent: null })
    await notes.insert({ id: 10 * at + 2, owner, title: 'second', parent: null })
    const next = owners[(at + 1) % owners.length]!
    await notes.insert({ id: 10 * at + 3, owner: next, title: 'reply', parent: 10 * at + 1 })
  }
  await notes.insert({ id: 99, owner: null, title: 'of none', parent: null })
}

const ids = (found: readonly Pick<Note, 'id'>[] | Portion<Pick<Note, 'id'>>) =>
  ('rows' in found ? found.rows : found).map(({ id }) => id)

describe.each(COLUMNS)('%s, %s: %s', (_, dialect, type, owners) => {
  let database: SqlDatabase
  let notes: Awaited<ReturnType<typeof notesOf>>['notes']
  let threads: Awaited<ReturnType<typeof notesOf>>['threads']
  beforeAll(async () => void ({ database, notes, threads } = await notesOf(dialect, type)))

  /** The ids of what has exactly this owner. */
  const idsOf = (owner: string) =>
    owners.flatMap((each, at) => {
      const before = owners[(at + owners.length - 1) % owners.length]
      const replies = owners.flatMap((other, place) =>
        other === before && each === owner ? [10 * place + 3] : [],
      )
      return each === owner ? [10 * at + 1, 10 * at + 2, ...replies] : []
    })

  test('the column itself takes them for the same', async () => {
    await fill(database, notes, owners)
    for (const owner of owners) {
      const own = notes.source.where([{ field: 'owner', operator: 'equals', value: owner }])
      expect(await own.count()).toBe(3 * owners.length)
    }
  })

  test('lists, counts and rows that are found are of one owner', async () => {
    await fill(database, notes, owners)
    const by = { column: 'title', limit: 9 }
    for (const owner of owners) {
      const own = notes.within({ owner })
      const mine = idsOf(owner).toSorted((one, other) => one - other)
      const key = { field: 'id', descending: false, nulls: 'first' } as const
      expect(ids(await own.source.slice(0, 100))).toEqual(mine)
      expect(await own.source.count()).toBe(mine.length)
      expect(await own.source.count(100)).toBe(mine.length)
      const page = await own.source.page(() => ({ offset: 0, limit: 100 }))
      expect([page.count, ids(page.rows)]).toEqual([mine.length, mine])
      const { rows } = await own.source.seek({
        keys: [key],
        position: null,
        reverse: false,
        limit: 100,
      })
      expect(ids(rows)).toEqual(mine)
      const filtered = own.source.where([{ field: 'owner', operator: 'equals', value: owner }])
      expect(ids(await filtered.slice(0, 100))).toEqual(mine)
      const among = notes.within({ owner: [owner, 'nobody', null] as never })
      expect(ids(await among.source.slice(0, 100))).toEqual([...mine, 99])
      for (let id = 1; id < 10 * owners.length; id++)
        expect([id, (await own.find(id)) !== null]).toEqual([id, mine.includes(id)])
      const titled = await own.manyByKey(['first', 'second', 'reply'], by)
      expect(ids(titled).toSorted((one, other) => one - other)).toEqual(mine)
    }
    const [first] = ids(await notes.manyByKey([owners[0]!], { column: 'owner', limit: 1 }))
    expect(idsOf(owners[0]!)).toContain(first)
    const each = await notes.manyByKey(owners, { column: 'owner', limit: 2 })
    expect(ids(each)).toHaveLength(2 * owners.length)
  })

  test('what another owner has is neither changed nor deleted', async () => {
    await fill(database, notes, owners)
    const [one, other] = owners as [string, string]
    const own = notes.within({ owner: one })
    const [id] = idsOf(other) as [number]
    const before = await notes.find(id)
    expect(await own.update(id, { title: 'mine' })).toBe(null)
    expect(await own.update(id, { title: 'mine' }, before)).toBe(null)
    expect(await own.remove(id)).toBe(false)
    expect(await own.remove(id, before)).toBe(false)
    const among = notes.within({ owner: [one, 'nobody'] })
    expect(await among.update(id, { title: 'mine' })).toBe(null)
    expect(await among.remove(id)).toBe(false)
    expect(await notes.find(id)).toEqual(before)
    const [ours] = idsOf(one) as [number]
    expect(await own.update(ours, { title: 'ours' })).toMatchObject({ title: 'ours', owner: one })
    expect(await among.update(ours, { title: 'again' })).toMatchObject({ title: 'again' })
    expect(await own.remove(ours)).toBe(true)
    const row = { id: 50, title: 'new', parent: null }
    await expect(own.insert({ ...row, owner: other })).rejects.toThrow(PermissionDenied)
    await expect(own.update(ours + 1, { owner: other })).rejects.toThrow(PermissionDenied)
    expect(await own.insert(row as Note)).toEqual({ ...row, owner: one })
  })

  test('rows of relations are those of the owner', async () => {
    await fill(database, notes, owners)
    const replied = { field: 'replies.title', operator: 'equals', value: 'reply' } as const
    for (const owner of owners) {
      const list = threads.within({ owner }).source.relating({ owner })
      expect(ids(await list.where([replied]).slice(0, 100))).toEqual([])
    }
    expect(await threads.source.where([replied]).count()).toBe(owners.length)
  })

  test('the index of the column is read', async () => {
    await run(database, 'delete from note')
    const some = Array.from({ length: 3000 }, (_each, at) => ({
      id: at,
      owner: `o${at}`,
      title: 't',
      parent: null,
    }))
    for (let at = 0; at < some.length; at += 500)
      await database
        .kysely<Tables>()
        .insertInto('note')
        .values(some.slice(at, at + 500))
        .execute()
    if (dialect !== 'sqlite')
      await run(database, dialect === 'mysql' ? 'analyze table note' : 'analyze note')
    const plan = await planOf(database, dialect, () =>
      notes.within({ owner: 'o77' }).source.slice(0, 10),
    )
    expect(plan).toContain('note_owner')
  })
})

/** How the database runs the one statement of some work. */
async function planOf(database: SqlDatabase, dialect: DialectName, work: () => unknown) {
  const rows = database.rows.bind(database)
  const asked: Parameters<typeof rows>[0][] = []
  Object.defineProperty(database, 'rows', {
    configurable: true,
    value: (statement: Parameters<typeof rows>[0]) => {
      asked.push(statement)
      return rows(statement)
    },
  })
  await work()
  Reflect.deleteProperty(database, 'rows')
  const { sql, parameters } = asked.at(-1)!
  const explain = dialect === 'sqlite' ? 'explain query plan' : 'explain'
  const { values } = await database.rows({ sql: `${explain} ${sql}`, parameters })
  return values.flat().join(' ')
}
