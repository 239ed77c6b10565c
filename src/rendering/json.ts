import type { RenderContext, Renderer, Reply } from '../contract/request.ts'
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
    return toJSONText(data, indentOf(context.request.accepted.parameters['indent']))
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
