import type { Prepared } from '../../core/ports/page.ts'
import type { Accepted, RenderContext, Renderer, Reply } from '../../core/ports/representations.ts'
import type { ApiRequest, Incoming } from '../../core/ports/request.ts'
import { Message } from '../../core/messages/message.ts'
import { type Words, wordsFor } from '../../core/messages/words.ts'
import { contentPolicy } from '../../core/representations/page-headers.ts'
import type { Comparison, Side } from './compare.ts'
import type { PageModel } from './page-model.ts'
import { type Templates, templatesFor } from './templates.ts'

/**
 * An answer as a page for people: what the endpoint is, what was asked and answered, and the data as its first other
 * renderer writes it, with everything that leads further: other versions, formats, filters and pages. It works without a
 * script, and all that it shows is escaped. How it looks is the setting `browsable`.
 *
 * @example
 * const api = defineApi({ urls, browsable: { title: 'Library', accent: '#0a7d4f' } })
 */
export class HTMLRenderer implements Renderer {
  static readonly options: readonly string[] = []

  readonly mediaType: string = 'text/html'
  readonly contentType: string = 'text/html; charset=utf-8'
  readonly format: string = 'api'
  /** Of a page without a style; `prepare` gives the one of the page. */
  readonly contentSecurityPolicy: string = POLICY
  readonly queryParams: readonly string[] = ['_view', '_theme']

  hasWords(): boolean {
    return true
  }

  async prepare(reply: Reply, request: ApiRequest): Promise<Prepared> {
    const templates = await templatesFor(request.settings.browsable)
    // A service that answers programs alone loads none of this.
    const { pageModel } = await import('./page-model.ts')
    const { shownText, utf8 } = await import('./shown-text.ts')
    const { model, cookies } = await pageModel(reply, request)
    // A variant of an application may say a policy for all of its pages.
    const isOurs = this.contentSecurityPolicy === POLICY
    const headers = isOurs ? { 'Content-Security-Policy': templates.policy } : {}
    // With what it depends on, of no use to other pages.
    const compare = model.other && (await import('./compare.ts')).compared
    const ready: Ready = { headers, cookies, templates, model, compare, shownText, utf8 }
    return ready
  }

  render(reply: Reply, context: RenderContext): Uint8Array {
    const { request, renderers } = context
    const { templates, model, compare, shownText, utf8 } = readyIn(context)
    const words = wordsFor(request)
    // The first that is not for people.
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
      // Where a list has other pages (W11): HTML that its template has escaped.
      controls: asked ? drawn(asked, templates, words) : '',
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
  /** `null`: there is nothing to compare with. */
  readonly compare: ((left: Side, right: Side) => Comparison) | null
}

function readyIn({ prepared }: RenderContext): Ready {
  if (prepared !== null && 'templates' in prepared) return prepared as Ready
  throw new TypeError('HTMLRenderer.render() needs what its prepare() gave, as context.prepared.')
}

function drawn(
  { template, data }: NonNullable<ReturnType<NonNullable<Reply['controls']>>>,
  templates: Templates,
  words: Words,
): string {
  return templates.renderOwn(template.name, words, data, () => template.render(data, words))
}

/** The older version stands on the left, as the service lists them. */
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

/** The data as the renderer writes it, or why it cannot be shown. */
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
  bytes.cancel().catch(() => undefined) // it is not read, so its errors do not matter
  return Message.of('page.stream')
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
