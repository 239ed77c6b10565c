// Lists are searched and filtered by rows of other tables that belong to theirs, on each database.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Condition } from '../../../../src/core/ports/list-source.ts'
import {
  ConfigurationError,
  CursorPagination,
  FieldFilter,
  LimitOffsetPagination,
  OrderingFilter,
  SearchFilter,
  configurationOf,
  defineApi,
  field,
  list,
  serializer,
} from '../../../../src/index.ts'
import type { Executor } from '../../../../src/core/ports/database.ts'
import { sqlSource } from '../../../../src/storage/sql/query/sql-source.ts'
import type { SqlDatabase } from '../../../../src/storage/sql/sql-database.ts'
import { sqlTable } from '../../../../src/storage/sql/table/sql-table.ts'
import { client } from '../../../../src/testing.ts'
import { DATABASES, type Dialect, freshDatabase, run } from './query-fixture.ts'

interface Tables {
  ticket: { id: number; title: string; team: number | null }
  comment: { id: number; ticket: number; body: string | null; stars: number }
}

const TICKETS = ["(1, 'Printer', 1)", "(2, 'Paper', 1)", "(3, 'Screen', 2)", "(4, 'Paint', null)"]
const COMMENTS = [
  "(1, 1, 'Out of ink and paper', 5)",
  "(2, 1, 'Paper again', 1)",
  "(3, 3, 'Flickers 100%', 3)",
  '(4, 3, null, 4)',
  "(5, 4, 'Blue ink', 2)",
]

async function withTickets(dialect: Dialect): Promise<SqlDatabase> {
  const database = await freshDatabase(dialect)
  await run(
    database,
    'create table ticket (id integer not null primary key, title varchar(40) not null, team integer)',
    'create table comment (id integer not null primary key, ticket integer not null, body varchar(40), stars integer not null)',
    'create index comment_ticket on comment (ticket)',
    `insert into ticket values ${TICKETS.join(', ')}`,
    `insert into comment values ${COMMENTS.join(', ')}`,
  )
  return database
}

const relations = {
  comments: { table: 'comment', on: ['ticket', 'ticket.id'], columns: ['body', 'stars', 'id'] },
} as const

const tickets = (database: SqlDatabase) =>
  sqlSource({
    database,
    query: database.kysely<Tables>().selectFrom('ticket').select(['id', 'title', 'team']),
    key: 'id',
    relations,
  })

const that = (name: string, operator: Condition['operator'], value: unknown) =>
  ({ field: name, operator, value }) as Condition<never>

type Rows = Pick<ReturnType<typeof tickets>, 'where' | 'orderBy' | 'slice' | 'count'>

async function idsIn(source: Rows, ...groups: readonly (readonly Condition<never>[])[]) {
  const found = groups.reduce((rows, group) => rows.where(group), source)
  const byId = found.orderBy([{ field: 'id', descending: false, nulls: 'first' }])
  const rows = await byId.slice(0, 99)
  expect(await byId.count()).toBe(rows.length)
  return rows.map(({ id }) => id)
}

/** Keeps what is asked of a database. */
function watched(database: SqlDatabase) {
  const statements: { readonly sql: string; readonly parameters: readonly unknown[] }[] = []
  const rows: Executor['rows'] = (statement) => {
    statements.push(statement)
    return database.rows(statement)
  }
  const { dialect, describe: describing } = database
  const described = describing === undefined ? {} : { describe: describing.bind(database) }
  return { statements, database: { dialect, rows, ...described } }
}

const EXPLAIN: Readonly<Record<Dialect, string>> = {
  sqlite: 'explain query plan',
  postgres: 'explain',
  mysql: 'explain',
}

