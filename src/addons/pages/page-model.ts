// The content of a page beside the answer itself, as plain values for its templates.
import { versionParams } from '../../core/versions/link-in-version.ts'
import type { FilterControl } from '../../core/ports/list-source.ts'
import type { Presentation, RowLinks } from '../../core/ports/page.ts'
import type { Reply } from '../../core/ports/representations.ts'
import type { ApiRequest } from '../../core/ports/request.ts'
import { withQuery } from '../../core/std/http/query.ts'
import type { Side } from './compare.ts'
import { type CopiedAs, copiedAs } from './copied-as.ts'
import { sentencesOf } from './form-fields.ts'
import { type Sending, sendingOf } from './form-model.ts'
import { type NamedLink, breadcrumbsOf, furtherFrom } from './breadcrumbs.ts'
import { type Acting, type Offer, PageFacts, type VersionLink } from './page-facts.ts'
import { shownText, utf8 } from './shown-text.ts'
import {
  type ShownIdentity,
  type PageToken,
  type Theme,
  coloursOf,
  identityOf,
  tokenFor,
} from './top-bar.ts'

export interface PageModel {
  readonly title: string
  /** The endpoints at the beginnings of the path, the shortest first (W3). */
  readonly crumbs: readonly NamedLink[]
  /** The first of the breadcrumbs; `null`: the list is empty. */
  readonly home: string | null
  readonly description: readonly Paragraph[]
  readonly method: string
  /** Path and query of the request. */
  readonly target: string
  readonly identity: ShownIdentity
  readonly token: PageToken | null
  readonly acting: Acting | null
  readonly sending: Sending
  /** `null`: the data is shown as it is. */
  readonly presentation: Presentation | null
  /** The sentence of an error, which the script shows beside the form that it has sent; `''`: the answer has no error. */
  readonly detail: string
  /** For users who must log in again in the middle of a form; `null`: the service has no such page. */
  readonly loginUrl: string | null
  readonly theme: Theme
  readonly themes: readonly NamedLink[]
  readonly formats: readonly NamedLink[]
  /** The page with the answer of OPTIONS; `null`: OPTIONS is refused. */
  readonly optionsUrl: string | null
  readonly extraActions: readonly NamedLink[]
  /** The version of the answer; `''`: it has no version. */
  readonly version: string
  readonly versions: readonly VersionLink[]
  readonly comparisons: readonly NamedLink[]
  readonly filters: readonly FilterControl[]
  readonly copies: readonly CopiedAs[]
  /** The side that this page compares with the answer, if the query asks for one. */
  readonly other: Side | null
  /** The answer of OPTIONS; `null`: the query does not ask for it, or it is refused. */
  readonly metadata: unknown
  /** The address of the page without the parameters of its look. */
  readonly plainUrl: string
  /** The same address with other parameters; `null` removes one. */
  readonly urlWith: (changes: Changes) => string
  /** The hidden parameters of a form of filters: version, format and order. */
  readonly kept: readonly (readonly [name: string, value: string])[]
  /** The address of the whole list. */
  readonly unfilteredUrl: string
  /** Has the endpoint a GET? */
  readonly isReadable: boolean
  readonly rowLinks: RowLinks | null
}

type Changes = Readonly<Record<string, string | null>>

interface Made {
  readonly model: PageModel
  /** Values of `Set-Cookie`. */
  readonly cookies: readonly string[]
}

export async function pageModel(reply: Reply, request: ApiRequest): Promise<Made> {
  const page = new PageFacts(request)
  const { endpoint } = page
  const { path, method, query } = request
  const isRefused = reply.status === 401 || reply.status === 403
  const asked = isRefused || method !== 'GET' ? null : query.peek('_view')
  const urlWith = (changes: Changes): string => relative(path, query.with(changes).toString())
  const plainUrl = urlWith({ _view: null, _theme: null })
  const identity = identityOf(page, plainUrl)
  const offer = asked === null ? await page.offer(reply) : NOTHING_OFFERED
  const acting = await page.acting()
  const presentation = asked === null ? page.presentation(reply) : null
  const sends =
    offer.methods.some((each) => each !== 'OPTIONS') ||
    identity.logoutUrl !== null ||
    offer.again !== null ||
    acting !== null
  const { token, cookies } = sends ? tokenFor(page, reply) : { token: null, cookies: [] }
  const { theme, themes, cookies: kept } = coloursOf(request)
  const versions = page.versions()
  const comparable = method === 'GET' ? versions.filter(({ isCurrent }) => !isCurrent) : []
  const view = (name: string, value: string): NamedLink => ({
    name,
    url: urlWith({ _view: value }),
    isCurrent: asked === value,
  })
  const metadata = await metadataFor(asked, reply, page)
  const other = await otherFor(asked, comparable, page)
  const crumbs = breadcrumbsOf(page.request)
  const isList = reply.status !== 404 && !isRefused && method === 'GET'
  const filters = isList ? page.filters() : []
  const model: PageModel = {
    title: endpoint.title,
    crumbs,
    home: crumbs[0]?.url ?? null,
    description: isRefused ? [] : paragraphsOf(endpoint.description),
    method,
    target: relative(path, query.toString()),
    identity,
    theme,
    themes,
    formats: formatsOf(page, urlWith),
    token,
    acting,
    detail: detailOf(reply),
    sending: sendingOf(presentation?.hasNoForms ? NOTHING_OFFERED : offer, request),
    presentation,
    loginUrl: page.login && withQuery(page.login.loginUrl, 'next', plainUrl),
    optionsUrl: offersOptions(page, offer, asked, metadata) ? urlWith({ _view: 'options' }) : null,
    // A presentation has its own links among the rows.
    extraActions: isRefused || presentation !== null ? [] : furtherFrom(page.request),
    version: request.version ?? '',
    versions,
    comparisons: comparable.map(({ version }) => view(version, `compare-${version}`)),
    filters,
    copies: copiedAs(page),
    other,
    metadata,
    plainUrl,
    urlWith,
    kept: keptByFilters(page, filters),
    unfilteredUrl: urlWith(Object.fromEntries(filters.map(({ parameter }) => [parameter, null]))),
    isReadable: page.methods.includes('GET'),
    // A comparison works line by line, and cannot have links in rows.
    rowLinks: other === null ? page.rowLinks(reply) : null,
  }
  return { model, cookies: [...cookies, ...kept] }
}

