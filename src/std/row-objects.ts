interface Table {
  readonly columns: readonly string[]
  readonly values: readonly (readonly unknown[])[]
}

/** One order gives all rows one hidden class, which is fast to read. Of equal names the last shows. */
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