describe.each(DATABASES)('%s', (_name, dialect) => {
  test.each<[string, readonly (readonly Condition<never>[])[], readonly number[]]>([
    ['one of many', [[that('comments.body', 'icontains', 'PAPER')]], [1]],
    [
      'a field, or one of many',
      [[that('title', 'icontains', 'pa'), that('comments.body', 'icontains', 'ink')]],
      [1, 2, 4],
    ],
    [
      'each by a row of its own',
      [[that('comments.stars', 'equals', '5')], [that('comments.body', 'istartsWith', 'paper')]],
      [1],
    ],
    [
      'by two columns of a row',
      [[that('comments.stars', 'gte', '4'), that('comments.body', 'equals', 'Blue ink')]],
      [1, 3, 4],
    ],
    ['in', [[that('comments.stars', 'in', ['2', '3'])]], [3, 4]],
    ['in nothing', [[that('comments.stars', 'in', [])]], []],
    ['without a value', [[that('comments.body', 'isNull', true)]], [3]],
    ['with one', [[that('comments.body', 'isNull', false)]], [1, 3, 4]],
    ['a letter that is none', [[that('comments.body', 'icontains', '100%')]], [3]],
    ['nothing is equal to NULL', [[that('comments.body', 'equals', null)]], []],
    ['a column that both tables have', [[that('comments.id', 'equals', '4')]], [3]],
    ['beside a field', [[that('comments.stars', 'gt', '2')], [that('team', 'equals', '1')]], [1]],
  ])('%s', async (_what, groups, found) => {
    const database = await withTickets(dialect)
    expect(await idsIn(tickets(database), ...groups)).toEqual(found)
    // the same where each row is a group, and is narrowed from outside
    const query = database
      .kysely<Tables>()
      .selectFrom('ticket')
      .select(['id', 'title', 'team'])
      .groupBy(['id', 'title', 'team'])
    expect(await idsIn(sqlSource({ database, query, key: 'id', relations }), ...groups)).toEqual(
      found,
    )
    const distinct = database
      .kysely<Tables>()
      .selectFrom('ticket')
      .select(['id', 'title', 'team'])
      .distinct()
    expect(
      await idsIn(sqlSource({ database, query: distinct, key: 'id', relations }), ...groups),
    ).toEqual(found)
    const db = database.kysely<Tables>()
    const plain = { comments: { ...relations.comments, on: ['ticket', 'id'] } } as const
    const table = sqlTable({ database, db, table: 'ticket', key: 'id', relations: plain })
    expect(await idsIn(table.source, ...groups)).toEqual(found)
    const narrow = table.only((rows) => rows.where('title', '<>', 'Printer'))
    expect(await idsIn(narrow.source, ...groups)).toEqual(found.filter((id) => id !== 1))
    expect(await idsIn(table.within({ team: 1 }).source, ...groups)).toEqual(
      found.filter((id) => id < 3),
    )
  })

  test('any conditions find what an array of rows with all their comments has', async () => {
    const database = await withTickets(dialect)
    const source = tickets(database)
    const rows = await source.slice(0, 9)
    const comments = await database.kysely<Tables>().selectFrom('comment').selectAll().execute()
    const condition = fc.oneof(
      fc
        .constantFrom('paper', 'ink', 'Pa', '0', '')
        .map((text) => that('comments.body', 'icontains', text)),
      fc.integer({ min: 0, max: 6 }).map((stars) => that('comments.stars', 'gte', stars)),
      fc.constantFrom('pa', 'screen').map((text) => that('title', 'icontains', text)),
    )
    const holds = (
      row: Record<string, string | number | null>,
      { field: name, operator, value }: Condition,
    ) => {
      const own = row[name.split('.').at(-1)!] ?? null
      if (operator === 'gte') return Number(own) >= Number(value)
      return own !== null && String(own).toLowerCase().includes(String(value).toLowerCase())
    }
    const fulfils = (row: Tables['ticket'], one: Condition) =>
      one.field === 'title'
        ? holds({ ...row }, one)
        : comments.some((each) => each.ticket === row.id && holds({ ...each }, one))
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(condition, { minLength: 1, maxLength: 3 }), { maxLength: 3 }),
        async (groups) => {
          const wanted = rows.filter((row) =>
            groups.every((group) => group.some((one) => fulfils(row, one))),
          )
          expect(await idsIn(source, ...groups)).toEqual(
            wanted.map(({ id }) => id).toSorted((a, b) => a - b),
          )
        },
      ),
      { numRuns: 40 },
    )
  })

  test('values are bound, and the index of the other table is used', async () => {
    const database = await withTickets(dialect)
    const many = Array.from({ length: 2000 }, (_, at) => `(${at + 10}, ${at + 10}, 'x', 1)`)
    const more = Array.from({ length: 2000 }, (_, at) => `(${at + 10}, 'x', 1)`)
    await run(
      database,
      `insert into comment values ${many.join(', ')}`,
      `insert into ticket values ${more.join(', ')}`,
    )
    if (dialect === 'postgres') await run(database, 'analyze ticket', 'analyze comment')
    if (dialect === 'mysql')
      for (const name of ['ticket', 'comment'])
        await database.rows({ sql: `analyze table ${name}`, parameters: [] })
    const { statements, database: seen } = watched(database)
    const query = database
      .kysely<Tables>()
      .selectFrom('ticket')
      .select(['id', 'title', 'team'])
      .where('id', '<', 5)
    const source = sqlSource({ database: seen, query, key: 'id', relations })
    expect(
      await source.where([that('comments.body', 'icontains', "Robert'); drop")]).slice(0, 9),
    ).toEqual([])
    const { sql, parameters } = statements.at(-1)!
    expect(sql).not.toContain('Robert')
    expect(parameters.join('\n')).toContain("Robert'); drop")
    const plan = await database.rows({ sql: `${EXPLAIN[dialect]} ${sql}`, parameters })
    expect(JSON.stringify(plan.values)).toContain('comment_ticket')
  })

  test('a list of tickets is searched in their comments', async () => {
    const database = await withTickets(dialect)
    const ticket = serializer({
      number: field.integer({ source: 'id', readOnly: true }),
      subject: field.text({ source: 'title' }),
    })
    const api = defineApi({
      urls: { pages: '/pages/', walk: '/walk/' },
      filters: [new SearchFilter(), new FieldFilter(), new OrderingFilter()],
    })
    const spec = {
      source: tickets(database),
      serializer: ticket,
      searchFields: ['subject', 'comments.body'],
      orderingFields: ['number'],
      filterFields: ['comments.stars__gte', { name: 'stars', column: 'comments.stars' }],
    } as const
    const pagination = new LimitOffsetPagination({ defaultLimit: 1 })
    const walk = new CursorPagination({ pageSize: 1, ordering: '-number' })
    const app = api.serve(
      [
        api.endpoint('pages').get(list({ ...spec, pagination })),
        api.endpoint('walk').get(list({ ...spec, pagination: walk })),
      ],
      { configuration: configurationOf({ SECRET_KEY: 'a secret that is long enough' }) },
    )
    const { get: ask } = client(app)
    const get = (target: string) => ask(target.replace('http://localhost', ''))
    const first = (await get('/pages/?search=paper')).data as { count: number; next: string }
    expect(first.count).toBe(2)
    expect((await get(first.next)).data).toMatchObject({ results: [{ number: 2 }], next: null })
    // each term in a row of its own
    expect((await get('/pages/?search=ink+again')).data).toMatchObject({ count: 1 })
    const seen: number[] = []
    for (let next: string | null = '/walk/?search=pa&comments.stars__gte=1'; next !== null;) {
      const page = (await get(next)).data as { next: string | null; results: { number: number }[] }
      seen.push(...page.results.map(({ number }) => number))
      next = page.next
    }
    expect(seen).toEqual([4, 1])
    expect((await get('/walk/?stars=3')).data).toMatchObject({
      results: [{ number: 3 }],
      next: null,
    })
    for (const name of ['stars', 'comments.stars__gte'])
      expect(await get(`/pages/?${name}=many`)).toMatchObject({
        status: 400,
        data: { [name]: [expect.any(String)] },
      })
  })

  test('a table with its schema', async () => {
    const database = await withTickets(dialect)
    const names = { sqlite: 'main', postgres: 'public', mysql: null }
    const schema =
      names[dialect] ??
      (await database.rows({ sql: 'select database()', parameters: [] })).values[0]![0]
    const own = { comments: { ...relations.comments, table: `${String(schema)}.comment` } }
    const query = database.kysely<Tables>().selectFrom('ticket').selectAll()
    const source = sqlSource({ database, query, key: 'id', relations: own })
    expect(await idsIn(source, [that('comments.body', 'icontains', 'again')])).toEqual([1])
  })
})

