import { toJSONText } from '../std/json/json-text.ts'
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

/** A renderer of JSON that needs no objects where rows are there as texts. */
export interface TextRenderer extends Renderer {
  /** For requests with these parameters of the media type, at an endpoint with these renderers. */
  writesTexts(parameters: Accepted['parameters'], renderers: readonly Renderer[]): boolean
}

export function writesTexts(
  { renderer, parameters }: Pick<Accepted, 'renderer' | 'parameters'>,
  renderers: readonly Renderer[] = [],
): boolean {
  return isTextRenderer(renderer) && renderer.writesTexts(parameters, renderers)
}

function isTextRenderer(renderer: Renderer): renderer is TextRenderer {
  return 'writesTexts' in renderer
}

/** The body of an answer with rows that are there as texts, where its renderer needs no objects; `null`: it renders. */
export function bytesWithTexts(
  accepted: Pick<Accepted, 'renderer' | 'parameters'>,
  { data }: Reply,
): Uint8Array | null {
  const pieces = writesTexts(accepted) ? piecesOf(data) : null
  return pieces && encoded(pieces)
}

/** The texts of rows stand between commas, as those of an array do that is made a text. */
type Pieces = readonly (string | readonly string[])[]

/** Rows that are there as texts, and a plain object with such rows; `null`: there are none. */
function piecesOf(data: unknown): Pieces | null {
  const texts = textsOf(data)
  if (texts !== null) return ['[', texts, ']']
  if (!isPlain(data)) return null
  const entries = Object.entries(data)
  return entries.some(([, value]) => textsOf(value) !== null) ? memberPieces(entries) : null
}

function isPlain(data: unknown): data is object {
  return (
    typeof data === 'object' &&
    data !== null &&
    Object.getPrototypeOf(data) === Object.prototype &&
    !('toJSON' in data)
  )
}

function memberPieces(entries: readonly (readonly [string, unknown])[]): Pieces {
  const pieces: (string | readonly string[])[] = []
  let before = '{'
  for (const [name, value] of entries) {
    const texts = textsOf(value)
    // As the member of an object, because `toJSON` and messages get its name. What has no form is left out.
    const member = texts === null ? toJSONText({ [name]: value }).slice(1, -1) : toJSONText(name)
    if (member === '') continue
    pieces.push(before + member)
    before = ','
    if (texts !== null) pieces.push(':[', texts, ']')
  }
  return [...pieces, before === '{' ? '{}' : '}']
}

/**
 * As UTF-8, one after the other: each is encoded by itself, so that a wide character costs its own row and not all
 * of a page, and nothing is measured before it is written.
 */
function encoded(pieces: Pieces): Uint8Array {
  // A character of JavaScript takes three bytes at most, and mostly one.
  let most = 0
  for (const piece of pieces)
    most += piece.length + (typeof piece === 'string' ? 0 : lengthOf(piece))
  let room = Buffer.allocUnsafeSlow(most + (most >> 3) + 16)
  let end = 0
  const put = (text: string): void => {
    if (end + 3 * text.length >= room.length) room = widened(room, end, 3 * text.length)
    end += room.write(text, end)
  }
  for (const piece of pieces) {
    if (typeof piece === 'string') put(piece)
    else
      for (let at = 0; at < piece.length; at++) {
        if (at > 0) room[end++] = COMMA
        put(piece[at]!)
      }
  }
  return room.subarray(0, end)
}

const COMMA = 44

function lengthOf(texts: readonly string[]): number {
  let length = 0
  for (const text of texts) length += text.length
  return length
}

function widened(room: Uint8Array, end: number, more: number): Buffer<ArrayBuffer> {
  const wider = Buffer.allocUnsafeSlow(2 * (end + more) + 1)
  wider.set(room.subarray(0, end))
  return wider
}
