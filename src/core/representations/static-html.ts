import type { RenderContext, Renderer, Reply } from '../ports/representations.ts'
import { wordsFor } from '../messages/words.ts'
import { contentPolicy, styleHash } from './html-headers.ts'
import { escapeHtml } from '../std/text/escape-html.ts'

/**
 * HTML that the handler has written itself: a text goes out as it is, so escape what is not yours.
 * Anything else, such as an error, becomes a small page with its status and sentence. Pages load what this
 * service has and nothing inline: a page that needs more says its own `Content-Security-Policy`, and a
 * variant says one for all of its pages.
 *
 * @example
 * class Pages extends StaticHTMLRenderer {
 *   override readonly contentSecurityPolicy = "default-src 'self'; img-src *; frame-ancestors 'none'"
 * }
 */
export class StaticHTMLRenderer implements Renderer {
  static readonly options: readonly string[] = []

  readonly mediaType: string = 'text/html'
  readonly contentType: string = 'text/html; charset=utf-8'
  readonly format: string = 'html'
  readonly contentSecurityPolicy: string = POLICY

  hasWords({ data }: Reply): boolean {
    return typeof data !== 'string'
  }

  render({ status, data }: Reply, { endpointName, request }: RenderContext): string {
    if (typeof data === 'string') return data
    const words = wordsFor(request)
    const phrase = `${status} ${words.status(status)}`.trimEnd()
    const main = `<h1>${escapeHtml(phrase)}</h1>
<p>${escapeHtml(sentenceOf(data))}</p>
`
    return `<!doctype html>
<html lang="${words.language}">
<head>
<meta charset="utf-8">
<title>${escapeHtml(`${phrase} – ${endpointName}`)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<style>${STYLE}</style>
</head>
<body>
<main>
${main}</main>
</body>
</html>
`
  }
}

const STYLE = `
:root { color-scheme: light dark }
body { margin: 0 auto; max-width: 40rem; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif }
p { overflow-wrap: anywhere; white-space: pre-wrap }
`
const POLICY = contentPolicy({ loads: 'self', style: styleHash(STYLE) })

/** The `detail` of an error, or a line for each of its fields; any other value as JSON. */
function sentenceOf(data: unknown): string {
  const { detail } = Object(data) as { readonly detail?: unknown }
  if (typeof detail === 'string') return detail
  const fields = Object.entries(Object(data))
  return fields.length > 0 && fields.every(([, texts]) => isTexts(texts))
    ? fields.map(([name, texts]) => `${name}: ${(texts as string[]).join(' ')}`).join('\n')
    : (JSON.stringify(data, null, 2) ?? '')
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}
