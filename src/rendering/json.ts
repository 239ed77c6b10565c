import type { RenderContext, Renderer, Reply } from '../contract/request.ts'
import { textsOf } from '../replies/row-texts.ts'
import { toJSONText } from '../std/json/json-text.ts'

/**
 * JSON as RFC 8259 has it: UTF-8, compact, members in their order; indented where the accepted media
 * type says so (`application/json; indent=4`). Dates are written in ISO 8601 with `Z`, a `bigint`
 * with all its digits. NaN, infinities and invalid dates have no form in JSON: they throw.
 *
 * @example
 * new JSONRenderer({ mediaType: 'application/vnd.library+json', format: 'vendor' })
 */
export class JSONRenderer implements Renderer {
  readonly mediaType: string
  declare readonly contentType?: string
  readonly format: string
  readonly #writer = new TextWriter()

  /** `mediaType`: may be a range, such as that of every type. It is what the answer says, unless `contentType` does. */
  constructor({
    mediaType = 'application/json',
    contentType,
    format = 'json',
  }: {
    readonly mediaType?: string
    readonly contentType?: string
    readonly format?: string
  } = {}) {
    this.mediaType = mediaType
    if (contentType !== undefined) this.contentType = contentType
    this.format = format
  }

  /** @throws RangeError for a number or a date without a form in JSON, TypeError for a circle */
  render(reply: Reply, context: RenderContext): string {
    const { data } = reply
    if (data === null || data === undefined) return ''
    return toJSONText(data, indentOf(context.request.accepted.parameters['indent']))
  }

  /** Can it do without the objects of a list? Not in a class of its own, or with indentation: they look at them. */
  writesTexts(parameters: Readonly<Record<string, string>>): boolean {
    return this.render === JSONRenderer.prototype.render && indentOf(parameters['indent']) === 0
  }

  /** The same as `render` where rows are there as texts; `null`: nowhere. */
  bytesOf({ data }: Reply): Uint8Array | null {
    return bytesWithRows(data, this.#writer)
  }
}

/** N41: from 1 to 8 spaces; everything else is compact. */
function indentOf(text: string | undefined): number {
  if (text === undefined || !/^[+-]?\d+$/.test(text)) return 0
  return Math.min(Math.max(Number(text), 0), 8)
}

/** Rows that are there as texts, and a plain object with such rows; `null`: there are none. */
function bytesWithRows(data: unknown, writer: TextWriter): Uint8Array | null {
  const texts = textsOf(data)
  if (texts !== null) return writer.bytes((write) => writeRows(texts, write))
  if (!isPlain(data)) return null
  const entries = Object.entries(data)
  if (!entries.some(([, value]) => textsOf(value) !== null)) return null
  return writer.bytes((write) => writeMembers(entries, write))
}

function isPlain(data: unknown): data is object {
  return (
    typeof data === 'object' &&
    data !== null &&
    Object.getPrototypeOf(data) === Object.prototype &&
    !('toJSON' in data)
  )
}

type Write = (text: string) => void

function writeMembers(entries: readonly (readonly [string, unknown])[], write: Write): void {
  let before = '{'
  for (const [name, value] of entries) {
    const texts = textsOf(value)
    // As the member of an object, because `toJSON` and messages get its name. What has no form is left out.
    const member = texts === null ? toJSONText({ [name]: value }).slice(1, -1) : toJSONText(name)
    if (member === '') continue
    write(before + member)
    before = ','
    if (texts === null) continue
    write(':')
    writeRows(texts, write)
  }
  write(before === '{' ? '{}' : '}')
}

function writeRows(texts: readonly string[], write: Write): void {
  for (let at = 0; at < texts.length; at++) write((at === 0 ? '[' : ',') + texts[at]!)
  write(texts.length === 0 ? '[]' : ']')
}

/** Bytes that stay for the next answer. */
const KEPT = 1 << 18

/**
 * Texts as UTF-8, one after the other: each is encoded by itself, so that a wide character costs its own row and
 * not all of a page, and nothing is measured before it is written.
 */
class TextWriter {
  #room = Buffer.alloc(0)
  #at = 0

  bytes(work: (write: Write) => void): Uint8Array {
    if (this.#room.length === 0) this.#room = Buffer.allocUnsafeSlow(KEPT)
    this.#at = 0
    work((text) => this.#add(text))
    const bytes = Buffer.from(this.#room.subarray(0, this.#at))
    if (this.#room.length > KEPT) this.#room = Buffer.alloc(0)
    return bytes
  }

  #add(text: string): void {
    // A character of JavaScript takes three bytes at most.
    const most = this.#at + text.length * 3
    if (most > this.#room.length) this.#grow(2 * most)
    this.#at += this.#room.write(text, this.#at)
  }

  #grow(size: number): void {
    const wider = Buffer.allocUnsafeSlow(size)
    this.#room.copy(wider, 0, 0, this.#at)
    this.#room = wider
  }
}
