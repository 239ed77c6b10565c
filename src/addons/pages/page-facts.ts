// The facts behind a page for people, beside the answer itself.
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

/** A version of the shown resource; `url` is `null` if the version has no address of its own. */
export interface VersionLink {
  readonly version: string
  readonly url: string | null
  readonly isCurrent: boolean
}

/** The answer to another request of the same client. */
export interface OtherAnswer {
  readonly status: number
  readonly mediaType: string
  /** `null`: the answer is not a text. */
  readonly text: string | null
}

/** The changes that a user may make at the address of a page (W7, W8, W13, W14, W17). */
export interface Offer {
  /** In the order of `Allow`, without GET and HEAD. Their permissions were checked, for an object too. */
  readonly methods: readonly string[]
  /** The form of each method whose input is known. */
  readonly forms: Readonly<Record<string, InputForm>>
  /** The body of this request, if the answer refuses it. */
  readonly refused: RefusedInput | null
  /** The form of this request, if only its page was outdated; `null`: none that a page may hold. */
  readonly again: SentForm | null
}

/** A form as it was sent, without its token. */
export interface SentForm {
  readonly encoding: 'multipart/form-data' | 'application/x-www-form-urlencoded'
  readonly entries: readonly (readonly [name: string, value: string])[]
}

/** The body of a refused request, and its errors. */
export interface RefusedInput {
  readonly method: string
  /** The body as its parser read it: a `Form`, or a value of JSON. */
  readonly data: unknown
  /** Messages by field, as clients see them; `null`: they are not known. */
  readonly errors: unknown
}

/** The identity whose view of the API a page shows. */
export interface Acting {
  /** `null`: the user. */
  readonly name: string | null
  /** The address that takes another choice; `null`: it is not served. */
  readonly url: string | null
}

/** Parameters about the page alone, and not about its data. */
const OF_PAGES = ['_view', '_theme']

/**
 * The facts that a page may read about its request. They never exceed the client's own rights: a question about another method,
 * address or version passes the checks of that one.
 */
export class PageFacts {
  readonly request: Context
  readonly endpoint: Context['endpoint']['facts']
  /** The methods of `Allow`. */
  readonly methods: readonly string[]

  constructor(asked: ApiRequest) {
    const request = contextOf(asked)
    const { facts, allow } = request.endpoint
    this.request = request
    this.endpoint = facts
    this.methods = allow === '' ? [] : allow.split(', ')
  }

  /**
   * The changes that the page may offer (W13, W14); none if the answer denies access. The permissions of each method are
   * checked once, with a request of that method; no throttle counts it and no handler runs (W17).
   */
  async offer(shown: Reply): Promise<Offer> {
    const { request, browser } = this
    const methods: string[] = []
    const forms: Record<string, InputForm> = {}
    for (const method of methodsOf(shown, request)) {
      const form = await tryOut(method, shown, request)
      if (form === 'refused') continue
      methods.push(method)
      if (form !== null) forms[method] = form
    }
    const isOutdated = browser?.isOutdated?.(errorOf(shown, request), request)
    const again = isOutdated ? await sentForm(request) : null
    return { methods, forms, refused: await refusedInput(shown, request), again }
  }

  /** The resource in all of its versions; empty if there is no choice. */
  versions(): readonly VersionLink[] {
    const { settings, version, query, params, suffixed } = this.request
    const all = settings.versioning?.versions?.(settings) ?? []
    if (version === null || all.length < 2) return []
    return all.map((each): VersionLink => {
      if (each === version) return { version: each, url: null, isCurrent: true }
      const url = otherVersion(this.request, each)
      const isSuffixed = suffixed && params['format'] !== undefined
      return {
        version: each,
        url: url && !isSuffixed ? keepQuery(url, query) : url,
        isCurrent: false,
      }
    })
  }

