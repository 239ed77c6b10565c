// What a page for people is made from, beside the answer itself.
import type { FilterControl } from '../../core/ports/list-source.ts'
import type {
  BrowserAccess,
  FieldInfo,
  InputForm,
  Presentation,
  RowLinks,
} from '../../core/ports/page.ts'
import type { Behaviour, Verb } from '../../core/ports/kernel.ts'
import type { ApiRequest, Incoming } from '../../core/ports/request.ts'
import type { MaybePromise } from '../../core/std/after.ts'
import type { Reply } from '../../core/ports/representations.ts'
import { ApiError, ValidationError } from '../../core/errors/api-errors.ts'
import { messagesOf } from '../../core/errors/detail.ts'
import { contextOf } from '../../core/pipeline/context.ts'
import { logFailure } from '../../core/pipeline/exceptions.ts'
import { wordsFor } from '../../core/messages/words.ts'
import { toReply } from '../../core/replies/reply.ts'
import { Form, type FormValue } from '../../core/std/http/form.ts'
import { otherVersion } from '../../core/versions/link-in-version.ts'
import { matchAt } from './breadcrumbs.ts'

type Context = ReturnType<typeof contextOf>

/** A version of the resource that is shown; `url` is `null` where it has no address of its own. */
export interface VersionLink {
  readonly version: string
  readonly url: string | null
  readonly isCurrent: boolean
}

/** The answer to another request of the same client. */
export interface OtherAnswer {
  readonly status: number
  readonly mediaType: string
  /** `null`: it is no text. */
  readonly text: string | null
}

/** What the user who is shown a page may do at its address, beside reading it (W7, W8, W13, W14, W17). */
export interface Offer {
  /** In the order of `Allow`, without GET and HEAD: their permissions were asked, and for an object about it. */
  readonly methods: readonly string[]
  /** By method: what it reads, where that is known. */
  readonly forms: Readonly<Record<string, InputForm>>
  /** What this request has sent, where the answer refuses it. */
  readonly refused: RefusedInput | null
  /** What it has sent, where nothing was wrong but the age of its page; `null`: nothing that a page may hold. */
  readonly again: SentForm | null
}

/** A form as it was sent, without its token. */
export interface SentForm {
  readonly encoding: 'multipart/form-data' | 'application/x-www-form-urlencoded'
  readonly entries: readonly (readonly [name: string, value: string])[]
}

/** The body of a request that was refused, and why. */
export interface RefusedInput {
  readonly method: string
  /** What its parser made of it: a `Form`, or a value of JSON. */
  readonly data: unknown
  /** Messages by field, as clients are shown them; `null`: none are known. */
  readonly errors: unknown
}

/** Whose view of the API a page shows. */
export interface Acting {
  /** `null`: that of the user. */
  readonly name: string | null
  /** Address that another choice is sent to; `null`: it is not served. */
  readonly url: string | null
}

/** Parameters that are about a page, and not about what it shows. */
const OF_PAGES = ['_view', '_theme']

/**
 * What a page may ask about the request that it answers. Nothing here gives more than the client's own rights: every
 * question about another method, address or version goes through that one's own checks.
 */
export class PageFacts {
  /** The request, with its user and its version. */
  readonly request: Context
  readonly endpoint: Context['endpoint']['facts']
  /** What `Allow` says. */
  readonly methods: readonly string[]

  constructor(asked: ApiRequest) {
    const request = contextOf(asked)
    const { facts, allow } = request.endpoint
    this.request = request
    this.endpoint = facts
    this.methods = allow === '' ? [] : allow.split(', ')
  }

  /** Would the endpoint's permissions let the client use this method? */
  permits(method: string): MaybePromise<boolean> {
    return this.methods.includes(method) && this.request.permits(method)
  }

  /** What can be done here beside this answer (W13, W14); nothing where it says that the client may not be here. */
  offer(answer: Reply): Promise<Offer> {
    return offerFor(answer, this.request, this.browser)
  }

  /** The resource in all versions that have it; empty where there is nothing to choose. */
  versions(): readonly VersionLink[] {
    const { settings, version, query, params, suffixed } = this.request
    const all = settings.versioning?.versions?.(settings) ?? []
    if (version === null || all.length < 2) return []
    const links = all.map((each): VersionLink => {
      if (each === version) return { version: each, url: null, isCurrent: true }
      const url = otherVersion(this.request, each)
      const isSuffixed = suffixed && params['format'] !== undefined
      return {
        version: each,
        url: url && !isSuffixed ? keepQuery(url, query) : url,
        isCurrent: false,
      }
    })
    return links
  }

