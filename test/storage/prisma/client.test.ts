// What is of Prisma alone: statements and their plans, values of every type, what is refused, extensions, and types.
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { run as runTool } from '../../../scripts/run.ts'
import { ConfigurationError } from '../../../src/core/errors/configuration-error.ts'
import { DatabaseUnavailable } from '../../../src/core/errors/storage-errors.ts'
import type { Statement } from '../../../src/core/ports/database.ts'
import type { Position, SortKey, Stretch } from '../../../src/core/ports/list-source.ts'
import { prismaTable } from '../../../src/prisma.ts'
import type { SqlDatabase } from '../../../src/sql.ts'
import { openSqlite } from '../../../src/sqlite.ts'
import { makeOrmTables } from '../../contract/orm-store.ts'
import { temporaryPath } from '../../contract/temporary.ts'
import { makeProject } from '../../house/tarball.ts'
import { emptyDatabaseUrl, opened } from '../../setup/databases.ts'
import type { DialectName } from '../../setup/dialects.ts'
import { DATABASES, run } from '../sql/query/query-fixture.ts'
import { type AnyClient, generatePrisma, openPrisma, schemaOfPage } from './clients.ts'

const key = (field: string, descending = false, nulls: 'first' | 'last' = 'last'): SortKey => ({
  field,
  descending,
  nulls,
})

const KEPT: Readonly<Record<DialectName, string>> = {
  sqlite: `create table kept (id integer primary key, whole integer, large bigint, point real, price decimal,
    words text, truth boolean, mood text, moment datetime, data jsonb, bytes blob)`,
  postgres: `create table kept (id integer primary key, whole integer, large bigint, point double precision,
    price decimal(65,30), words text, truth boolean, mood "Mood", moment timestamp(3), data jsonb, bytes bytea)`,
  mysql: `create table kept (id int primary key, whole int, large bigint, point double, price decimal(65,30),
    words varchar(191) character set utf8mb4 collate utf8mb4_bin, truth boolean, mood enum('good', 'bad'), moment datetime(3), data json, bytes longblob)`,
}

const PLAIN: Readonly<Record<DialectName, RegExp>> = {
  sqlite: /SEARCH .*USING (?:COVERING )?INDEX|SEARCH .*USING INTEGER PRIMARY KEY/,
  postgres: /Index (?:Only )?Scan/,
  mysql: /"access_type": "(?:range|ref)"/,
}
const SORTS: Readonly<Record<DialectName, RegExp>> = {
  sqlite: /TEMP B-TREE|SCAN/,
  postgres: /Sort|Seq Scan/,
  mysql: /filesort|"access_type": "ALL"/,
}
const EXPLAIN: Readonly<Record<DialectName, string>> = {
  sqlite: 'explain query plan',
  postgres: 'explain',
  mysql: 'explain format=json',
}
const NUMBERS: Readonly<Record<DialectName, string>> = {
  sqlite: `with recursive s (i) as (select 1 union all select i + 1 from s where i < 20000)
    select i, case when i % 3 = 0 then null else i % 7 end, 'name' from s`,
  postgres: `select i, case when i % 3 = 0 then null else i % 7 end, 'name' from generate_series(1, 20000) as s (i)`,
  mysql: `select seq, if(seq % 3 = 0, null, seq % 7), 'name' from seq_1_to_20000`,
}

/** Types of columns that take `ada` for `ADA`, and that do not. */
const LOOSE: Readonly<Record<DialectName, string>> = {
  sqlite: 'text collate nocase',
  postgres: 'citext',
  mysql: 'varchar(40) character set utf8mb4 collate utf8mb4_general_ci',
}
const EXACT: Readonly<Record<DialectName, string>> = {
  sqlite: 'text',
  postgres: 'text',
  mysql: 'varchar(40) character set utf8mb4 collate utf8mb4_nopad_bin',
}

/** Of servers: a failover, a time-out, a lock, too many connections, no rights, a missing table, a server that takes no writes. */
const FAILING: Readonly<Record<DialectName, readonly string[]>> = {
  sqlite: [],
  postgres: '25006 25P03 28P01 3D000 40001 40P01 42P01 53300 55P03 57014 57P01 57P03'.split(' '),
  mysql: '1040 1045 1047 1053 1146 1205 1213 1290 1969'.split(' '),
}

const DOMAINS = ['create domain d1 as citext', 'create domain d2 as d1']

