/**
 * A file that a client sent, with a form or as a whole body. In memory, or in a directory until the request
 * ends: `moveTo` keeps it. Name and type are what the client says, and nothing has looked into the file.
 */
export interface UploadedFile {
  /** Without folders and control characters, and never empty. Two clients may send the same: store files under names of your own. */
  readonly name: string
  /** A media type without parameters, in lower case: `image/png`. @default 'application/octet-stream' */
  readonly type: string
  /** In bytes. */
  readonly size: number
  /** The file's path until the request ends; `null`: the content is in no file. */
  readonly path: string | null
  /** The result of the function that took the file; `undefined` if no function did. */
  readonly kept: unknown
  /** The whole content. @throws TypeError the content was handed to a function */
  bytes(): Promise<Uint8Array>
  /** The content piece by piece; each call reads it anew. @throws TypeError the content was handed to a function */
  stream(): ReadableStream<Uint8Array>
  /**
   * Keeps it under this path, in place of what is there. The name of a client is no path: `join(folder, file.name)`
   * replaces the file of another client.
   *
   * @throws TypeError the content was handed to a function; and what the file system throws
   */
  moveTo(path: string): Promise<void>
}

/** A value under a name of a form. */
export type FormValue = string | UploadedFile

type Pair = readonly [name: string, value: FormValue]

/** A form body: names with their values, in the order sent (B4). */
export class Form {
  readonly #pairs: Map<string, Pair[]>
  readonly #taken = new Map<string, FormValue | null>()

  constructor(pairs: Iterable<Pair> = []) {
    this.#pairs = Map.groupBy(pairs, ([name]) => name)
  }

  /** The last value of a name; `null` when it is not there. */
  get(name: string): FormValue | null {
    return this.#pairs.get(name)?.at(-1)?.[1] ?? null
  }

  getAll(name: string): readonly FormValue[] {
    return this.#pairs.get(name)?.map(([, value]) => value) ?? []
  }

  /**
   * Takes the last value of a name out of the form for one guard; other readers do not find the name. Called again, it gives
   * the same value.
   */
  take(name: string): FormValue | null {
    if (!this.#taken.has(name)) this.#taken.set(name, this.get(name))
    this.#pairs.delete(name)
    return this.#taken.get(name)!
  }

  names(): readonly string[] {
    return [...this.#pairs.keys()]
  }

  /** The last value of every name, as a plain object without a prototype. */
  toObject(): Record<string, FormValue> {
    const object: Record<string, FormValue> = Object.create(null)
    for (const name of this.#pairs.keys()) object[name] = this.get(name)!
    return object
  }
}
