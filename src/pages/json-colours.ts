// Texts of JSON as HTML: keys in `b`, texts in `i`, numbers in `u`, words in `s`; the style sheet makes colours of them.
// Short elements, because a page of a list has thousands.

import type { Renderer } from '../contract/request.ts'
import { Message } from '../messages/message.ts'
import type { Words } from '../messages/words.ts'

/** Characters that are coloured; what follows stays as it is. */
const MOST_COLOURED = 200_000

/** Characters that are shown at all. */
const MOST_SHOWN = 1_000_000

/** The data as HTML, and what there is to tell of it. */
export interface ShownText {
  readonly html: string
  readonly notice: string | null
}

/** Long texts are shown in part, and coloured in a smaller part: browsers have to stay quick. */
export function shownText(
  data: string | Message,
  renderer: Renderer | null,
  origin: string,
  words: Words,
): ShownText {
  if (data instanceof Message) return { html: '', notice: words.text(data) }
  const isJson = renderer !== null && /[/+]json$/i.test(renderer.mediaType)
  const text = data.length > MOST_SHOWN ? data.slice(0, MOST_SHOWN) : data
  const cut = isJson ? lineBefore(text, MOST_COLOURED) : 0
  const html = coloured(text.slice(0, cut), origin) + linked(text.slice(cut), origin)
  if (text.length < data.length) return { html, notice: words.text(Message.of('page.cut')) }
  return { html, notice: isJson && cut < text.length ? words.text(Message.of('page.plain')) : null }
}

/** Tokens of JSON never span lines. */
function lineBefore(text: string, most: number): number {
  return text.length <= most ? text.length : text.lastIndexOf('\n', most) + 1
}

const TOKEN = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|-?\d[\d.eE+-]*|\b(?:true|false|null)\b/g

/** `origin`: links that lead elsewhere tell search engines not to follow them. */
export function coloured(json: string, origin: string): string {
  let html = ''
  let at = 0
  for (const { 0: token, 1: text, 2: colon, index } of json.matchAll(TOKEN)) {
    html += escapeText(json.slice(at, index))
    at = index + token.length
    if (colon !== undefined) html += `<b>${escapeText(text!)}</b>${colon}`
    else if (text !== undefined) html += `<i>${linked(text, origin)}</i>`
    else html += /^[tfn]/.test(token) ? `<s>${token}</s>` : `<u>${token}</u>`
  }
  return html + escapeText(json.slice(at))
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
