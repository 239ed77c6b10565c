import type { Accepted, Renderer, Reply } from '../contract/request.ts'

const UNTOUCHED: unique symbol = Symbol('untouched')

/**
 * What a list shows, where the texts of its rows are there: an array like any other, whose objects are
 * made at the first look. Handing it on needs none, and a renderer that asks `textsOf` writes the texts. The one thing that it
 * does not allow is a `structuredClone` of it.
 */
export function rowTexts(
  texts: readonly string[],
  toObjects: () => readonly unknown[],
): readonly unknown[] {
  return new Proxy(new RowTexts(texts, toObjects), AT_FIRST_LOOK)
}

/** One text of JSON for each row; `null`: the value is no such array, or its objects are made. */
export function textsOf(value: unknown): readonly string[] | null {
  if (!Array.isArray(value)) return null
  return (value as { readonly [UNTOUCHED]?: readonly string[] | null })[UNTOUCHED] ?? null
}

class RowTexts extends Array<unknown> {
  readonly #texts: readonly string[]
  #toObjects: (() => readonly unknown[]) | null

  constructor(texts: readonly string[], toObjects: () => readonly unknown[]) {
    super()
    this.#texts = texts
    this.#toObjects = toObjects
  }

  /** `null`: there are objects. */
  static textsIn(array: RowTexts): readonly string[] | null {
    return array.#toObjects === null ? null : array.#texts
  }

  /** From now on it is an array like any other. Where a row cannot be shown, each look fails. */
  static filled(array: RowTexts): unknown[] {
    if (array.#toObjects === null) return array
    for (const object of array.#toObjects()) array.push(object)
    array.#toObjects = null
    return Object.setPrototypeOf(array, Array.prototype) as unknown[]
  }

  /** `console.log` looks behind proxies. */
  [Symbol.for('nodejs.util.inspect.custom')](): unknown[] {
    return Array.from(this)
  }
}

/** What can be done with an array, but for asking how long it is and whether it is a promise. */
const LOOKS = [
  'defineProperty',
  'deleteProperty',
  'getOwnPropertyDescriptor',
  'has',
  'ownKeys',
  'preventExtensions',
  'set',
  'setPrototypeOf',
] as const

type Look = (array: object, ...how: unknown[]) => unknown

const AT_FIRST_LOOK: ProxyHandler<RowTexts> = {
  ...Object.fromEntries(
    LOOKS.map((name) => {
      const look = Reflect[name] as Look
      return [name, (array: RowTexts, ...how: unknown[]) => look(RowTexts.filled(array), ...how)]
    }),
  ),
  getPrototypeOf: (array) =>
    RowTexts.textsIn(array) === null ? Reflect.getPrototypeOf(array) : Array.prototype,
  get(array, name, receiver) {
    const texts = RowTexts.textsIn(array)
    if (name === UNTOUCHED) return texts
    if (name === 'length' && texts !== null) return texts.length
    if (name === 'then' && texts !== null) return undefined
    return Reflect.get(RowTexts.filled(array), name, receiver)
  },
}

/** A renderer that writes what `textsOf` finds. */
export interface TextRenderer extends Renderer {
  /** For requests with these parameters of the media type. */
  writesTexts(parameters: Accepted['parameters']): boolean
  /** The body of an answer with rows that it writes; `null`: there are none. */
  bytesOf(reply: Reply): Uint8Array | null
}

/** The body of an answer whose rows are there as texts, where its renderer writes them; `null`: it renders. */
export function bytesWithTexts(
  { renderer, parameters }: Accepted,
  reply: Reply,
): Uint8Array | null {
  const writer = renderer as Partial<TextRenderer>
  return writer.writesTexts?.(parameters) === true ? writer.bytesOf!(reply) : null
}

export function writesTexts({ renderer, parameters }: Accepted): boolean {
  return (renderer as Partial<TextRenderer>).writesTexts?.(parameters) === true
}
