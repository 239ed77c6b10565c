/** An entry names a part that is not there. */
export class MissingPart extends Error {}

type Table<T> = Readonly<Record<string, T>>

export function partIn<T>(kind: string, table: Table<T>, name: string): T {
  if (Object.hasOwn(table, name)) return table[name]!
  throw new MissingPart(`There is no ${kind} "${name}".`)
}

/** In the order of `names`. */
export function partsIn<T>(kind: string, table: Table<T>, names: readonly string[]): T[] {
  return names.map((name) => partIn(kind, table, name))
}
