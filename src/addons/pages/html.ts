import type { Prepared } from '../../core/ports/page.ts'
import type { Accepted, RenderContext, Renderer, Reply } from '../../core/ports/representations.ts'
import type { ApiRequest, Incoming } from '../../core/ports/request.ts'
import { Message } from '../../core/messages/message.ts'
import { wordsFor } from '../../core/messages/words.ts'
import { contentPolicy } from '../../core/representations/html-headers.ts'
import type { Comparison, Side } from './compare.ts'
import type { PageModel } from './page-model.ts'
import { type Templates, templatesFor } from './templates.ts'

/**
 * An answer as a page for people: its endpoint, the request, and the data as the first other renderer writes it, with links to
 * other versions, formats, filters and pages. It works without a script, and escapes all that it shows. The setting `browsable`
 * changes its look.
 *
 * @example
 * const api = defineApi({ urls, browsable: { title: 'Library', accent: '#0a7d4f' } })
 */
export class HTMLRenderer implements Renderer {
  static readonly options: readonly string[] = []

  readonly mediaType: string = 'text/html'
  readonly contentType: string = 'text/html; charset=utf-8'
  readonly format: string = 'api'
  /** The policy of a page without a style; `prepare` gives the one of each page. */
  readonly contentSecurityPolicy: string = POLICY
  readonly queryParams: readonly string[] = ['_view', '_theme']

  hasWords(): boolean {
    return true
  }

  async prepare(reply: Reply, request: ApiRequest): Promise<Prepared> {
    const templates = await templatesFor(request.settings.browsable)
    // These modules are loaded late: a service that answers only programs does not need them.
    const { pageModel } = await import('./page-model.ts')
    const { shownText, utf8 } = await import('./shown-text.ts')
    const { model, cookies } = await pageModel(reply, request)
    // A renderer that an application derives may have one policy for all of its pages.
    const isOurs = this.contentSecurityPolicy === POLICY
    const headers = isOurs ? { 'Content-Security-Policy': templates.policy } : {}
    // Only comparisons load this module and its dependency.
    const compare = model.other && (await import('./compare.ts')).compareSides
    const ready: Ready = { headers, cookies, templates, model, compare, shownText, utf8 }
    return ready
  }

  render(reply: Reply, context: RenderContext): Uint8Array {
    const { request, renderers } = context
    const { templates, model, compare, shownText, utf8 } = readyIn(context)
    const words = wordsFor(request)
    // The first renderer that is not for people.
    const renderer = renderers.find(({ mediaType }) => !/^text\/html/i.test(mediaType)) ?? null
    const asked = reply.controls?.()
    const data = dataOf(renderer, reply, context)
    const { other } = model
    const shown = shownText(data, renderer, request.origin, model.rowLinks)
    const html = other === null ? '' : utf8(shown.html)
    const page = {
      ...model,
      status: reply.status,
      phrase: words.status(reply.status),
      headers: sortedHeaders(context.headers, renderer),
      // The template of controls for other pages (W11) has already escaped this HTML.
      controls: asked ? templates.renderControls(asked, words) : '',
      comparison: other && compare!(...inOrder(other, { ...model, status: reply.status, html })),
    }
    const notice = shown.notice && words.text(shown.notice)
    return templates.renderPage(words, page, { html: shown.html, notice })
  }
}

const POLICY = contentPolicy({ loads: 'none' })

interface Ready extends Prepared, Pick<typeof import('./shown-text.ts'), 'shownText' | 'utf8'> {
  readonly templates: Templates
  readonly model: PageModel
  /** `null`: the page compares nothing. */
  readonly compare: ((left: Side, right: Side) => Comparison) | null
}

function readyIn({ prepared }: RenderContext): Ready {
  if (prepared !== null && 'templates' in prepared) return prepared as Ready
  throw new TypeError('HTMLRenderer.render() needs what its prepare() gave, as context.prepared.')
}

/** The older version is on the left, in the order of the service's list. */
function inOrder(
  other: Side,
  {
    version,
    versions,
    status,
    html,
  }: Pick<PageModel, 'version' | 'versions'> & Pick<Side, 'status' | 'html'>,
): readonly [Side, Side] {
  const own: Side = { version, status, url: null, html }
  const place = (side: Side): number => versions.findIndex((each) => each.version === side.version)
  return place(other) < place(own) ? [other, own] : [own, other]
}

/** Sorts headers by name, and shows the type of the data instead of the page's own (W12). */
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

/** The data as the renderer writes it, or the reason why it cannot be shown. */
function dataOf(
  renderer: Renderer | null,
  reply: Reply,
  context: RenderContext,
): string | Uint8Array | Message {
  if (renderer === null) return Message.of('page.not_text')
  const parameters = { ...context.request.accepted.parameters, indent: '4' }
  const accepted = { renderer, mediaType: renderer.mediaType, parameters }
  const request = acceptedAs(context.request, accepted)
  const bytes = renderer.render(reply, { ...context, request, prepared: null })
  if (typeof bytes === 'string') return bytes
  if (bytes instanceof Uint8Array) return Message.of('page.bytes', { count: bytes.length })
  bytes.cancel().catch(() => undefined) // the stream is not read, so its errors do not matter
  return Message.of('page.stream')
}

/** Private members work only on the original request, so methods are called there. */
function acceptedAs(request: Incoming, accepted: Accepted): Incoming {
  return new Proxy(request, {
    get(original, name) {
      if (name === 'accepted') return accepted
      const value: unknown = Reflect.get(original, name)
      return typeof value === 'function' ? value.bind(original) : value
    },
  })
}
