import { toJSONText } from '../std/json/json-text.ts'
import type { Accepted, Renderer, Reply } from '../contract/request.ts'

const UNTOUCHED: unique symbol = Symbol('untouched')

/** Rows as JSON, with commas between them, and how many they are. */
export interface RowsText {
  readonly bytes: Uint8Array
  readonly count: number
}

/**
 * What a list shows, where the JSON of its rows is there: an array like any other, whose objects are
 * made at the first look. Handing it on needs none, and a renderer that asks `textOf` writes the text. The one thing that it
 * does not allow is a `structuredClone` of it.
 */
export function rowsAsText(
  text: RowsText,
  toObjects: () => readonly unknown[],
): readonly unknown[] {
  return new Proxy(new RowsAsText(text, toObjects), AT_FIRST_LOOK)
}

/** `null`: the value is no such array, or its objects are made. */
export function textOf(value: unknown): RowsText | null {
  if (!Array.isArray(value)) return null
  return (value as { readonly [UNTOUCHED]?: RowsText | null })[UNTOUCHED] ?? null
}

class RowsAsText extends Array<unknown> {
  readonly #text: RowsText
  #toObjects: (() => readonly unknown[]) | null

  constructor(text: RowsText, toObjects: () => readonly unknown[]) {
    super()
    this.#text = text
    this.#toObjects = toObjects
  }

  /** `null`: there are objects. */
  static textIn(array: RowsAsText): RowsText | null {
    return array.#toObjects === null ? null : array.#text
  }

  /** From now on it is an array like any other. Where a row cannot be shown, each look fails. */
  static filled(array: RowsAsText): unknown[] {
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

const AT_FIRST_LOOK: ProxyHandler<RowsAsText> = {
  ...Object.fromEntries(
    LOOKS.map((name) => {
      const look = Reflect[name] as Look
      return [
        name,
        (array: RowsAsText, ...how: unknown[]) => look(RowsAsText.filled(array), ...how),
      ]
    }),
  ),
  getPrototypeOf: (array) =>
    RowsAsText.textIn(array) === null ? Reflect.getPrototypeOf(array) : Array.prototype,
  get(array, name, receiver) {
    const text = RowsAsText.textIn(array)
    if (name === UNTOUCHED) return text
    if (name === 'length' && text !== null) return text.count
    if (name === 'then' && text !== null) return undefined
    return Reflect.get(RowsAsText.filled(array), name, receiver)
  },
}

/** A renderer of JSON that needs no objects where rows are there as text. */
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

/** The body of an answer with rows that are there as text, where its renderer needs no objects; `null`: it renders. */
export function bytesWithTexts(
  accepted: Pick<Accepted, 'renderer' | 'parameters'>,
  { data }: Reply,
): Uint8Array | null {
  const pieces = writesTexts(accepted) ? piecesOf(data) : null
  return pieces && Buffer.concat(pieces)
}

/** Rows that are there as text, and a plain object with such rows; `null`: there are none. */
function piecesOf(data: unknown): readonly Uint8Array[] | null {
  const text = textOf(data)
  if (text !== null) return [Buffer.from('['), text.bytes, Buffer.from(']')]
  if (!isPlain(data)) return null
  const entries = Object.entries(data)
  return entries.some(([, value]) => textOf(value) !== null) ? memberPieces(entries) : null
}

function isPlain(data: unknown): data is object {
  return (
    typeof data === 'object' &&
    data !== null &&
    Object.getPrototypeOf(data) === Object.prototype &&
    !('toJSON' in data)
  )
}

function memberPieces(entries: readonly (readonly [string, unknown])[]): readonly Uint8Array[] {
  const pieces: Uint8Array[] = []
  let between = '{'
  for (const [name, value] of entries) {
    const text = textOf(value)
    // As the member of an object, because `toJSON` and messages get its name. What has no form is left out.
    const member = text === null ? toJSONText({ [name]: value }).slice(1, -1) : toJSONText(name)
    if (member === '') continue
    between += member
    if (text !== null) {
      pieces.push(Buffer.from(`${between}:[`), text.bytes)
      between = ']'
    }
    between += ','
  }
  return [...pieces, Buffer.from(between === '{' ? '{}' : `${between.slice(0, -1)}}`)]
}
