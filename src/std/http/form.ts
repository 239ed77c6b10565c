/** A file that came with a form. */
export interface UploadedFile {
  /** As the client named it: never a path to write to. */
  readonly filename: string
  readonly mediaType: string
  readonly bytes: Uint8Array
}

/** What stands under a name of a form. */
export type FormValue = string | UploadedFile

/** A form body: names with their values, in the order sent (B4). */
export class Form {
  readonly #values = new Map<string, FormValue[]>()
  readonly #taken = new Map<string, FormValue | undefined>()

  constructor(pairs: Iterable<readonly [name: string, value: FormValue]> = []) {
    for (const [name, value] of pairs) {
      const values = this.#values.get(name)
      if (values) values.push(value)
      else this.#values.set(name, [value])
    }
  }

  /** The last value of a name; `undefined` when it is not there. */
  get(name: string): FormValue | undefined {
    return this.#values.get(name)?.at(-1)
  }

  getAll(name: string): readonly FormValue[] {
    return this.#values.get(name) ?? []
  }

  /**
   * The last value of a name, for the guard it is meant for; everything else finds the name gone. Asked
   * again it is the same.
   */
  take(name: string): FormValue | undefined {
    if (!this.#taken.has(name)) this.#taken.set(name, this.get(name))
    this.#values.delete(name)
    return this.#taken.get(name)
  }

  names(): readonly string[] {
    return [...this.#values.keys()]
  }

  /** The last value of every name, as a plain object without a prototype. */
  toObject(): Record<string, FormValue | undefined> {
    const object: Record<string, FormValue | undefined> = Object.create(null)
    for (const name of this.#values.keys()) object[name] = this.get(name)
    return object
  }
}
