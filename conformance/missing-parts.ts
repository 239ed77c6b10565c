/** Looks parts up by name, and keeps the names of those that do not exist. */
export class MissingParts {
  readonly #names = new Set<string>()

  get names(): readonly string[] {
    return [...this.#names]
  }

  /** `undefined`: there is no such part. */
  find<T>(kind: string, table: Readonly<Record<string, T>>, name: string): T | undefined {
    return this.check(`${kind} ${name}`, Object.hasOwn(table, name) ? table[name] : undefined)
  }

  /** Those that exist, in the order of `names`. */
  findAll<T>(kind: string, table: Readonly<Record<string, T>>, names: readonly string[]): T[] {
    return names.flatMap((name) => this.find(kind, table, name) ?? [])
  }

  /** Passes a part through that somebody else looked up. */
  check<T>(name: string, part: T | undefined): T | undefined {
    if (part === undefined) this.#names.add(name)
    return part
  }
}