describe('what cannot be', () => {
  const from = async (select: readonly ('id' | 'title' | 'team')[], more: object = {}) => {
    const database = await withTickets('sqlite')
    const query = database.kysely<Tables>().selectFrom('ticket').select(select)
    return sqlSource({ database, query, key: 'ticket.id', relations, ...more })
  }

  test.each([
    [
      'a column that is not declared',
      'comments.written_by_whom',
      /comments\.body, comments\.stars/,
    ],
    ['a slip of the pen', 'comments.bdy', /Do you mean "comments\.body"/],
    ['another relation', 'notes.body', /no field "notes\.body"/],
    ['the relation itself', 'comments', /no field "comments"/],
  ])('%s', async (_what, name, message) => {
    const source = await from(['id'])
    expect(() => source.where([that(name, 'equals', 'x')])).toThrow(ConfigurationError)
    expect(() => source.where([that(name, 'equals', 'x')])).toThrow(message)
  })

  test.each([
    ['a relation by another name', relations, 'comment.body', /Do you mean "comments\.body"/],
    ['a relation that is not declared', {}, 'comments.body', /source has no "relations"/],
  ])('%s, in a list of all columns', async (_what, declared, name, message) => {
    const database = await withTickets('sqlite')
    const query = database.kysely<Tables>().selectFrom('ticket').selectAll()
    const source = sqlSource({ database, query, key: 'ticket.id', relations: declared })
    expect(() => source.where([that(name, 'equals', 'x')])).toThrow(message)
    const named = sqlSource({
      database,
      query,
      key: 'ticket.id',
      fields: { 'ticket.team': 'ticket.team' },
    })
    const found = await named.where([that('ticket.team', 'equals', 2)]).slice(0, 9)
    expect(found).toHaveLength(1)
  })

  test('an order of many', async () => {
    const source = await from(['id'])
    const keys = [{ field: 'comments.stars', descending: false, nulls: 'first' }] as const
    expect(() => source.orderBy(keys)).toThrow(/cannot be ordered by "comments\.stars"/)
    await expect(async () =>
      source.seek({ keys, position: null, reverse: false, limit: 1 }),
    ).rejects.toThrow(/cannot be ordered by/)
  })

  test('a column that the other table could have as well', async () => {
    const database = await withTickets('sqlite')
    const db = database.kysely<Tables>()
    const query = db
      .selectFrom('ticket')
      .innerJoin('comment', 'comment.ticket', 'ticket.id')
      .select(['title'])
    const loose = { comments: { ...relations.comments, on: ['ticket', 'id'] } } as const
    const source = sqlSource({ database, query, key: 'ticket.id', relations: loose })
    expect(() => source.where([that('comments.body', 'icontains', 'x')])).toThrow(
      /needs the table of its column "id"/,
    )
  })

  test('a DISTINCT that is asked for what it does not select starts no service', async () => {
    const database = await withTickets('sqlite')
    const db = database.kysely<Tables>()
    const served = (source: unknown, names: object) => {
      const api = defineApi({
        urls: { teams: '/' },
        filters: [new SearchFilter(), new OrderingFilter()],
      })
      const teams = list({ source, ...names } as never)
      return () =>
        api.serve([api.endpoint('teams').get(teams)], { configuration: configurationOf() })
    }
    const teams = db.selectFrom('ticket').select('team').distinct()
    const MESSAGE = /endpoint teams: In a DISTINCT or UNION the key and what the list is ordered/
    const unselected = sqlSource({
      database,
      query: teams,
      key: 'team',
      fields: { title: 'ticket.title' },
    })
    expect(served(unselected, { searchFields: ['title'] })).toThrow(MESSAGE)
    expect(served(unselected, { orderingFields: ['title'] })).toThrow(MESSAGE)
    const key = sqlSource({ database, query: teams, key: 'ticket.id' })
    expect(served(key, { searchFields: ['team'] })).toThrow(MESSAGE)
    const related = sqlSource({ database, query: teams, key: 'team', relations })
    expect(served(related, { searchFields: ['comments.body'] })).toThrow(MESSAGE)
    const star = db.selectFrom('ticket').selectAll().distinct()
    const spelled = sqlSource({
      database,
      query: star,
      key: 'id',
      fields: { title2: 'ticket.title' },
    })
    expect(served(spelled, { searchFields: ['title2'] })).toThrow(MESSAGE)
    // what it selects under another name is there
    const named = db.selectFrom('ticket').select(['id', 'title as name']).distinct()
    const fields = { title: 'ticket.title' }
    const source = sqlSource({ database, query: named, key: 'id', fields })
    expect(served(source, { searchFields: ['title'] })).not.toThrow()
    expect(await source.where([that('title', 'icontains', 'pap')]).slice(0, 9)).toEqual([
      { id: 2, name: 'Paper' },
    ])
    // and what is never asked for may be anything
    expect(await unselected.slice(0, 9)).toHaveLength(3)
  })
})