  /** The same GET in another version, as the same client. `null`: there is none. */
  async inVersion(version: string): Promise<OtherAnswer | null> {
    const link = this.versions().find((each) => each.version === version)
    const renderer = this.request.settings.renderers.find(({ prepare }) => prepare === undefined)
    const { suffixed, settings } = this.request
    if (link === undefined || link.isCurrent || renderer === undefined || suffixed) return null
    const url = new URL(link.url ?? this.request.url)
    for (const name of [...OF_PAGES, settings.urlFormatOverride ?? ''])
      url.searchParams.delete(name)
    const accept = `${renderer.mediaType}; indent=4`
    const named = link.url === null ? `${accept}; ${settings.versionParam}=${version}` : accept
    const headers = url.origin === this.request.origin ? {} : { host: url.host }
    const target = url.pathname + url.search
    const { status, body } = await this.request.ask(target, { accept: named, ...headers })
    if (body instanceof ReadableStream) await body.cancel()
    // A renderer may give bytes.
    const text = body instanceof Uint8Array ? new TextDecoder().decode(body) : body
    return { status, mediaType: renderer.mediaType, text: typeof text === 'string' ? text : null }
  }

  /** What OPTIONS would answer; `null`: it is refused. */
  async metadata(): Promise<unknown> {
    const { handlers } = this.request.endpoint
    const { request } = this
    if (!(await this.permits('OPTIONS'))) return null
    const handler = handlers.get('OPTIONS')!
    const asked = request.as('OPTIONS')
    if (request.acting === null) return handler.handle(asked)
    try {
      const answer = await request.acting.answer((each) => handler.handle(contextOf(each)), asked)
      return toReply(answer).data
    } catch (error) {
      if (error instanceof ApiError) return null
      throw error
    }
  }

  /** Where the list can be narrowed; empty for what is none. */
  filters(): readonly FilterControl[] {
    return behaviourAt('GET', this.request)?.filterControls?.(this.request) ?? []
  }

  /** The answer as its endpoint shows it to people; `null`: as data. */
  presentation({ status, data }: Reply): Presentation | null {
    const { method } = this.request
    if (status >= 300) return null
    const shown = behaviourAt(method === 'HEAD' ? 'GET' : method, this.request)
    return shown?.presentation?.(data as never, this.request) ?? null
  }

  /** Where keys in the rows of the answer lead; `null`: it has none that are known. */
  rowLinks({ status }: Reply): RowLinks | null {
    if (status !== 200 || !READING.has(this.request.method)) return null
    return behaviourAt('GET', this.request)?.leadsTo?.(this.request) ?? null
  }

  /** Of the first scheme that has it; `null`: no scheme is one of browsers. */
  get browser(): BrowserAccess<Incoming> | null {
    const { authentication } = this.request.settings
    return authentication.find(({ browser }) => browser !== undefined)?.browser ?? null
  }

  /** Whose view is shown, and where that is chosen; `null`: the user may not choose. */
  async acting(): Promise<Acting | null> {
    const { request } = this
    const { actAs } = request.authenticator?.browser ?? {}
    if (actAs === undefined || !(await actAs.permits(request as never))) return null
    const { namespace = [] } =
      (this.browser && matchAt(this.browser.loginUrl, request)?.route) ?? {}
    const url = request.urls.find([...namespace, 'act-as'].join(':'))
    return { name: request.acting?.name ?? null, url }
  }

  /** Where logging in and out is, if it is served; `null`: it is not. */
  get login(): { readonly loginUrl: string; readonly logoutUrl: string | null } | null {
    const { browser } = this
    const match = browser && matchAt(browser.loginUrl, this.request)
    if (browser === null || match === null) return null
    const { namespace } = match.route
    const logoutUrl = this.request.urls.find([...namespace, 'logout'].join(':'))
    return { loginUrl: browser.loginUrl, logoutUrl }
  }
}

/** What the other address says of the version wins; the rest of the query goes along. */
function keepQuery(url: string, query: Context['query']): string {
  const own = new URL(url)
  const rest = new URLSearchParams(query.toString())
  for (const name of own.searchParams.keys()) rest.delete(name)
  for (const name of OF_PAGES) rest.delete(name)
  for (const [name, value] of rest) own.searchParams.append(name, value)
  return own.href
}

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD'])

/** The form of a method, about an object where there is one; `null`: the endpoint has none, or does not know it. */
function formAt(method: string, request: Context, row: unknown): InputForm | null {
  return behaviourAt(method, request)?.form?.(request, row) ?? null
}

function behaviourAt(method: string, { endpoint }: Context): Behaviour<Context> | undefined {
  return endpoint.behaviours[method.toLowerCase() as Verb]
}

/**
 * What the page of an answer may offer. The permissions of each method are asked once, about a request that says
 * that method, and nothing else of it happens: no throttle counts it and no handler runs (W17).
 */
async function offerFor(
  shown: Reply,
  request: Context,
  browser: BrowserAccess<Incoming> | null,
): Promise<Offer> {
  const methods: string[] = []
  const forms: Record<string, InputForm> = {}
  for (const method of methodsOf(shown, request)) {
    const form = await tryOut(method, shown, request)
    if (form === 'refused') continue
    methods.push(method)
    if (form !== null) forms[method] = form
  }
  const again = browser?.isOutdated?.(errorOf(shown, request), request)
    ? await sentForm(request)
    : null
  return { methods, forms, refused: await refusedInput(shown, request), again }
}

