/** Rows as arrays, with the names of their columns. */
interface Table {
  readonly columns: readonly string[]
  readonly values: readonly (readonly unknown[])[]
}

/**
 * Rows as objects, members in the order of the columns. Assigning in one order gives all of them one
 * hidden class, so that what reads them later is fast. Of two columns of one name the last one shows.
 */
export function toRowObjects<Row = Record<string, unknown>>({ columns, values }: Table): Row[] {
  const objects = new Array<Row>(values.length)
  for (let index = 0; index < values.length; index++) {
    const row = values[index]!
    const object: Record<string, unknown> = {}
    for (let at = 0; at < columns.length; at++) object[columns[at]!] = row[at]
    objects[index] = object as Row
  }
  return objects
}
