import type { MaybePromise } from '../../contract/request.ts'
import type { Attempt, Reference, Violation } from '../../sql/dialect.ts'
import { missing } from '../../sql/table/constraints.ts'

/** Extended result codes (https://sqlite.org/rescode.html). */
const TOO_BIG = 18
const MISMATCH = 20
const CHECK = 275
const NOT_NULL = 1299
const DATATYPE = 3091
const UNIQUE: ReadonlySet<number> = new Set([1555, 2067, 2579])

export function violation(error: Error, attempt: Attempt): MaybePromise<Violation | null> {
  const code = 'errcode' in error ? Number(error.errcode) : 0
  const { message } = error
  // A trigger may say it too: that is how SQLite has RESTRICT.
  if (message === 'FOREIGN KEY constraint failed') return referenceProblem(attempt)
  if (UNIQUE.has(code)) return { kind: 'unique', columns: columnsNamedIn(message, attempt) }
  if (code === NOT_NULL) return missing(columnsNamedIn(message, attempt)[0] ?? '', attempt)
  if (code === CHECK) return { kind: 'invalid', columns: columnAmongWords(message, attempt) }
  if (code === DATATYPE) return { kind: 'invalid', columns: [message.split('.').at(-1)!] }
  if (code === MISMATCH) return { kind: 'invalid', columns: [] }
  return code === TOO_BIG ? { kind: 'max_length', columns: [] } : null
}

/** `UNIQUE constraint failed: book.isbn, book.title`, or the name of an index over expressions. */
function columnsNamedIn(message: string, { table }: Attempt): readonly string[] {
  const names = message.slice(message.indexOf(': ') + 2).split(', ')
  const prefix = `${table}.`
  return names.every((name) => name.startsWith(prefix))
    ? names.map((name) => name.slice(prefix.length))
    : []
}

/** A check without a name shows what it asks; it is about a field where only one column occurs. */
function columnAmongWords(message: string, { facts }: Attempt): readonly string[] {
  const words = new Set(message.slice(message.indexOf(': ') + 2).split(/\W+/))
  const columns = [...facts.columns.keys()].filter((column) => words.has(column))
  return columns.length === 1 ? columns : []
}

/** Which reference leads nowhere; if all lead somewhere, it is others that refer to this row. */
async function referenceProblem(attempt: Attempt): Promise<Violation> {
  if (attempt.verb === 'delete') return { kind: 'protected', columns: [] }
  for (const reference of attempt.facts.references) {
    if (await leadsNowhere(reference, attempt))
      return { kind: 'does_not_exist', columns: reference.columns }
  }
  const { verb } = attempt
  return { kind: verb === 'update' ? 'protected' : 'does_not_exist', columns: [] }
}

/** NULL refers to nothing, and what was not given has not changed. */
async function leadsNowhere(
  { table, columns, referenced }: Reference,
  { values, reader }: Attempt,
): Promise<boolean> {
  const sent = columns.map((column) => values[column] ?? null)
  if (sent.includes(null)) return false
  const there = referenced.length > 0 ? referenced : await primaryKey(table, reader)
  const equal = there.map((name) => `${quoted(name)} = ?`).join(' and ')
  const statement = { sql: `select 1 from ${quoted(table)} where ${equal}`, parameters: sent }
  return (await reader.rows(statement)).values.length === 0
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

async function primaryKey(table: string, reader: Attempt['reader']): Promise<readonly string[]> {
  const { values } = await reader.rows({
    sql: 'select name from pragma_table_info(?) where pk > 0 order by pk',
    parameters: [table],
  })
  return values.map(([name]) => String(name))
}
