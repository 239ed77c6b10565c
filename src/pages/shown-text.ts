// The data of an answer as HTML. In JSON keys stand in `b`, texts in `i`, numbers in `u` and words in `s`, of which the
// style sheet makes colours: short elements, because the page of a list has thousands.
import type { Renderer } from '../contract/request.ts'
import { Message } from '../messages/message.ts'

/** Characters that are coloured; what follows stays as it is. */
const MOST_COLOURED = 300_000

/** Characters that are shown at all. */
const MOST_SHOWN = 1_000_000

/** The data as HTML, and what there is to tell of it. */
export interface ShownText {
  readonly html: string
  readonly notice: Message | null
}

/** Long texts are shown in part, and coloured in a smaller part: browsers have to stay quick. */
export function shownText(
  data: string | Message,
  renderer: Pick<Renderer, 'mediaType'> | null,
  origin: string,
): ShownText {
  if (data instanceof Message) return { html: '', notice: data }
  if (renderer !== null && /[/+]json$/i.test(renderer.mediaType)) return shownJson(data, origin)
  const text = data.slice(0, MOST_SHOWN)
  return { html: linked(text, origin), notice: text.length < data.length ? CUT : null }
}

const CUT = Message.of('page.cut')
const PLAIN = Message.of('page.plain')

/** With four spaces a level and a line for each member, however it was written. Takes one pass. */
function shownJson(json: string, origin: string): ShownText {
  const text = textWriter(json, origin)
  let html = ''
  let depth = 0
  let at = 0
  while (at < json.length) {
    if (html.length > MOST_SHOWN) return { html, notice: CUT }
    const isColoured = html.length < MOST_COLOURED
    const character = json[at]!
    switch (character) {
      case '"': {
        const end = endOfText(json, at)
        const token = text(json.slice(at, end), isColoured)
        at = end
        if (!isColoured) html += token
        else html += isKey(json, end) ? `<b>${token}</b>` : `<i>${token}</i>`
        break
      }
      case '{':
      case '[': {
        const next = afterSpace(json, at + 1)
        const isEmpty = json[next] === '}' || json[next] === ']'
        html += isEmpty ? character + json[next] : character + lineAt(++depth)
        at = isEmpty ? next + 1 : next
        break
      }
      case '}':
      case ']':
        depth = Math.max(depth - 1, 0)
        html += lineAt(depth) + character
        at++
        break
      case ',':
        html += `,${lineAt(depth)}`
        at++
        break
      case ':':
        html += ': '
        at++
        break
      case ' ':
      case '\t':
      case '\r':
      case '\n':
        at = afterSpace(json, at)
        break
      default: {
        const end = endOfWord(json, at)
        const token = escapeText(json.slice(at, end))
        at = end
        if (!isColoured) html += token
        else html += character >= 'a' ? `<s>${token}</s>` : `<u>${token}</u>`
      }
    }
  }
  return { html, notice: html.length > MOST_COLOURED ? PLAIN : null }
}

/** Most answers have nothing to escape, and many no address: that is found out once. */
function textWriter(json: string, origin: string): (token: string, isColoured: boolean) => string {
  const hasLinks = json.includes('://')
  const isPlain = !SPECIAL.test(json)
  return (token, isColoured) => {
    if (hasLinks && isColoured && token.includes('://')) return linked(token, origin)
    return isPlain ? token : escapeText(token)
  }
}

function endOfText(json: string, start: number): number {
  let end = json.indexOf('"', start + 1)
  while (end > 0 && isEscaped(json, end)) end = json.indexOf('"', end + 1)
  return end < 0 ? json.length : end + 1
}

function isEscaped(json: string, quote: number): boolean {
  let before = quote - 1
  while (json[before] === '\\') before--
  return (quote - before) % 2 === 0
}

function isKey(json: string, end: number): boolean {
  return json[afterSpace(json, end)] === ':'
}

function afterSpace(json: string, at: number): number {
  let next = at
  while (json[next] === ' ' || json[next] === '\n' || json[next] === '\r' || json[next] === '\t')
    next++
  return next
}

function endOfWord(json: string, start: number): number {
  let end = start + 1
  while (end < json.length && !',}]:{[" \n\r\t'.includes(json[end]!)) end++
  return end
}

const LINES: readonly string[] = Array.from({ length: 20 }, (_, depth) => lineOf(depth))

function lineAt(depth: number): string {
  return LINES[depth] ?? lineOf(depth)
}

function lineOf(depth: number): string {
  return `\n${' '.repeat(4 * depth)}`
}

/** Addresses in the data become links; what they may consist of needs no escaping twice. */
function linked(text: string, origin: string): string {
  if (!text.includes('://')) return escapeText(text)
  const parts = text.split(/(https?:\/\/[^\s"'<>\\`]+)/)
  return parts
    .map((part, index) => (index % 2 === 1 ? link(part, origin) : escapeText(part)))
    .join('')
}

function link(url: string, origin: string): string {
  const shown = escapeText(url)
  const isOwn = url.startsWith(origin) && /^(?:[/?#]|$)/.test(url.slice(origin.length))
  return `<a href="${shown}"${isOwn ? '' : ' rel="nofollow noreferrer"'}>${shown}</a>`
}

const SPECIAL = /[&<>]/
const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** Between tags, where quotation marks mean nothing. */
function escapeText(text: string): string {
  return SPECIAL.test(text) ? text.replace(/[&<>]/g, (one) => ESCAPES[one]!) : text
}