function detailOf({ status, data }: Reply): string {
  // A successful answer may have a `detail` among its data.
  if (status < 400) return ''
  const { detail = '' } = Object(data) as { readonly detail?: unknown }
  return sentencesOf(detail).join(' ')
}

const NOTHING_OFFERED: Offer = { methods: [], forms: {}, refused: null, again: null }

/** Offers OPTIONS also on a page that shows it, if the client may ask for it (W7). */
function offersOptions(
  { methods }: PageFacts,
  offer: Offer,
  asked: string | null,
  metadata: unknown,
): boolean {
  if (asked === null) return offer.methods.includes('OPTIONS')
  return asked === 'options' ? metadata !== null : methods.includes('OPTIONS')
}

function relative(path: string, query: string): string {
  return query === '' ? path : `${path}?${query}`
}

/** Submitting filters leads to the first page of the filtered list (W10). */
function keptByFilters(
  { request: { query, settings } }: PageFacts,
  filters: readonly FilterControl[],
): readonly (readonly [string, string])[] {
  const names = [
    ...versionParams(settings),
    ...(settings.urlFormatOverride === null ? [] : [settings.urlFormatOverride]),
    ...filters.filter(({ kind }) => kind === 'ordering').map(({ parameter }) => parameter),
  ]
  return names.flatMap((name) => {
    const value = query.peek(name)
    return value === null ? [] : [[name, value] as const]
  })
}

/** The current address with `format=<name>` for each format (W6); empty if the parameter is off. */
function formatsOf(
  { request, methods }: PageFacts,
  urlWith: (changes: Changes) => string,
): readonly NamedLink[] {
  const { settings, accepted } = request
  const parameter = settings.urlFormatOverride
  if (parameter === null || request.suffixed || !methods.includes('GET')) return []
  return settings.renderers.map(({ format }) => ({
    name: format,
    url: urlWith({ [parameter]: format, _view: null, _theme: null }),
    isCurrent: format === accepted.renderer.format,
  }))
}

async function metadataFor(asked: string | null, reply: Reply, page: PageFacts): Promise<unknown> {
  if (page.request.method === 'OPTIONS') return reply.status === 200 ? reply.data : null
  return asked === 'options' ? await page.metadata() : null
}

/** The same GET in the version to compare with. */
async function otherFor(
  asked: string | null,
  versions: readonly VersionLink[],
  page: PageFacts,
): Promise<Side | null> {
  const found = versions.find(({ version }) => asked === `compare-${version}`)
  const answer = found === undefined ? null : await page.inVersion(found.version)
  if (answer === null) return null
  const { html } = shownText(answer.text ?? '', answer, page.request.origin)
  return { ...found!, status: answer.status, html: utf8(html) }
}

/** A piece of a paragraph: plain text, code, or a link. */
interface Piece {
  readonly text: string
  readonly kind: 'text' | 'code' | 'link'
}

type Paragraph = readonly Piece[]

const MARKED = /`([^`\n]+)`|(https?:\/\/[^\s"'<>`\\]*[^\s"'<>`\\.,;:!?)\]}])/g

/** The description of an endpoint (W5): paragraphs between blank lines, with `code` and addresses. */
function paragraphsOf(description: string): readonly Paragraph[] {
  const paragraphs = dedented(description).split(/\n[ \t]*\n\s*/)
  return paragraphs
    .map((text) => text.trim())
    .filter(Boolean)
    .map(piecesOf)
}

function piecesOf(text: string): Paragraph {
  const pieces: Piece[] = []
  let at = 0
  for (const { 0: whole, 1: code, 2: url, index } of text.matchAll(MARKED)) {
    pieces.push({ text: text.slice(at, index), kind: 'text' })
    pieces.push(code === undefined ? { text: url!, kind: 'link' } : { text: code, kind: 'code' })
    at = index + whole.length
  }
  pieces.push({ text: text.slice(at), kind: 'text' })
  return pieces.filter((piece) => piece.text !== '')
}

/** Removes the common indentation of all lines but the first. */
function dedented(text: string): string {
  const [first = '', ...rest] = text.split('\n')
  const indents = rest.filter((line) => line.trim() !== '').map((line) => line.search(/\S/))
  const least = Math.min(...indents, 100)
  return [first, ...rest.map((line) => line.slice(least))].join('\n')
}
