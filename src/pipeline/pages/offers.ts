import type {
  BrowserAccess,
  FieldInfo,
  InputForm,
  Offer,
  RefusedInput,
  SentForm,
} from '../../contract/page.ts'
import type { InputFields, ServedEndpoint } from '../../contract/kernel.ts'
import type { Incoming, Reply } from '../../contract/request.ts'
import { ApiError, ValidationError } from '../../errors/api-errors.ts'
import { messagesOf } from '../../errors/detail.ts'
import { ErrorReply } from '../../replies/reply.ts'
import { Form, type FormValue } from '../../std/http/form.ts'
import type { Context, FormOf } from '../context.ts'
import { logFailure } from '../exceptions.ts'
import { METHODS } from '../methods.ts'

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD'])
const OFFERED: readonly string[] = METHODS.filter((method) => !READING.has(method))

export function formsByMethod({ behaviours }: ServedEndpoint): ReadonlyMap<string, FormOf> {
  const forms = Object.entries(behaviours).flatMap(([verb, behaviour]): [string, FormOf][] => {
    const { fields } = behaviour
    const form = behaviour.form?.bind(behaviour) ?? (fields && formFrom(fields))
    return form === undefined ? [] : [[verb.toUpperCase(), form]]
  })
  return new Map(forms)
}

function formFrom(fields: InputFields): FormOf {
  return async (request) => {
    const found = typeof fields === 'function' ? await fields(request) : fields
    return found && { fields: found, values: null }
  }
}

/**
 * What the page of an answer may offer. The permissions of each method are asked once, about a request that says
 * that method, and nothing else of it happens: no throttle counts it and no handler runs (W17).
 */
export async function offerFor(
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
  const error = shown instanceof ErrorReply ? shown.error : null
  const again = browser?.isOutdated?.(error, request) ? await sentForm(request) : null
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
  return OFFERED.filter((each) => endpoint.handlers.has(each))
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
    return await formOf(asked, shown, request)
  } catch (error) {
    if (!(error instanceof ApiError)) logFailure('page.offer_failed', error, request)
    return 'refused'
  }
}

async function formOf(asked: Context, shown: Reply, request: Context): Promise<InputForm | null> {
  // What was written is no longer what was found.
  const isNew = !READING.has(request.method) && shown.status < 400
  const row = asked.method === 'POST' || isNew ? undefined : request.target
  const form = (await request.endpoint.forms.get(asked.method)?.(asked, row)) ?? null
  if (form === null || asked.method === 'POST' || form.values !== null) return form
  return { ...form, values: shown.status < 400 ? shown.data : null }
}

/** Statuses that say what is wrong with a body: it has been read then. */
const ABOUT_THE_BODY: ReadonlySet<number> = new Set([400, 409, 422])

async function refusedInput(shown: Reply, request: Context): Promise<RefusedInput | null> {
  const { method } = request
  if (!ABOUT_THE_BODY.has(shown.status) || !request.endpoint.forms.has(method)) return null
  const error = shown instanceof ErrorReply ? shown.error : null
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
  if (request.method !== 'POST' || !(await isHarmless(request))) return null
  // It was read for its token.
  const body = await request.body()
  if (!(body instanceof Form)) return null
  const entries = body.names().flatMap((name) => body.getAll(name).map(pairedWith(name)))
  if (!areTexts(entries) || lengthOf(entries) > MOST_HELD) return null
  const isMultipart = /^multipart\//i.test(request.header('content-type') ?? '')
  const encoding = isMultipart ? 'multipart/form-data' : 'application/x-www-form-urlencoded'
  return { encoding, entries }
}

type Entry<Value> = readonly [name: string, value: Value]

function pairedWith(name: string) {
  return (value: FormValue): Entry<FormValue> => [name, value]
}

function areTexts(entries: readonly Entry<unknown>[]): entries is readonly Entry<string>[] {
  return entries.every(([, value]) => typeof value === 'string')
}

function lengthOf(entries: readonly Entry<string>[]): number {
  return entries.reduce((sum, [name, value]) => sum + name.length + value.length, 0)
}

/** Where the fields are not known, one may take a password. */
async function isHarmless(request: Context): Promise<boolean> {
  const { endpoint, method } = request
  if (endpoint.handlers.get(method)?.takesPasswords) return false
  try {
    const form = await endpoint.forms.get(method)?.(request.as(method), undefined)
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