describe.each(DATABASES)('Prisma on %s', (_, dialect) => {
  let database: SqlDatabase
  let prisma: AnyClient
  let address = ''
  const statements: { readonly query: string; readonly params: string }[] = []
  const table = (model: string, given: object = {}): AnyClient =>
    prismaTable({ prisma, model, key: 'id', ...given } as never)

  beforeAll(async () => {
    const isFile = dialect === 'sqlite'
    const url = isFile ? temporaryPath(afterAll) : await emptyDatabaseUrl(dialect, afterAll)
    address = url
    prisma = await openPrisma(dialect, url, { log: [{ emit: 'event', level: 'query' }] })
    // Two libraries of SQLite in one process do not see the locks of each other.
    const write = ({ sql }: Statement) => prisma.$executeRawUnsafe(sql)
    database = isFile ? ({ write } as SqlDatabase) : opened(dialect, url, {}, afterAll)
    if (isFile) await prisma.$queryRawUnsafe('pragma journal_mode = wal')
    await makeOrmTables(database, dialect)
    if (dialect === 'postgres') await run(database, `create type "Mood" as enum ('good', 'bad')`)
    await run(database, KEPT[dialect])
    prisma.$on('query', (event: (typeof statements)[number]) => statements.push(event))
  })
  afterAll(() => prisma.$disconnect())

  test('a page far away is ranges of an index, in the order of the index, also between NULLs', async () => {
    await run(
      database,
      `insert into item (id, item_kind, item_name) ${NUMBERS[dialect]}`,
      'create index item_by_kind on item (item_kind, id)',
    )
    if (dialect !== 'sqlite')
      await run(database, dialect === 'mysql' ? 'analyze table item' : 'analyze item')
    const { source } = table('item')
    for (const [keys, position] of [
      [[key('id')], [10_000]],
      [[key('id', true)], [10_000]],
      [[key('kind')], [3, 9_999]],
      [[key('kind', true, 'first')], [3, 9_999]],
      [[key('kind', false, 'first')], [null, 9_999]],
    ] as readonly (readonly [readonly SortKey[], Position])[]) {
      statements.length = 0
      const { rows } = await source.seek({ keys, position, reverse: false, limit: 5_000 })
      expect(rows).toHaveLength(5_000)
      const asked = statements.splice(0).filter(({ query }) => /order by/i.test(query))
      expect(asked.length).toBeGreaterThan(0)
      for (const { query, params } of asked) {
        const values = JSON.parse(params) as readonly unknown[]
        const few = values.map((value) => (value === 5_001 || value === '5001' ? 20 : value))
        const bound = few.map((value) => (typeof value === 'string' ? Number(value) : value))
        const plan = await prisma.$queryRawUnsafe(`${EXPLAIN[dialect]} ${query}`, ...bound)
        const text = JSON.stringify(plan, ['detail', 'QUERY PLAN', 'EXPLAIN']).replaceAll(
          String.raw`\"`,
          '"',
        )
        expect(text).toMatch(PLAIN[dialect])
        expect(text).not.toMatch(SORTS[dialect])
      }
    }
  })

  const row = {
    id: 1,
    whole: 7,
    large: 2n ** 60n,
    point: 0.1,
    price: '12.5',
    words: 'seven',
    truth: true,
    mood: 'bad',
    moment: new Date('2026-02-03T04:05:06.700Z'),
    data: { a: [1, null] },
    bytes: new Uint8Array([0, 255]),
  }

  test('values of every type are those of Prisma, are compared, and lists continue behind them', async () => {
    const kept = table('kept')
    const made = await kept.insert(row)
    expect(made).toStrictEqual(await prisma.kept.findUnique({ where: { id: 1 } }))
    await kept.insert({ id: 2 })
    const other = { large: -1n, point: -1.5e30, price: '0.1', truth: false, moment: new Date(0) }
    await kept.insert({ ...row, ...other, id: 3, whole: -7, words: 'SEVEN', mood: 'good' })
    await kept.insert({ ...row, id: 4 })
    for (const [field, text, ids] of [
      ['whole', '7', [1, 4]],
      ['large', String(2n ** 60n), [1, 4]],
      ['point', '0.1', [1, 4]],
      ['price', '12.50', [1, 4]],
      ['words', 'seven', [1, 4]],
      ['truth', 'true', [1, 4]],
      ['mood', 'good', [3]],
      ['moment', '2026-02-03T05:05:06.7+01:00', [1, 4]],
      ['moment', '2026-02-03T04:05:06.7001Z', []],
    ] as const) {
      const condition = { field, operator: 'equals', value: text, parameter: field }
      const found = await kept.source.where([condition]).slice(0, 9)
      expect(found.map(({ id }: { id: number }) => id)).toEqual(ids)
    }
    const isUnfit = (operator: string, value: unknown) =>
      expect(
        kept.source.where([{ field: 'mood', operator, value, parameter: 'mood' }]).count(),
      ).rejects.toMatchObject({ status: 400 })
    await isUnfit('equals', 'ugly')
    await isUnfit('in', ['good', 'ugly'])
    for (const field of ['whole', 'large', 'point', 'price', 'words', 'truth', 'moment']) {
      if (field === 'price' && dialect === 'sqlite') continue
      for (const [nulls, reverse] of [
        ['first', false],
        ['last', true],
      ] as const) {
        const met: number[] = []
        const keys = [key(field, false, nulls)]
        for (let position: Position | null = null, more = true; more;) {
          const found: Stretch<{ id: number }> = await kept.source.seek({
            keys,
            position,
            reverse,
            limit: 1,
          })
          met.push(...found.rows.map(({ id }) => id))
          ;({ last: position, more } = found)
        }
        const inOrder = nulls === 'first' ? [2, 3, 1, 4] : [3, 1, 4, 2]
        expect([field, met]).toEqual([field, reverse ? inOrder.toReversed() : inOrder])
      }
    }
    const seen = await kept.find('4')
    expect(await kept.update(4, { whole: 8 }, seen)).toStrictEqual({ ...seen, whole: 8 })
    await expect(kept.update(4, { whole: 9 }, seen)).rejects.toMatchObject({ status: 409 })
    expect(await kept.remove(4, { ...seen, whole: 8 })).toBe(true)
    await expect(kept.insert({ id: 9, whole: 2 ** 31 })).rejects.toMatchObject({
      kind: 'invalid',
      columns: ['whole'],
    })
    const ugly = { mood: 'ugly', words: 'Argument `truth` is missing.' }
    for (const work of [kept.insert({ id: 9, ...ugly }), kept.update(1, ugly)])
      await expect(work).rejects.toMatchObject({ kind: 'invalid', columns: ['mood'] })
  })

  test.each<[string, () => unknown, RegExp]>([
    ['a model', () => table('tickets'), /has no model "tickets". It has: item, team, ticket/],
    ['a key', () => table('item', { key: 'uuid' }), /has no field "uuid"/],
    ['a client', () => prismaTable({ prisma: {}, model: 'a', key: 'b' } as never), /is no client/],
    [
      'a relation',
      () => table('ticket', { relations: { teem: { columns: [] } } }),
      /has no relation "teem". It has: team/,
    ],
    [
      'a field of a relation',
      () => table('ticket', { relations: { team: { columns: ['nam'] } } }),
      /"Team" of Prisma has no field "nam"/,
    ],
    [
      'an order of an enumeration',
      () => table('kept').source.orderBy([key('mood')]),
      /cannot continue/,
    ],
    ['an order of bytes', () => table('kept').source.orderBy([key('bytes')]), /cannot continue/],
    ...(['data', 'bytes'] as const).map((field): [string, () => unknown, RegExp] => [
      `a filter by ${field}`,
      () => table('kept').source.where([{ field, operator: 'equals', value: null }]),
      /cannot be filtered by "equals" \(__exact\): Prisma does not compare/,
    ]),
    [
      'a search of numbers',
      () => table('kept').source.where([{ field: 'whole', operator: 'icontains', value: null }]),
      /Prisma searches texts alone/,
    ],
    [
      'a regular expression',
      () => table('kept').source.where([{ field: 'words', operator: 'iregex', value: null }]),
      /Prisma has nothing like it/,
    ],
  ])('%s that it does not have or cannot do is refused', (_title, work, message) => {
    expect(work).toThrow(ConfigurationError)
    expect(work).toThrow(message)
  })

  test('what only the database knows is refused at the start, and when it is asked', async () => {
    const coarse: Readonly<Record<DialectName, readonly string[]>> = {
      sqlite: [],
      postgres: ['alter table kept alter moment type timestamp(6), alter point type real'],
      mysql: ['alter table kept modify moment datetime(6), modify point float'],
    }
    await run(database, ...coarse[dialect])
    const refused = async (work: () => Promise<unknown>, isRefused: boolean) => {
      const found = await work().then(
        () => null,
        (error: unknown) => error,
      )
      if (isRefused) expect(found).toBeInstanceOf(ConfigurationError)
      else expect(found).toBe(null)
    }
    for (const [field, operator, isRefused] of [
      ['moment', 'order', dialect !== 'sqlite'],
      ['point', 'order', dialect !== 'sqlite'],
      ['words', 'icontains', dialect === 'mysql'],
    ] as const) {
      const kept = table('kept')
      const list =
        operator === 'order'
          ? kept.source.orderBy([key(field)])
          : kept.source.where([{ field, operator, value: 'x' }])
      await refused(() => kept.columns(), isRefused)
      const seeking = { keys: [key(field)], position: null, reverse: false, limit: 1 }
      await refused(() => (operator === 'order' ? list.seek(seeking) : list.count()), isRefused)
    }
    await refused(() => table('kept', { key: 'whole' }).columns(), true)
  })

  test.each(dialect === 'postgres' ? ['uuid', 'smallint'] : [])(
    'values that a column of %s cannot have are of no row, or 400',
    async (type) => {
      const [field, value] = type === 'uuid' ? ['words', 'nothing'] : ['whole', 40_000]
      await run(database, `alter table kept alter ${field} type ${type} using null`)
      const store = table('kept', { key: field })
      expect(await store.find(value)).toBe(null)
      expect(await store.update(value, { price: '1' })).toBe(null)
      expect(await store.remove(value)).toBe(false)
      const condition = { field, operator: 'equals', value, parameter: field }
      const list = store.source.where([condition])
      await expect(list.count()).rejects.toMatchObject({ status: 400 })
      await expect(list.slice(0, 1)).rejects.toMatchObject({ status: 400 })
      const seeking = { keys: [key(field)], position: [value, 1], reverse: false, limit: 1 }
      await expect(table('kept').source.seek(seeking)).rejects.toMatchObject({ status: 404 })
      await expect(table('kept').insert({ id: 9, [field]: value })).rejects.toMatchObject({
        kind: 'invalid',
      })
    },
  )

  test.each<[string, string, unknown]>(
    dialect === 'postgres'
      ? [
          ['inet', 'words', '1.2.3.4/99'],
          ['varbit(3)', 'words', 'abc'],
          ['real', 'point', 1e300],
          ['money', 'price', '1e40'],
        ]
      : [],
  )('no row has a key that its column of %s refuses', async (type, field, value) => {
    await run(database, `alter table kept alter ${field} type ${type} using null`)
    expect(await table('kept', { key: field }).find(value)).toBe(null)
  })

  test('as many transactions as there are connections compare rows at once', async () => {
    const tickets = table('ticket')
    const team = await prisma.team.create({ data: { name: 'Busy' } })
    const values = { title: 'Busy', teamId: team.id, openedAt: new Date(), closed: false }
    const seen = await tickets.insert(values)
    const fresh = table('ticket')
    const all = await Promise.allSettled(
      Array.from({ length: 30 }, (_each, teams) =>
        fresh.update(seen.id, { teams: teams + 1 }, seen),
      ),
    )
    const changed = all.filter(({ status }) => status === 'fulfilled')
    const statuses = all.map((each) => (each.status === 'rejected' ? each.reason.status : 200))
    expect(changed).toHaveLength(1)
    expect(new Set(statuses)).toEqual(new Set([200, 409]))
    await tickets.remove(seen.id)
    await table('team').remove(team.id)
  })

  test('an open transaction on the only connection is told what the database refuses', async () => {
    const only = await openPrisma(dialect, address, {}, undefined, 1)
    const tickets: AnyClient = prismaTable({ prisma: only, model: 'ticket', key: 'id' } as never)
    const lost = { title: 'Lost', teamId: 4711, openedAt: new Date(), closed: false }
    const refused = only.$transaction(async (transaction: AnyClient) => {
      expect(await tickets.in(transaction).within({ teamId: 4711 }).find(4711)).toBe(null)
      await tickets.in(transaction).insert(lost)
    })
    await expect(refused).rejects.toMatchObject({ kind: 'does_not_exist', columns: ['teamId'] })
    expect(await tickets.in(only).source.count()).toBe(0)
    await only.$disconnect()
  })

  test('no row is behind the last that Prisma counts, and no value that is not given shows all', async () => {
    const { source } = table('team')
    const first = await prisma.team.create({ data: { name: 'First' } })
    expect(await source.slice(2 ** 40, 9)).toEqual([])
    for (const where of [{ orgId: undefined }, { OR: [{ orgId: { in: [undefined] } }] }]) {
      expect(() => table('team', { only: where })).toThrow(/"only\..*orgId.*" .*is undefined/)
      expect(() => table('team').only(where)).toThrow(ConfigurationError)
      const relations = { team: { columns: ['name'], only: where } }
      expect(() => table('ticket', { relations })).toThrow(/"relations.team.only/)
    }
    expect(() => table('team', { only: { createdAt: new Date(), orgId: null } })).not.toThrow()
    const none = { OR: [] }
    for (const where of [{ AND: none }, { OR: [{ AND: [{ AND: [{ orgId: 1 }, none] }] }] }])
      expect(() => table('team', { only: where })).toThrow(/"only\..*OR" .*is an empty list/)
    for (const only of [none, { AND: [{ id: { gt: 0 } }], ...none }]) {
      const seen = table('team', { only }).source
      expect(await seen.where([{ field: 'id', operator: 'gt', value: 0 }]).count()).toBe(0)
    }
    await table('team').remove(first.id)
  })

  test.each(dialect === 'postgres' ? [0] : [])(
    'lists and @db.Uuid are refused at the start where Prisma does not compare them',
    async () => {
      const url = await emptyDatabaseUrl(dialect as 'postgres')
      const edited = (schema: string) =>
        schema
          .replace(/words +String\?/, 'words String[]')
          .replace('String? @map("item_name")', 'String? @map("item_name") @db.Uuid')
      const other = await openPrisma(dialect, url, {}, edited)
      const isRefused = async (model: string, field: string, operator: string | null) => {
        const store: AnyClient = prismaTable({ prisma: other, model, key: 'id' } as never)
        if (operator === null) store.source.orderBy([key(field)])
        else store.source.where([{ field, operator, value: 'x' }])
        return await store.columns().then(
          () => false,
          (error: unknown) => error instanceof ConfigurationError,
        )
      }
      const operators = ['equals', 'in', 'isNull', 'gt', 'icontains', 'iequals', null]
      const refused = async (model: string, field: string) => {
        const each = operators.map((operator) => isRefused(model, field, operator))
        const found = await Promise.all(each)
        return operators.filter((_each, at) => found[at])
      }
      expect(await refused('kept', 'words')).toEqual(operators)
      expect(await refused('item', 'name')).toEqual(['icontains', 'iequals'])
      expect(await refused('team', 'name')).toEqual([])
      await other.$disconnect()
    },
  )

  test('a null for Json is NULL, and digits beyond those of a number are no object', async () => {
    const kept = table('kept')
    const digits = (JSON as AnyClient).rawJSON('12345678901234567890')
    const { data } = await kept.insert({ id: 60, data: digits })
    expect(data).toBeTypeOf('number')
    const nulls = (name: string) =>
      prisma.$queryRawUnsafe(`select id from kept where id = 60 and ${name} is null`)
    expect(await nulls('data')).toHaveLength(0)
    expect(await kept.update(60, { data: null })).toMatchObject({ data: null })
    expect(await nulls('data')).toHaveLength(1)
    await kept.remove(60)
    await kept.insert({ id: 60, data: null })
    expect(await nulls('data')).toHaveLength(1)
    await kept.remove(60)
    const strict = await openPrisma(dialect, address, {}, (schema) =>
      schema.replace('Json?', 'Json'),
    )
    const store: AnyClient = prismaTable({ prisma: strict, model: 'kept', key: 'id' } as never)
    for (const work of [
      () => store.insert({ id: 61, data: null }),
      async () => store.update((await store.insert({ id: 61, data: 1 })).id, { data: null }),
    ])
      await expect(work()).rejects.toMatchObject({ kind: 'null', columns: ['data'] })
    await store.remove(61)
    await strict.$disconnect()
  })

  test.each(FAILING[dialect])(
    'a statement that fails with %s is DatabaseUnavailable',
    async (code) => {
      const fails: Readonly<Record<string, readonly string[]>> = {
        postgres: [
          `create or replace function fails() returns trigger language plpgsql as
          $$ begin raise exception 'no' using errcode = '${code}'; end $$`,
          'create or replace trigger failing before insert on kept for each row execute function fails()',
        ],
        mysql: [
          `create or replace trigger failing before insert on kept for each row
          signal sqlstate 'HY000' set mysql_errno = ${code}`,
        ],
      }
      await run(database, ...fails[dialect]!)
      const kept = table('kept')
      for (const work of [
        () => kept.insert({ id: 63 }),
        () => kept.inTransaction((_tx: unknown, inside: AnyClient) => inside.insert({ id: 63 })),
        () =>
          kept.inTransaction((tx: AnyClient) =>
            tx.$executeRawUnsafe('insert into kept (id) values (63)'),
          ),
      ])
        await expect(work()).rejects.toBeInstanceOf(DatabaseUnavailable)
      await run(database, `drop trigger failing${dialect === 'postgres' ? ' on kept' : ''}`)
    },
  )

  test.each([
    'timeout exceeded when trying to connect',
    'Connection terminated unexpectedly',
    'Client has encountered a connection error and is not queryable',
  ])('the driver that says "%s" is DatabaseUnavailable', async (message) => {
    const failing = prisma.$extends({
      query: { $allOperations: () => Promise.reject(new Error(message)) },
    })
    const store: AnyClient = prismaTable({ prisma: failing, model: 'team', key: 'id' } as never)
    await expect(store.find(1)).rejects.toBeInstanceOf(DatabaseUnavailable)
    await expect(store.insert({ name: 'Lost' })).rejects.toBeInstanceOf(DatabaseUnavailable)
  })

  test.each(dialect === 'postgres' ? ['infinity', '0044-03-15 BC', '275761-01-01'] : [])(
    'a list that ends with the point in time %s names its row',
    async (moment) => {
      await run(
        database,
        'alter table kept alter moment type timestamp(3)',
        `insert into kept (id, moment) values (62, '${moment}')`,
      )
      const asked = { keys: [key('moment')], position: null, reverse: false, limit: 9 }
      const only = table('kept', { only: { id: 62 } })
      await expect(only.source.seek(asked)).rejects.toThrow(/"moment", .* in the row 62/)
      await table('kept').remove(62)
    },
  )

  test.each(dialect === 'sqlite' ? ['file', 'intMode'] : [])(
    'on SQLite a %s that loses rows is refused at the start',
    async (what) => {
      expect(await table('kept').columns()).toContain('large')
      if (what === 'file') {
        const link = temporaryPath()
        symlinkSync(address, link)
        const colophon = openSqlite(link)
        await expect(table('team').columns()).rejects.toThrow(/Give Colophon another file/)
        colophon.close()
        expect(await table('team').columns()).toContain('name')
      } else {
        const numbers = await openPrisma(dialect, address, {}, undefined, 0)
        const ask = (model: string) =>
          (prismaTable({ prisma: numbers, model, key: 'id' } as never) as AnyClient).columns()
        await expect(ask('kept')).rejects.toThrow(/"large" .* Give it intMode/)
        expect(await ask('team')).toContain('name')
        await numbers.$disconnect()
      }
    },
  )

  test.each(dialect === 'sqlite' ? ["'2026-11-29 04:00:00'", '1764388800000'] : [])(
    'points in time that another program has written as %s are refused at the start',
    async (written) => {
      const { id } = await table('kept').insert({ id: 40, moment: new Date() })
      const ask = () => {
        const kept = table('kept')
        kept.source.orderBy([key('moment')])
        return kept.columns()
      }
      expect(await ask()).toContain('moment')
      await run(database, `insert into kept (id, moment) values (41, ${written})`)
      await expect(ask()).rejects.toThrow(/"moment" .*SQLite compares points in time as they are/)
      for (const each of [id, 41]) await table('kept').remove(each)
      expect(await ask()).toContain('moment')
    },
  )

  test('points in time before the year 1000 are refused where Prisma reads them as others', async () => {
    const kept = table('kept')
    const moment = '0001-01-01T00:00:00Z'
    const inserted = kept.insert({ id: 50, moment })
    const list = kept.source.where([
      { field: 'moment', operator: 'lte', value: moment, parameter: 'moment' },
    ])
    if (dialect === 'mysql') {
      await expect(inserted).rejects.toMatchObject({ kind: 'invalid', columns: ['moment'] })
      await expect(list.count()).rejects.toMatchObject({ status: 400 })
    } else {
      expect((await inserted).moment).toEqual(new Date(moment))
      expect(await list.count()).toBe(1)
      await kept.remove(50)
    }
  })

  test('extensions of the client hold for lists, rows and changes, and inside of transactions', async () => {
    const hiding = ({ args, query }: AnyClient) =>
      query({ ...args, where: { AND: [args.where ?? {}, { name: { not: 'Hidden' } }] } })
    const extended = prisma.$extends({
      query: { team: { findMany: hiding, findFirst: hiding, count: hiding } },
      result: {
        team: { shout: { needs: { name: true }, compute: ({ name }: AnyClient) => `${name}!` } },
      },
    })
    const teams: AnyClient = prismaTable({ prisma: extended, model: 'team', key: 'id' } as never)
    await teams.insert({ name: 'Seen' })
    const { id } = await prisma.team.create({ data: { name: 'Hidden' } })
    expect(await teams.source.count()).toBe(1)
    expect(await teams.find(id)).toBe(null)
    await teams.inTransaction(async (_tx: unknown, inside: AnyClient) => {
      const [found, ...others] = await inside.source.slice(0, 9)
      expect(found.shout).toBe('Seen!')
      expect(others).toEqual([])
    })
  })

  test('rows that are fewer: what is written must be among them, and nothing else is kept', async () => {
    const some = table('team', { only: { name: { startsWith: 'T' } } })
    const { id } = await some.insert({ name: 'Teal' })
    await expect(some.insert({ name: 'Red' })).rejects.toMatchObject({ status: 403 })
    await expect(some.update(id, { name: 'Red' })).rejects.toMatchObject({ status: 403 })
    expect(await prisma.team.count({ where: { name: 'Red' } })).toBe(0)
    expect(await some.update(id, { name: 'Tan' })).toMatchObject({ name: 'Tan' })
    const more = await Promise.all(['Ta', 'Tb'].map((name) => some.insert({ name, orgId: 5 })))
    const found = await some.manyByKey([5, 6], { column: 'orgId', limit: 1 })
    expect(found).toEqual([more.toSorted((left, right) => left.id - right.id)[0]])
    expect(await some.manyByKey([5, 6], { column: 'orgId', limit: 2 })).toHaveLength(2)
    expect(await some.only({ orgId: 5 }).source.count()).toBe(2)
  })

  test('a scope by texts that the column takes for the same is refused, and one by a key is not', async () => {
    const asked = async (type: string, more = '') => {
      await run(
        database,
        'drop table if exists item',
        `create table item (id integer primary key, item_kind integer, item_name ${type}${more})`,
        `insert into item values (1, 1, 'ada')`,
        `insert into item values (2, 1, 'ADA')`,
      )
      const items = table('item')
      const own = items.within({ name: 'ada' })
      const all = [
        () => items.columns(['name']),
        () => own.source.slice(0, 9),
        () => own.source.count(),
        () => own.find(2),
        () => own.update(2, { kind: 2 }),
        () => own.remove(2),
        () => items.within({ name: ['ada', 'bob'] }).find(2),
      ]
      const answers: PromiseSettledResult<unknown>[] = []
      for (const each of all) answers.push(...(await Promise.allSettled([each()])))
      return answers
    }
    if (dialect === 'postgres') await run(database, 'create extension citext')
    for (const each of await asked(LOOSE[dialect])) {
      const { reason } = each as PromiseRejectedResult
      expect(reason).toBeInstanceOf(ConfigurationError)
      expect(String(reason)).toMatch(/scope by "name" of the model "Item"/)
    }
    expect(await table('item').columns(['id', 'kind'])).toEqual(['id', 'kind', 'name'])
    const ada = { id: 1, kind: 1, name: 'ada' }
    const values = (each: readonly PromiseSettledResult<unknown>[]) =>
      each.slice(1).map((one) => (one as PromiseFulfilledResult<unknown>).value)
    const exact = await asked(EXACT[dialect])
    expect(values(exact)).toEqual([[ada], 1, null, null, false, null])
    const by = await table('item').manyByKey(['ada'], { column: 'name', limit: 9 })
    expect(by).toEqual([ada])
    if (dialect === 'sqlite') return
    // Of keys that are unique by the same collation, no two differ by case alone.
    await run(
      database,
      `create table person (name ${LOOSE[dialect]} primary key)`,
      `insert into person values ('ada')`,
    )
    const keyed = await asked(LOOSE[dialect], ', foreign key (item_name) references person (name)')
    expect(values(keyed).slice(0, 2)).toEqual([[ada, { ...ada, id: 2, name: 'ADA' }], 2])
    // Keys that have both of them.
    const refers = (columns: string, named: string) =>
      `, foreign key (${columns}) references person (${named})`
    for (const [type, unique, more] of [
      [LOOSE[dialect], 'unique (name, id)', refers('item_name, id', 'name, id')],
      dialect === 'postgres'
        ? ['text', 'unique (name)', refers('item_name', 'name')]
        : [LOOSE[dialect], 'unique (name, id)', refers('item_name', 'name')],
    ] as const) {
      await run(
        database,
        'drop table item',
        'drop table person',
        `create table person (name ${type}, id integer, ${unique})`,
        `insert into person values ('ada', 1), ('ADA', 2)`,
      )
      const [columns] = await asked(LOOSE[dialect], more)
      expect(columns).toMatchObject({ reason: expect.any(ConfigurationError) as unknown })
    }
  })

  const columns = 'id integer primary key, item_kind integer, item_name'
  const base = `create table base (${columns} ${LOOSE[dialect]})`
  const citext = 'create extension if not exists citext'
  const shapes: Readonly<Record<DialectName, readonly (readonly [string, ...string[]])[]>> = {
    sqlite: [
      ['other capitals', `create table ITEM (${columns} ${LOOSE[dialect]})`],
      ['a view', base, 'create view item as select * from base'],
    ],
    postgres: [
      ['domains', citext, ...DOMAINS, `create table item (${columns} d2)`],
      ['a materialized view', base, 'create materialized view item as select * from base'],
    ],
    mysql: [['a view', base, 'create view item as select * from base']],
  }
  test.each(shapes[dialect])(
    'a scope by a loose text behind %s is refused',
    async (_name, ...made) => {
      await run(database, 'drop table item', ...made)
      const asked = table('item').columns(['name'])
      await expect(asked).rejects.toThrow(/scope by "name" of the model "Item"/)
    },
  )
})

test('on SQLite a reference without a column is to the primary key', async () => {
  const prisma = await openPrisma('sqlite', temporaryPath())
  onTestFinished(() => prisma.$disconnect())
  for (const sql of [
    'create table team (id integer primary key, team_name text)',
    `create table ticket (id integer primary key, ticket_title text, team_id integer references team,
      opened_at datetime, is_closed boolean, org_id integer, team_count integer)`,
  ])
    await prisma.$executeRawUnsafe(sql)
  const tickets: AnyClient = prismaTable({ prisma, model: 'ticket', key: 'id' } as never)
  const lost = { title: 'Lost', teamId: 4711, openedAt: new Date(), closed: false }
  await expect(tickets.insert(lost)).rejects.toMatchObject({
    kind: 'does_not_exist',
    columns: ['teamId'],
  })
})

test('a row that Prisma cannot read is no missing row, nor is its value of the client', async () => {
  const prisma = await openPrisma('sqlite', temporaryPath())
  onTestFinished(() => prisma.$disconnect())
  await prisma.$executeRawUnsafe(KEPT.sqlite)
  await prisma.$executeRawUnsafe(`insert into kept (id, mood) values (1, 'ugly')`)
  const kept: AnyClient = prismaTable({ prisma, model: 'kept', key: 'id' } as never)
  const list = kept.source.where([{ field: 'id', operator: 'equals', value: 1, parameter: 'id' }])
  for (const work of [
    () => kept.find(1),
    () => kept.update(1, { whole: 2 }),
    () => list.slice(0, 9),
    () => kept.source.seek({ keys: [key('id')], position: [0], reverse: false, limit: 9 }),
    () => kept.remove(1),
  ])
    await expect(work()).rejects.toMatchObject({ code: 'P2023' })
  expect(await kept.source.count()).toBe(1)
  expect(await kept.find(2)).toBe(null)
})

test.each([
  ['postgres', 'postgresql://a:b@127.0.0.1:1/x'],
  ['mysql', 'mysql://a:b@127.0.0.1:1/x?acquireTimeout=500'],
  ['sqlite', join(import.meta.dirname, 'nowhere/x.sqlite')],
  // No file of SQLite.
  ['sqlite', import.meta.filename],
] as const)('a database of %s that is away is DatabaseUnavailable', async (dialect, url) => {
  const prisma = await openPrisma(dialect, url)
  const table: AnyClient = prismaTable({ prisma, model: 'ticket', key: 'id' } as never)
  const row = { title: 'Lost', teamId: 1, openedAt: new Date(), closed: false }
  for (const work of [
    () => table.source.slice(0, 9),
    () => table.find(1),
    () => table.insert(row),
    () => table.update(1, { title: 'x' }, { id: 1 }),
    () => table.inTransaction(() => null),
  ])
    await expect(work()).rejects.toBeInstanceOf(DatabaseUnavailable)
  await prisma.$disconnect()
})

test('the types are those of the client', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-prisma-'))
  try {
    await makeProject(folder)
    await generatePrisma(
      folder,
      `${schemaOfPage()}\nmodel Note {\n id Int @id\n data Json\n more Json?\n}`,
    )
    writeFileSync(join(folder, 'app.ts'), TYPED)
    const compilerOptions = { ...OPTIONS, exactOptionalPropertyTypes: true }
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, files: ['app.ts'] }),
    )
    const { output } = await runTool(`tsc -p ${folder} --checkers 1 --pretty false`, {
      show: false,
    })
    expect(output.trim()).toBe('')
  } finally {
    rmSync(folder, { recursive: true })
  }
})

