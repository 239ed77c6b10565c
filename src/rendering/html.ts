import type { Bytes } from '../contract/door.ts'
import type { Accepted, Incoming, RenderContext, Renderer, Reply } from '../contract/request.ts'
import { Message } from '../messages/message.ts'
import { type Words, wordsFor } from '../messages/words.ts'
import { contentPolicy, styleHash } from '../std/http/content-security-policy.ts'
import { escapeHtml } from '../std/text/escape-html.ts'
import { htmlPage } from '../std/text/html-page.ts'

/**
 * An answer as a page for people: request, status, headers and the data as the endpoint's first other
 * renderer writes it, between the page controls of a list. No script; everything shown is escaped.
 */
export class HTMLRenderer implements Renderer {
  readonly mediaType: string = 'text/html'
  readonly contentType: string = 'text/html; charset=utf-8'
  readonly format: string = 'api'
  readonly contentSecurityPolicy: string = POLICY

  hasWords(): boolean {
    return true
  }

  render(reply: Reply, context: RenderContext): string {
    const { endpointName: title, request, renderers } = context
    const words = wordsFor(request)
    const renderer = renderers.find(({ mediaType }) => !/^text\/html/i.test(mediaType)) ?? null
    const headers = sortedHeaders(context.headers, renderer).map(
      ([name, value]) => `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd>`,
    )
    const query = request.query.toString()
    const target = query ? `${request.path}?${query}` : request.path
    const status = `HTTP ${reply.status} ${words.status(reply.status)}`.trimEnd()
    // Where a list has other pages (W11): HTML that its template has escaped.
    const asked = reply.controls?.()
    const controls = asked ? `${asked.template.render(asked.data, words)}\n` : ''
    const main = `<h1>${escapeHtml(title)}</h1>
<p><strong>${escapeHtml(request.method)}</strong> <code>${escapeHtml(target)}</code></p>
<h2>${escapeHtml(status)}</h2>
<dl>${headers.join('\n')}</dl>
${controls}<pre tabindex="0" aria-label="${escapeHtml(words.text(Message.of('page.data')))}">${withLinks(dataText(renderer, reply, context, words))}</pre>
${controls}`
    return htmlPage({ language: words.language, title, style: STYLE, main })
  }
}

const STYLE = `
:root { color-scheme: light dark }
body { margin: 0 auto; max-width: 60rem; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif }
h1, h2, code, dd { overflow-wrap: anywhere }
h2 { font-size: 1.1rem }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem }
dt { font-weight: bold }
dd { margin: 0 }
pre { overflow-x: auto; padding: 1rem; border: 1px solid; border-radius: .25rem }
main > nav ul { display: flex; flex-wrap: wrap; gap: .25rem; padding: 0; list-style: none }
main > nav :is(a, span) { display: block; padding: .25rem .75rem; border: 1px solid; border-radius: .25rem }
main > nav [aria-current] { font-weight: bold; color: Canvas; background: CanvasText }
main > nav span { border-color: transparent; opacity: .65 }
`
const POLICY = contentPolicy({ loads: 'none', style: styleHash(STYLE) })

/** W12: by name, and with the type of the data that is shown instead of the page's own. */
function sortedHeaders(
  headers: readonly string[],
  shown: Renderer | null,
): readonly (readonly [name: string, value: string])[] {
  const type = shown && (shown.contentType ?? shown.mediaType)
  const pairs = headers.flatMap((name, at): (readonly [string, string])[] => {
    if (at % 2 === 1) return []
    const own = name.toLowerCase() === 'content-type' ? type : null
    return [[name, own ?? headers[at + 1]!]]
  })
  return pairs.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
}

function dataText(
  renderer: Renderer | null,
  reply: Reply,
  context: RenderContext,
  words: Words,
): string {
  if (renderer === null) return words.text(Message.of('page.not_text'))
  const parameters = { ...context.request.accepted.parameters, indent: '4' }
  const accepted = { renderer, mediaType: renderer.mediaType, parameters }
  const request = acceptedAs(context.request, accepted)
  return toText(renderer.render(reply, { ...context, request }), words)
}

/** Members are read from the original, which may keep private state. */
function acceptedAs(request: Incoming, accepted: Accepted): Incoming {
  return new Proxy(request, {
    get(original, name) {
      if (name === 'accepted') return accepted
      const value: unknown = Reflect.get(original, name)
      return typeof value === 'function' ? value.bind(original) : value
    },
  })
}

function toText(bytes: Bytes, words: Words): string {
  if (typeof bytes === 'string') return bytes
  if (bytes instanceof Uint8Array)
    return words.text(Message.of('page.bytes', { count: bytes.length }))
  bytes.cancel().catch(() => undefined) // it is not read, so its errors do not matter
  return words.text(Message.of('page.stream'))
}

/** Addresses in the data become links; what they may consist of needs no escaping twice. */
function withLinks(text: string): string {
  const parts = text.split(/(https?:\/\/[^\s"'<>\\]+)/).map(escapeHtml)
  return parts
    .map((part, index) => (index % 2 === 1 ? `<a href="${part}" rel="nofollow">${part}</a>` : part))
    .join('')
}
