// The locks of pending migrations, judged by their statements before one runs.
import { type Kysely, sql } from 'kysely'
import type { BlockingStatement } from '../../../core/ports/database.ts'
import type { MigrationDialect } from '../dialect.ts'
import { ownText } from './column-kinds.ts'
import { Building } from './run-migrations.ts'
import type { Migration, StepData } from './steps.ts'

/** Rows from which on a table is large: fewer are read or written in a moment. */
export const LARGE = 10_000

/** A kind of statement that keeps others waiting. */
interface Rule {
  readonly statement: RegExp
  readonly why: string
  readonly instead: string
  /** A question whose first row says that there is nothing left to wait for. */
  readonly excuse?: (found: RegExpExecArray, table: string) => ReturnType<typeof sql>
}

const RENAMED: Rule = {
  statement: /\brename\s+(?!constraint|index)/i,
  why: 'The version that still runs asks for the old name.',
  instead:
    'Add what has the new name, write both, fill it, and drop the old one in a later release.',
}

const WHOLE: Rule = {
  statement: /^\s*(?:update|delete)\b(?![^]*\bwhere\b)/i,
  why: 'It locks every row until the migration is done.',
  instead: 'Change rows in steps, with a where, in a program beside the service or in a task.',
}

const POSTGRES: readonly Rule[] = [
  {
    statement:
      /\bcreate\s+(?:unique\s+)?index\s+(?!concurrently)(?:if\s+not\s+exists\s+["`]?(\w+))?/i,
    why: 'Writes wait until the index is built.',
    instead:
      'Build it by hand before: create index concurrently if not exists NAME …; then plainSql("create index if not exists NAME …") finds it there.',
    excuse: ([, name = '']) =>
      sql`select 1 from pg_index where indexrelid = to_regclass(nullif(${name}, '')) and indisvalid`,
  },
  {
    statement: /\balter\s+(?:column\s+)?\S+\s+(?:set\s+data\s+)?type\b/i,
    why: 'Every row is written again, and reads wait, too.',
    instead:
      'Add a column of the new type, write both, fill it in steps, read the new one, and drop the old one in a later release.',
  },
  {
    statement: /\balter\s+(?:column\s+)?["`]?(\w+)["`]?\s+set\s+not\s+null\b/i,
    why: 'All rows are read while reads and writes wait.',
    instead:
      'First add constraint NAME check (COLUMN is not null) not valid, and validate constraint NAME in a later migration: then it is known without reading.',
    excuse: ([, column], table) => sql`select 1 from pg_constraint
      where conrelid = to_regclass(nullif(${table}, '')) and contype = 'c' and convalidated
        and pg_get_constraintdef(oid) = ${`CHECK ((${column} IS NOT NULL))`}`,
  },
  {
    statement: /\badd\b[^]*\b(?:foreign\s+key|references)\b(?![^]*\bnot\s+valid\b)/i,
    why: 'Writes to both tables wait while all rows are checked.',
    instead:
      'Add the column alone, then the constraint with not valid, and validate it in a later migration.',
  },
  {
    statement: /\badd\b[^]*\bcheck\s*\((?![^]*\bnot\s+valid\b)/i,
    why: 'Reads and writes wait while all rows are checked.',
    instead:
      'Add the column alone, then the constraint with not valid, and validate it in a later migration.',
  },
  {
    statement: /\badd\b[^]*\b(?:unique|primary\s+key)\b(?![^]*\busing\s+index\b)/i,
    why: 'Reads and writes wait until the index is built.',
    instead: 'Build a unique index concurrently by hand, then add the constraint with using index.',
  },
  {
    statement: /\badd\s+(?:column\s+)?(?!constraint\b)(?![^,]*\bdefault\b)[^,]*\bnot\s+null\b/i,
    why: 'Rows that are there would have no value, so it fails.',
    instead: 'Add it nullable or with a default, fill it in steps, and then demand a value.',
  },
  {
    statement:
      /\badd\b[^]*\b(?:default\b[^,]*\b(?:clock_timestamp|random|gen_random_uuid|uuid_generate_v\w+|nextval)\s*\(|(?:big|small)?serial\b|generated\b)/i,
    why: 'Every row is written again for a value of its own, and reads wait, too.',
    instead:
      'Add the column nullable, set the default in a statement of its own, and fill it in steps.',
  },
  {
    statement:
      /^\s*(?:vacuum\b.*\bfull|cluster|lock\s+table|reindex\b(?!.*\bconcurrently)|refresh\s+materialized\s+view\s+(?!concurrently))\b/i,
    why: 'It holds a lock of the whole table while it works.',
    instead: 'Do it by hand, with concurrently where there is such a form.',
  },
  RENAMED,
  WHOLE,
]

const COPIED = 'The server copies the table, and writes wait until it is done.'
const MARIADB: readonly Rule[] = [
  {
    statement: /\b(?:modify|change)\s+(?:column\s+)?["`]?\w+/i,
    why: COPIED,
    instead:
      'Add a column of the new type, write both, fill it in steps, read the new one, and drop the old one in a later release.',
  },
  {
    statement: /\badd\b[^]*\bforeign\s+key\b/i,
    why: COPIED,
    instead:
      'Add the column with its index, and the constraint by pt-online-schema-change or at a quiet hour.',
  },
  {
    statement: /\badd\b[^]*\bcheck\s*\(/i,
    why: COPIED,
    instead: 'Add the column alone, and check its values in the service.',
  },
  {
    statement: /\b(?:fulltext|spatial)\s+(?:index|key)\b/i,
    why: 'Writes wait until the index is built.',
    instead: 'Build it at a quiet hour, or in a copy of the table that takes its place.',
  },
  {
    statement: /\b(?:drop\s+primary\s+key|convert\s+to|(?:character\s+set|charset)\b|engine\s*=)/i,
    why: COPIED,
    instead: 'Do it by pt-online-schema-change or gh-ost, outside of a migration.',
  },
  {
    statement: /^\s*(?:optimize|repair|lock)\s+tables?\b/i,
    why: 'It holds a lock of the whole table while it works.',
    instead: 'Do it by hand, at a quiet hour.',
  },
  RENAMED,
  WHOLE,
]

/** The rules by the name of the database in texts of `plainSql`. */
const RULES: Readonly<Record<string, readonly Rule[]>> = { postgres: POSTGRES, mysql: MARIADB }

/**
 * Statements of pending migrations that keep others waiting for as long as a large table takes. `null`: of this kind of
 * database nothing is known. What `run()` does to rows is not judged.
 */
export async function blockingStatements(
  database: Kysely<unknown>,
  dialect: MigrationDialect,
  own: readonly Migration[],
  isPending: (name: string) => boolean,
): Promise<readonly BlockingStatement[] | null> {
  const rules = RULES[dialect.own]
  if (rules === undefined) return null
  const building = new Building(database, dialect)
  const made = new Set<string>()
  const found: BlockingStatement[] = []
  for (const { name, steps } of own)
    for (const { '~step': step } of steps) {
      const texts = textsOf(step, building, dialect.own)
      if (!isPending(name)) continue
      if (step.do === 'create') made.add(step.table)
      for (const text of texts) {
        const table = TABLE.exec(text)?.[1] ?? ''
        const rule = await brokenBy(text, table, rules, database)
        if (rule === null || made.has(table) || !(await isLarge(table, database))) continue
        found.push({ migration: name, sql: text, table, why: rule.why, instead: rule.instead })
      }
    }
  return found
}

function textsOf(step: StepData, building: Building, own: string): readonly string[] {
  if (step.do === 'sql') return [typeof step.sql === 'string' ? step.sql : ownText(step.sql, own)]
  const parts = building.partsOf(step)
  return parts.flatMap((part) => ('work' in part ? [] : part.compile().sql))
}

/** The table that a statement is about, without its schema. */
const TABLE =
  /\b(?:alter\s+table|update|delete\s+from|index\b[^]*?\bon|vacuum\s+full|cluster|(?:lock|reindex|optimize|repair)\s+tables?)\s+(?:if\s+exists\s+)?(?:only\s+)?(?:["`]?\w+["`]?\.)?["`]?(\w+)/i

async function brokenBy(
  text: string,
  table: string,
  rules: readonly Rule[],
  database: Kysely<unknown>,
): Promise<Rule | null> {
  for (const rule of rules) {
    const found = rule.statement.exec(text)
    if (found === null) continue
    const excuses = (await rule.excuse?.(found, table).execute(database))?.rows ?? []
    if (excuses.length === 0) return rule
  }
  return null
}

/** A table whose name is not known may be large. */
async function isLarge(table: string, database: Kysely<unknown>): Promise<boolean> {
  if (table === '') return true
  const first = sql`select 1 from ${sql.table(table)} limit ${sql.lit(LARGE)}`
  const { rows } = await first.execute(database)
  return rows.length >= LARGE
}
