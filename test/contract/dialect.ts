import { type OperationNode, OrderByNode, type SelectQueryNode, ValueNode } from 'kysely'
import { describe, expect, test } from 'vitest'
import type { PositionValue, SortKey } from '../../src/core/ports/list-source.ts'
import type { Executor } from '../../src/core/ports/database.ts'
import { compilerOf } from '../../src/storage/sql/prepared.ts'
import type { Attempt, SeekKey, Term, Violation } from '../../src/storage/sql/dialect.ts'
import { withAlias, withWhere, operation, columnRef } from '../../src/storage/sql/nodes.ts'
import { orderItems, reversedTerms } from '../../src/storage/sql/order.ts'
import type { SqlDatabase } from '../../src/storage/sql/sql-database.ts'

/** What a dialect is tested with. */
export interface DialectFixture {
  readonly name: string
  /** An empty database. */
  readonly open: () => Promise<SqlDatabase>
  /** The type of points in time with six digits of a second. */
  readonly moment: string
  /** The end of a column of texts that are compared letter by letter. */
  readonly binary: string
  /** A key that counts up by itself. */
  readonly counting: string
  /** Does it have regular expressions and full text search? */
  readonly searches: boolean
  /** Is a text that is too long refused? */
  readonly limitsTexts: boolean
  /** A select with a value that the database refuses; `null`: it refuses none. */
  readonly refused: string | null
  /** Does it lock rows, so that transactions can wait for each other? */
  readonly locksRows: boolean
}

interface Tables {
  item: { id: number; a: number | null; name: string }
}

const run = async (database: Executor, ...statements: readonly string[]): Promise<void> => {
  for (const sql of statements) await database.write({ sql, parameters: [] })
}

/** Two rows of each value, and two without. */
const ITEMS = [1, null, 2, 3, 1, null, 3, 2].map((a, place) => ({ id: place + 1, a }))

