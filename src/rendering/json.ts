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
    const indent = indentOf(context.request.accepted.parameters['indent'])
    return (indent === 0 ? textWithRows(data) : null) ?? toJSONText(data, indent)
  }

  /** Can it do without the objects of a list? Not in a class of its own, or with indentation: they look at them. */
  writesTexts(parameters: Readonly<Record<string, string>>): boolean {
    return this.render === JSONRenderer.prototype.render && indentOf(parameters['indent']) === 0
  }
}

/** N41: from 1 to 8 spaces; everything else is compact. */
function indentOf(text: string | undefined): number {
  if (text === undefined || !/^[+-]?\d+$/.test(text)) return 0
  return Math.min(Math.max(Number(text), 0), 8)
}

/** The text of rows that are there as texts, and of an object with such rows; `null`: there are none. */
function textWithRows(data: unknown): string | null {
  const texts = textsOf(data)
  if (texts !== null) return arrayText(texts)
  if (!isPlain(data)) return null
  const entries = Object.entries(data)
  if (!entries.some(([, value]) => textsOf(value) !== null)) return null
  const members = entries.map(([name, value]) => memberText(name, value))
  return `{${members.filter((text) => text !== '').join(',')}}`
}

function isPlain(data: unknown): data is object {
  return (
    typeof data === 'object' &&
    data !== null &&
    Object.getPrototypeOf(data) === Object.prototype &&
    !('toJSON' in data)
  )
}

function memberText(name: string, value: unknown): string {
  const texts = textsOf(value)
  if (texts !== null) return `${toJSONText(name)}:${arrayText(texts)}`
  // As the member of an object, because `toJSON` and messages get its name.
  return toJSONText({ [name]: value }).slice(1, -1)
}

function arrayText(texts: readonly string[]): string {
  let text = '['
  for (let at = 0; at < texts.length; at++) text += at === 0 ? texts[at]! : `,${texts[at]!}`
  return `${text}]`
}
