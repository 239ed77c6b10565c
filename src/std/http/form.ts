/** A file that came with a form. */
export interface UploadedFile {
  /** As the client named it: never a path to write to. */
  readonly filename: string
  readonly mediaType: string
  readonly bytes: Uint8Array
}

/** What stands under a name of a form. */
export type FormValue = string | UploadedFile

type Pair = readonly [name: string, value: FormValue]

/** A form body: names with their values, in the order sent (B4). */
export class Form {
  readonly #pairs: Map<string, Pair[]>
  readonly #taken = new Map<string, FormValue | undefined>()

  constructor(pairs: Iterable<Pair> = []) {
    this.#pairs = Map.groupBy(pairs, ([name]) => name)
  }

  /** The last value of a name; `undefined` when it is not there. */
  get(name: string): FormValue | undefined {
    return this.#pairs.get(name)?.at(-1)?.[1]
  }

  getAll(name: string): readonly FormValue[] {
    return this.#pairs.get(name)?.map(([, value]) => value) ?? []
  }

  /** The last value of a name, for one guard: others find the name gone. Asked again it is the same. */
  take(name: string): FormValue | undefined {
    if (!this.#taken.has(name)) this.#taken.set(name, this.get(name))
    this.#pairs.delete(name)
    return this.#taken.get(name)
  }

  names(): readonly string[] {
    return [...this.#pairs.keys()]
  }

  /** The last value of every name, as a plain object without a prototype. */
  toObject(): Record<string, FormValue | undefined> {
    const object: Record<string, FormValue | undefined> = Object.create(null)
    for (const name of this.#pairs.keys()) object[name] = this.get(name)
    return object
  }
}