/** What `Dialect` promises (src/storage/sql/dialect.ts), on a database that speaks it. */
export function testDialect(fixture: DialectFixture): void {
  async function withItems(): Promise<SqlDatabase> {
    const database = await fixture.open()
    await run(
      database,
      `create table item (id integer not null primary key, a integer, name varchar(20) ${fixture.binary} not null)`,
      ...ITEMS.map(({ id, a }) => `insert into item values (${id}, ${a}, 'Item ${id}')`),
      'create index item_a on item (a, id)',
    )
    return database
  }

  const selectFrom = (database: SqlDatabase): SelectQueryNode =>
    database.kysely<Tables>().selectFrom('item').select('item.id').toOperationNode()

  const idsOf = async (database: SqlDatabase, query: SelectQueryNode): Promise<number[]> =>
    (await database.rows(compilerOf(database.dialect)(query))).values.map(([id]) => Number(id))

  test('it has the name that people know', async () => {
    expect((await fixture.open()).dialect.name).toBe(fixture.name)
  })

  describe('kinds of values', () => {
    const COLUMNS = [
      ['bigint', '9007199254740993', '9007199254740993', 'seven'],
      ['integer', '7', '7', '7.5'],
      ['decimal(20,3)', '12345678901234567.125', '12345678901234567.125', 'seven'],
      ['varchar(20)', "'Émile'", 'Émile', null],
      ['moment', "'2024-05-06 07:08:09.123456'", '2024-05-06 07:08:09.123456', null],
    ] as const

    test.each(COLUMNS)('%s comes back as it went', async (name, literal, meant, none) => {
      const database = await fixture.open()
      const type = name === 'moment' ? fixture.moment : name
      await run(
        database,
        `create table kept (value ${type})`,
        `insert into kept values (${literal})`,
      )
      const select = database.kysely<{ kept: { value: unknown } }>().selectFrom('kept')
      const { sql } = select.select('value').compile()
      const [facts] = await database.describe!({ sql: `${sql} limit 0`, parameters: [] })
      const kind = database.dialect.kindOf(facts!)
      const column = columnRef('kept.value')
      const compile = compilerOf(database.dialect)
      const read = kind.read?.(kind.ordered?.(column) ?? column) ?? column
      const query = { ...select.toOperationNode(), selections: [withAlias(read, 'value')] }
      const found = async (condition: OperationNode): Promise<unknown> =>
        (await database.rows(compile(withWhere(query, condition)))).values
      const { values } = await database.rows(compile(query))
      const value = (kind.kept?.(values[0]![0]) ?? values[0]![0]) as PositionValue
      expect(kind.fits(value)).toBe(true)
      // From a position, and from a condition.
      const sent = ValueNode.create(value)
      expect(await found(operation(column, '=', kind.bound?.(sent) ?? sent))).toEqual(values)
      const wanted = ValueNode.create(kind.meant(meant))
      const bound =
        kind.boundInCondition?.(wanted, column, [wanted.value]) ?? kind.bound?.(wanted) ?? wanted
      expect(await found(operation(column, '=', bound))).toEqual(values)
      const listed = kind.oneOf?.(column, [wanted.value, wanted.value])
      if (listed != null) expect(await found(listed)).toEqual(values)
      const takesEverything = kind.meant('no such value') !== undefined
      if (none !== null && !takesEverything) expect(kind.meant(none)).toBeUndefined()
    })
  })

  /** Ids in the order of a column that may be NULL, made total by the id. */
  const sorted = ({ descending, nulls }: Omit<SortKey, 'field'>): number[] =>
    ITEMS.toSorted((left, right) => {
      if (left.a === null || right.a === null) {
        const difference = Number(left.a !== null) - Number(right.a !== null)
        return (nulls === 'first' ? difference : -difference) || left.id - right.id
      }
      return (descending ? right.a - left.a : left.a - right.a) || left.id - right.id
    }).map(({ id }) => id)

  const termsOf = ({ descending, nulls }: Omit<SortKey, 'field'>): readonly Term[] => [
    { node: columnRef('item.a'), descending, nullsFirst: nulls === 'first', nullable: true },
    { node: columnRef('item.id'), descending: false, nullsFirst: true, nullable: false },
  ]

  const DIRECTIONS = [
    { descending: false, nulls: 'first' },
    { descending: false, nulls: 'last' },
    { descending: true, nulls: 'first' },
    { descending: true, nulls: 'last' },
  ] as const

  test.each(DIRECTIONS)('NULLs stand where they should: %o', async (direction) => {
    const database = await withItems()
    const { nulls } = database.dialect
    const orderBy = OrderByNode.create(orderItems(nulls, termsOf(direction)))
    expect(await idsOf(database, { ...selectFrom(database), orderBy })).toEqual(sorted(direction))
  })

  describe.each(['forwards', 'backwards'] as const)('seek %s', (way) => {
    test.each(DIRECTIONS)('finds the rows behind each row: %o', async (direction) => {
      const database = await withItems()
      const terms = way === 'forwards' ? termsOf(direction) : reversedTerms(termsOf(direction))
      const all = way === 'forwards' ? sorted(direction) : sorted(direction).toReversed()
      const sought = async (keys: readonly SeekKey[]): Promise<number[]> => {
        const found: number[] = []
        for (const step of database.dialect.seek(keys)) {
          if (step.condition === false) continue
          const orderBy = OrderByNode.create(orderItems(database.dialect.nulls, step.terms))
          const query = withWhere(selectFrom(database), step.condition)
          found.push(...(await idsOf(database, { ...query, orderBy })))
        }
        return found
      }
      expect(await sought(terms)).toEqual(all)
      for (const [place, id] of all.entries()) {
        const { a } = ITEMS[id - 1]!
        const values = [a, id].map((value) => (value === null ? null : ValueNode.create(value)))
        const keys = terms.map((term, at) => ({ ...term, value: values[at]! }))
        expect(await sought(keys)).toEqual(all.slice(place + 1))
      }
    })
  })

  describe('texts', () => {
    const matching = async (
      database: SqlDatabase,
      operator: 'like' | 'iregex' | 'search',
      value: string,
    ): Promise<number[]> => {
      const node = database.dialect.text[operator]!(columnRef('item.name'), ValueNode.create(value))
      return (await idsOf(database, withWhere(selectFrom(database), node))).toSorted(
        (a, b) => a - b,
      )
    }

    test('LIKE ignores case, and takes what stands behind an ! as it is', async () => {
      const database = await withItems()
      await run(database, `insert into item values (9, 1, '50% off')`)
      expect(await matching(database, 'like', 'item %')).toHaveLength(8)
      expect(await matching(database, 'like', '%M 3')).toEqual([3])
      expect(await matching(database, 'like', '50!% OFF')).toEqual([9])
      expect(await matching(database, 'like', '5!% off')).toEqual([])
    })

    test('regular expressions ignore case; a database has them and search, or says so', async () => {
      const database = await withItems()
      const { iregex, search } = database.dialect.text
      expect([iregex !== null, search !== null]).toEqual([fixture.searches, fixture.searches])
      if (iregex !== null) expect(await matching(database, 'iregex', '^ITEM [12]$')).toEqual([1, 2])
    })
  })

  describe('estimates', () => {
    const estimated = (database: SqlDatabase, query: SelectQueryNode): Promise<number | null> =>
      Promise.resolve(database.dialect.estimate(query, compilerOf(database.dialect))(database))

    test('are near the number of rows, once they are analysed', async () => {
      const database = await withItems()
      await run(database, fixture.name === 'MySQL' ? 'analyze table item' : 'analyze')
      const found = await estimated(database, selectFrom(database))
      expect(found).toBeGreaterThanOrEqual(4)
      expect(found).toBeLessThanOrEqual(16)
    })

    test('are a number or nothing, where rows are grouped', async () => {
      const database = await withItems()
      const grouped = database.kysely<Tables>().selectFrom('item').select('a').groupBy('a')
      const found = await estimated(database, grouped.toOperationNode())
      expect(found === null || found > 0).toBe(true)
    })
  })

  async function withBooks(): Promise<SqlDatabase> {
    const database = await fixture.open()
    await run(
      database,
      'create table shelf (id integer not null primary key)',
      `create table book (id ${fixture.counting}, isbn varchar(5) unique, pages integer not null default 3,
        shelf_id integer, foreign key (shelf_id) references shelf (id))`,
      'insert into shelf values (1)',
    )
    return database
  }

  describe('the catalogue', () => {
    test('has the columns of a table, and of none that is not there', async () => {
      const database = await withBooks()
      const { columns } = await database.dialect.facts(database, { name: 'book', schema: null })
      expect([...columns.keys()]).toEqual(['id', 'isbn', 'pages', 'shelf_id'])
      expect(columns.get('pages')!.kind.meant('7')).toBe(7)
      expect(columns.get('isbn')!.maxLength).toBe(fixture.limitsTexts ? 5 : null)
      const none = await database.dialect.facts(database, { name: 'nothing', schema: null })
      expect(none.columns.size).toBe(0)
    })

    test('an INSERT of defaults gives back its row, or the number that was counted', async () => {
      const database = await withBooks()
      const { dialect } = database
      const { lastNumber } = await dialect.facts(database, { name: 'book', schema: null })
      const into = dialect.insertDefaults(database.kysely<never>().insertInto('book'))
      const statement = (lastNumber === null ? into.returningAll() : into).compile()
      const id = await database.transaction(async (transaction) => {
        const inserted = await transaction.rows(statement)
        const numbered = lastNumber === null ? inserted : await transaction.rows(lastNumber)
        return numbered.values[0]![0]
      })
      expect(await database.read({ sql: 'select id, pages from book', parameters: [] })).toEqual([
        { id, pages: 3 },
      ])
    })
  })

  describe('violations', () => {
    const BROKEN: readonly (readonly [
      sql: string,
      values: Attempt['values'],
      verb: Attempt['verb'],
      expected: Violation,
    ])[] = [
      [
        "insert into book (isbn) values ('a')",
        { isbn: 'a' },
        'insert',
        { kind: 'unique', columns: ['isbn'] },
      ],
      [
        'insert into book (pages) values (null)',
        { pages: null },
        'insert',
        { kind: 'null', columns: ['pages'] },
      ],
      [
        'insert into book (shelf_id) values (9)',
        { shelf_id: 9 },
        'insert',
        { kind: 'does_not_exist', columns: ['shelf_id'] },
      ],
      [
        'delete from shelf where id = 1',
        {},
        'delete',
        { kind: 'protected', columns: [], referring: 'book' },
      ],
    ]

    async function violating(
      sql: string,
      values: Attempt['values'],
      verb: Attempt['verb'],
    ): Promise<Violation | null> {
      const database = await withBooks()
      await run(database, "insert into book (isbn, shelf_id) values ('a', 1)")
      const table = verb === 'delete' ? 'shelf' : 'book'
      const facts = await database.dialect.facts(database, { name: table, schema: null })
      const error = await run(database, sql).then(
        () => null,
        (thrown: Error) => thrown,
      )
      return database.dialect.violation(error!, { verb, table, values, facts, reader: database })
    }

    test.each(BROKEN)('%s', async (sql, values, verb, expected) => {
      expect(await violating(sql, values, verb)).toEqual(expected)
    })

    test('a text that is too long, where the database looks', async () => {
      if (!fixture.limitsTexts) return
      const sql = "insert into book (isbn) values ('123456')"
      expect(await violating(sql, { isbn: '123456' }, 'insert')).toEqual({
        kind: 'max_length',
        columns: ['isbn'],
      })
    })

    test('an error that is about no row is none', async () => {
      expect(await violating('insert into nowhere values (1)', {}, 'insert')).toBeNull()
    })
  })

  describe('refused values', () => {
    test('are told from other errors', async () => {
      const database = await withItems()
      const failing = async (sql: string): Promise<Error> => {
        try {
          await database.rows({ sql, parameters: [] })
        } catch (error) {
          return error as Error
        }
        throw new Error('It did not fail.')
      }
      const { dialect } = database
      expect(dialect.refusesValue(await failing('select nothing from item'))).toBe(false)
      if (fixture.refused !== null)
        expect(dialect.refusesValue(await failing(fixture.refused))).toBe(true)
    })
  })

  describe('locks', () => {
    test.each(['update', 'delete'] as const)('hold a row until the end: %s', async (verb) => {
      const database = await withItems()
      const { dialect } = database
      const rows = database.kysely<Tables>().selectFrom('item').selectAll()
      const locked = dialect.locked(rows, verb).compile()
      const changed = 'update item set a = 5 where id = 1'
      let [isOver, wasEarly] = [false, false]
      const other: Promise<void>[] = []
      await database.transaction(async (transaction) => {
        await transaction.rows(locked)
        other.push(run(database, changed).then(() => void (wasEarly = !isOver)))
        await new Promise((resolve) => setTimeout(resolve, 50))
        isOver = true
      })
      await Promise.all(other)
      expect(wasEarly).toBe(false)
    })

    test('a transaction that was given up for another one runs again', async () => {
      if (!fixture.locksRows) return
      const database = await withItems()
      const both = Promise.withResolvers<void>()
      let [waiting, tries] = [2, 0]
      const crossing = (first: number, second: number): Promise<void> =>
        database.transaction(async (transaction) => {
          tries += 1
          await run(transaction, `update item set a = 5 where id = ${first}`)
          if (--waiting === 0) both.resolve()
          await both.promise
          await run(transaction, `update item set a = 5 where id = ${second}`)
        })
      await Promise.all([crossing(1, 2), crossing(2, 1)])
      // On a busy machine the one that runs again may meet the other one again.
      expect(tries).toBeGreaterThanOrEqual(3)
    })
  })
}
