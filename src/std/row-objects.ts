interface Table {
  readonly columns: readonly string[]
  readonly values: readonly (readonly unknown[])[]
  readonly written?: readonly ({ readonly read: (text: string) => unknown } | null)[]
}

/** A table, and its rows as objects, which are made on first use. */
export function portionOf<Row, T extends Table>(
  table: T,
): { readonly table: T; readonly rows: readonly Row[] } {
  let rows: readonly Row[] | null = null
  return {
    table,
    get rows() {
      return (rows ??= toRowObjects<Row>(table))
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