/** Who may not be here, what is not there and a service in trouble offer nothing. */
const OFFERING_NOTHING: ReadonlySet<number> = new Set([401, 403, 404, 410, 429])

function methodsOf({ status }: Reply, request: Context): readonly string[] {
  const { endpoint, method, acting } = request
  // Nothing is changed in the belief to be another.
  if (acting !== null) return []
  if (OFFERING_NOTHING.has(status) || status >= 500) return []
  if (method === 'DELETE' && status < 400) return []
  return [...endpoint.handlers.keys()].filter((each) => !READING.has(each))
}

/** The form of a method that is permitted. What fails without a reason for clients is logged, and not offered. */
async function tryOut(
  method: string,
  shown: Reply,
  request: Context,
): Promise<InputForm | null | 'refused'> {
  const asked = request.as(method)
  const { endpoint, target } = request
  try {
    await endpoint.checkPermissions?.(asked)
    if (method === 'OPTIONS') return null
    if (target !== undefined) await asked.checkObjectPermissions(target)
    return formOf(asked, shown, request)
  } catch (error) {
    if (!(error instanceof ApiError)) logFailure('page.offer_failed', error, request)
    return 'refused'
  }
}

function formOf(asked: Context, shown: Reply, request: Context): InputForm | null {
  // What was written is no longer what was found.
  const isNew = !READING.has(request.method) && shown.status < 400
  const row = asked.method === 'POST' || isNew ? undefined : request.target
  const form = formAt(asked.method, asked, row)
  if (form === null || asked.method === 'POST') return form
  const data = shown.status < 400 ? shown.data : null
  if (form.values == null) return { ...form, values: data }
  // What was looked up for the answer is not looked up once more for a form.
  const lacking = Object.keys(form.fields).filter((name) => !Object.hasOwn(form.values!, name))
  const given = lacking.filter((name) => Object.hasOwn(Object(data) as object, name))
  if (given.length === 0) return form
  const more = given.map((name) => [name, (data as Record<string, unknown>)[name]])
  return { ...form, values: { ...form.values, ...Object.fromEntries(more) } }
}

/** The error that an answer was made of, whatever an exception handler made of it; `null`: it was made of none. */
function errorOf(shown: Reply, request: Context): unknown {
  if ('error' in shown) return shown.error
  const { failure = null } = request
  if (!(failure instanceof ApiError)) return failure
  return failure.inWords((sentence) => wordsFor(request).text(sentence))
}

/** Statuses that say what is wrong with a body: it has been read then. */
const ABOUT_THE_BODY: ReadonlySet<number> = new Set([400, 409, 422])

async function refusedInput(shown: Reply, request: Context): Promise<RefusedInput | null> {
  const { method } = request
  const form = behaviourAt(method, request)?.form
  if (!ABOUT_THE_BODY.has(shown.status) || form === undefined) return null
  const error = errorOf(shown, request)
  const errors = error instanceof ValidationError ? messagesOf(error.detail) : null
  try {
    return { method, data: await request.body(), errors }
  } catch {
    return { method, data: null, errors }
  }
}

/** Characters of a form that a page holds until it is sent once more. */
const MOST_HELD = 100_000

/** `null`: there is none, or it has what a page may not hold: a password, a file, more than there is room for. */
async function sentForm(request: Context): Promise<SentForm | null> {
  if (request.method !== 'POST' || !isHarmless(request)) return null
  // It was read for its token.
  const body = await request.body()
  if (!(body instanceof Form)) return null
  const entries = body
    .names()
    .flatMap((name) => body.getAll(name).map((value): Entry<FormValue> => [name, value]))
  if (!areTexts(entries) || lengthOf(entries) > MOST_HELD) return null
  const isMultipart = /^multipart\//i.test(request.header('content-type') ?? '')
  const encoding = isMultipart ? 'multipart/form-data' : 'application/x-www-form-urlencoded'
  return { encoding, entries }
}

type Entry<Value> = readonly [name: string, value: Value]

function areTexts(entries: readonly Entry<unknown>[]): entries is readonly Entry<string>[] {
  return entries.every(([, value]) => typeof value === 'string')
}

function lengthOf(entries: readonly Entry<string>[]): number {
  return entries.reduce((sum, [name, value]) => sum + name.length + value.length, 0)
}

/** Where the fields are not known, one may take a password. */
function isHarmless(request: Context): boolean {
  const { method } = request
  if (behaviourAt(method, request)?.takesPasswords) return false
  try {
    const form = formAt(method, request.as(method), undefined)
    return form ? !Object.values(form.fields).some(isSecret) : false
  } catch (error) {
    if (!(error instanceof ApiError)) logFailure('page.offer_failed', error, request)
    return false
  }
}

function isSecret({ type, child, children = {} }: FieldInfo): boolean {
  const inside = [...Object.values(children), ...(child === undefined ? [] : [child])]
  return type === 'password' || inside.some(isSecret)
}
