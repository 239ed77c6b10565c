import { type MaybePromise, after } from './after.ts'

interface Table {
  readonly columns: readonly string[]
  readonly values: readonly (readonly unknown[])[]
  readonly written?: readonly ({ readonly read: (text: string) => unknown } | null)[]
}

/**
 * A table, and its rows as objects, which are made on first use. Then the table is gone, also from a copy: these rows
 * may become others, and it would not.
 */
export function portionOf<Row, T extends Table>(
  table: T,
): { readonly rows: readonly Row[]; readonly table: T | undefined } {
  let rows: readonly Row[] | null = null
  return {
    get rows() {
      return (rows ??= toRowObjects<Row>(table))
    },
    set rows(others) {
      rows = others
    },
    get table() {
      return rows === null ? table : undefined
    },
  }
}

/** One order gives all rows one hidden class, which is fast to read. Of equal names the last shows. */
export function toRowObjects<Row = Record<string, unknown>>(table: Table): Row[] {
  return table.values.map((values) => toRowObject<Row>(table, values))
}

export function toRowObject<Row = Record<string, unknown>>(
  { columns, written }: Pick<Table, 'columns' | 'written'>,
  values: readonly unknown[],
): Row {
  const object: Record<string, unknown> = {}
  for (let at = 0; at < columns.length; at++) {
    const value = values[at]
    const column = written?.[at]
    object[columns[at]!] = column && value !== null ? column.read(value as string) : value
  }
  return object as Row
}

interface Cut<Row, T> {
  readonly rows: readonly Row[]
  readonly table?: T
}

/** Rows from `offset` on, at most `limit` of them, with their table where the source has one. */
export function cutOf<Row, T>(
  source: {
    slice(offset: number, limit: number): MaybePromise<readonly Row[]>
    cut?(offset: number, limit: number): MaybePromise<Cut<Row, T>>
  },
  offset: number,
  limit: number,
): MaybePromise<Cut<Row, T>> {
  return source.cut?.(offset, limit) ?? after(source.slice(offset, limit), (rows) => ({ rows }))
}
