type Values = readonly unknown[]

/**
 * Rows as objects, members in the order of the columns. Assigning in one order gives all of them one
 * hidden class, so that what reads them later is fast. Of two columns of one name the last one shows.
 */
export function toRowObjects(
  columns: readonly string[],
  rows: readonly Values[],
): Record<string, unknown>[] {
  const objects = new Array<Record<string, unknown>>(rows.length)
  for (let index = 0; index < rows.length; index++)
    objects[index] = toRowObject(columns, rows[index]!)
  return objects
}

function toRowObject(columns: readonly string[], row: Values): Record<string, unknown> {
  const object: Record<string, unknown> = {}
  for (let index = 0; index < columns.length; index++) object[columns[index]!] = row[index]
  return object
}
