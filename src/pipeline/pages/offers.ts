import type { InputForm, Offer, RefusedInput } from '../../contract/page.ts'
import type { InputFields, ServedEndpoint } from '../../contract/kernel.ts'
import type { Reply } from '../../contract/request.ts'
import { ApiError, ValidationError } from '../../errors/api-errors.ts'
import { messagesOf } from '../../errors/detail.ts'
import { ErrorReply } from '../../replies/reply.ts'
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
export async function offerFor(shown: Reply, request: Context): Promise<Offer> {
  const methods: string[] = []
  const forms: Record<string, InputForm> = {}
  for (const method of methodsOf(shown, request)) {
    const form = await tryOut(method, shown, request)
    if (form === 'refused') continue
    methods.push(method)
    if (form !== null) forms[method] = form
  }
  return { methods, forms, refused: await refusedInput(shown, request) }
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