  /** The same GET in another version, for the same client. `null`: that version does not have it. */
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
    const text = body instanceof Uint8Array ? new TextDecoder().decode(body) : body
    return { status, mediaType: renderer.mediaType, text: typeof text === 'string' ? text : null }
  }

  /** The answer of OPTIONS; `null`: it is refused. */
  async metadata(): Promise<unknown> {
    const { handlers } = this.request.endpoint
    const { request, methods } = this
    if (!methods.includes('OPTIONS') || !(await request.permits('OPTIONS'))) return null
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

  /** The filters of a list; empty for other answers. */
  filters(): readonly FilterControl[] {
    return behaviourAt('GET', this.request)?.filterControls?.(this.request) ?? []
  }

  /** The answer as its endpoint shows it to people; `null`: the page shows the data. */
  presentation({ status, data }: Reply): Presentation | null {
    const { method } = this.request
    if (status >= 300) return null
    const shown = behaviourAt(method === 'HEAD' ? 'GET' : method, this.request)
    return shown?.presentation?.(data as never, this.request) ?? null
  }

  /** The targets of keys in the rows of the answer; `null`: no targets are known. */
  rowLinks({ status }: Reply): RowLinks | null {
    if (status !== 200 || !READING.has(this.request.method)) return null
    return behaviourAt('GET', this.request)?.leadsTo?.(this.request) ?? null
  }

  /** The access of the first scheme for browsers; `null`: no scheme is for browsers. */
  get browser(): BrowserAccess<Incoming> | null {
    const { authentication } = this.request.settings
    return authentication.find(({ browser }) => browser !== undefined)?.browser ?? null
  }

  /** The view that is shown, and the address for another choice; `null`: the user may not choose. */
  async acting(): Promise<Acting | null> {
    const { request } = this
    const { actAs } = request.authenticator?.browser ?? {}
    if (actAs === undefined || !(await actAs.permits(request as never))) return null
    const { namespace = [] } =
      (this.browser && matchAt(this.browser.loginUrl, request)?.route) ?? {}
    const url = request.urls.find([...namespace, 'act-as'].join(':'))
    return { name: request.acting?.name ?? null, url }
  }

  /** The addresses for logging in and out; `null`: they are not served. */
  get login(): { readonly loginUrl: string; readonly logoutUrl: string | null } | null {
    const { browser } = this
    const match = browser && matchAt(browser.loginUrl, this.request)
    if (browser === null || match === null) return null
    const { namespace } = match.route
    const logoutUrl = this.request.urls.find([...namespace, 'logout'].join(':'))
    return { loginUrl: browser.loginUrl, logoutUrl }
  }
}

/** Adds the rest of the query; a parameter that the other address already has, such as its version, is kept. */
function keepQuery(url: string, query: Context['query']): string {
  const own = new URL(url)
  const rest = new URLSearchParams(query.toString())
  for (const name of [...own.searchParams.keys(), ...OF_PAGES]) rest.delete(name)
  // Set once: the address is written anew for each parameter that is appended to it.
  if (rest.size > 0) own.search = String(new URLSearchParams([...own.searchParams, ...rest]))
  return own.href
}

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD'])

/** The form of a method, for an object if there is one; `null`: the endpoint has no form, or does not know its fields. */
function formAt(method: string, request: Context, row: unknown): InputForm | null {
  return behaviourAt(method, request)?.form?.(request, row) ?? null
}

function behaviourAt(method: string, { endpoint }: Context): Behaviour<Context> | undefined {
  return endpoint.behaviours[method.toLowerCase() as Verb]
}

/** Errors about access, about a missing resource and about the service offer nothing. */
const OFFERING_NOTHING: ReadonlySet<number> = new Set([401, 403, 404, 410, 429])

function methodsOf({ status }: Reply, request: Context): readonly string[] {
  const { endpoint, method, acting } = request
  // Users must not change anything in the belief that they are another.
  if (acting !== null) return []
  if (OFFERING_NOTHING.has(status) || status >= 500) return []
  if (method === 'DELETE' && status < 400) return []
  return [...endpoint.handlers.keys()].filter((each) => !READING.has(each))
}

/** The form of a permitted method. An unexpected error is logged, and the method is not offered. */
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
  // After a write, the object that the lookup found is out of date.
  const isNew = !READING.has(request.method) && shown.status < 400
  const row = asked.method === 'POST' || isNew ? undefined : request.target
  const form = formAt(asked.method, asked, row)
  if (form === null || asked.method === 'POST') return form
  const data = shown.status < 400 ? shown.data : null
  if (form.values == null) return { ...form, values: data }
  // Values that the answer already has are not looked up again for a form.
  const lacking = Object.keys(form.fields).filter((name) => !Object.hasOwn(form.values!, name))
  const given = lacking.filter((name) => Object.hasOwn(Object(data) as object, name))
  if (given.length === 0) return form
  const more = given.map((name) => [name, (data as Record<string, unknown>)[name]])
  return { ...form, values: { ...form.values, ...Object.fromEntries(more) } }
}

/** The error behind an answer, before an exception handler changed it; `null`: the answer has no error. */
function errorOf(shown: Reply, request: Context): unknown {
  if ('error' in shown) return shown.error
  const { failure = null } = request
  if (!(failure instanceof ApiError)) return failure
  return failure.inWords((sentence) => wordsFor(request).text(sentence))
}

/** Statuses of a wrong body, which has been read by then. */
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

/** The most characters of a form that a page holds for sending it again. */
const MOST_HELD = 100_000

/** `null`: the body is not a form, or a page may not hold it: it has a password or a file, or is too long. */
async function sentForm(request: Context): Promise<SentForm | null> {
  if (request.method !== 'POST' || !isHarmless(request)) return null
  // The check of the CSRF token has already read the body.
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

/** If the fields are unknown, one of them may be a password. */
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