const OPTIONS = {
  module: 'nodenext',
  target: 'esnext',
  strict: true,
  noEmit: true,
  allowImportingTsExtensions: true,
  skipLibCheck: true,
  types: ['node'],
}

const TYPED = `
import { defineApi, defineUrls, field, resource, resourceUrls, serializer } from 'colophon'
type Shape = { a: string[]; b?: number | undefined }
declare const shape: { readonly '~standard': { readonly version: 1; readonly vendor: string; readonly validate: (value: unknown) => { readonly value: Shape }; readonly types?: { readonly input: unknown; readonly output: Shape } } }
import { prismaTable } from 'colophon/prisma'
import { PrismaClient } from './generated/prisma/client.ts'
declare const prisma: PrismaClient
const tickets = prismaTable({ prisma, model: 'ticket', key: 'id', only: { deletedAt: null }, relations: { team: { columns: ['name'] } } })
const row = await tickets.find('7')
export const shown: [number, string, boolean, Date | null] | null = row && [row.id, row.title, row.urgent, row.deletedAt]
await tickets.insert({ title: 'Cold', owner: 'ada', teamId: null })
await tickets.update(7, { urgent: true })
await tickets.within({ owner: 'ada' }).source.where([{ field: 'team.name', operator: 'icontains', value: 'x' }]).count()
await prisma.$transaction(async (tx) => tickets.in(tx).remove(7))
await tickets.inTransaction(async (tx, inside) => [await tx.team.count(), await inside.source.count()])
const extended = prisma.$extends({ result: { ticket: { loud: { needs: { title: true }, compute: ({ title }) => title + '!' } } } })
export const loud = prismaTable({ prisma: extended, model: 'ticket', key: 'id' })
const notes = prismaTable({ prisma, model: 'note', key: 'id' })
await notes.update(7, { data: { a: [1, null] }, more: null })
export const note = resource(defineApi({ urls: defineUrls({ ...resourceUrls('note', '/notes/', ':id<int>') }) }), 'note', {
  store: notes,
  serializer: serializer({ id: field.integer(), data: field.json(), more: field.json({ nullable: true, required: false }) }),
})
export const shaped = resource(defineApi({ urls: defineUrls({ ...resourceUrls('note', '/notes/', ':id<int>') }) }), 'note', {
  store: notes,
  serializer: serializer({ id: field.integer(), data: field.schema(shape, { writeOnly: true }), shown: field.json({ source: 'data', readOnly: true }) }),
})
// @ts-expect-error It is no value of Json.
await notes.update(7, { data: 7n })
// @ts-expect-error There is no such model.
prismaTable({ prisma, model: 'tickets', key: 'id' })
// @ts-expect-error There is no such field.
prismaTable({ prisma, model: 'ticket', key: 'uuid' })
// @ts-expect-error There is no such field.
prismaTable({ prisma, model: 'ticket', key: 'id', only: { deleted: null } })
// @ts-expect-error It has an owner.
await tickets.insert({ title: 'Cold' })
// @ts-expect-error It is a text.
await tickets.update(7, { title: 7 })
// @ts-expect-error There is no such field.
tickets.source.orderBy([{ field: 'opened', descending: true, nulls: 'last' }])
`
