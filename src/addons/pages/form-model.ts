import { versionParams } from '../../core/versions/link-in-version.ts'
import type { InputForm, RowsToChoose } from '../../core/ports/page.ts'
import type { Offer, SentForm } from './page-facts.ts'
import type { ApiRequest } from '../../core/ports/request.ts'
import type { FieldInfo } from '../../core/ports/serializer.ts'
import type { Message } from '../../core/messages/message.ts'
import { Form } from '../../core/std/http/form.ts'
import { toJSONText } from '../../core/representations/json.ts'
import { shellQuoted } from './copied-as.ts'
import {
  FILES,
  type FilledField,
  type FormField,
  LONGEST_FORM,
  formField,
  lengthOf,
  sentencesOf,
} from './form-fields.ts'

/** The ways to send one method: a form of fields, and the raw data. */
interface MethodForm {
  readonly method: string
  /** The query of the form's address; its path is that of the page. */
  readonly action: string
  /** `null`: the name of the method. */
  readonly title: Message | null
  /** `null`: the fields are unknown, or a form cannot carry a required one (W16). */
  readonly fields: readonly FormField[] | null
  readonly hidden: readonly (readonly [name: string, value: unknown])[]
  readonly encoding: string
  /** Errors of no field, or of a field that the form does not show. */
  readonly errors: readonly string[]
  readonly isRefused: boolean
  /** Was the refused body written by hand? */
  readonly isRaw: boolean
  readonly raw: RawData
}

/** A body as text. */
interface RawData {
  /** The methods that may send it. */
  readonly methods: readonly string[]
  readonly mediaTypes: readonly string[]
  /** The first JSON to edit; `null`: it is too long for a page. */
  readonly text: string | null
  /** The request as a command line. */
  readonly curl: string
}

const MULTIPART = 'multipart/form-data'
const URLENCODED = 'application/x-www-form-urlencoded'
const FORMS = [MULTIPART, URLENCODED]

/** The most fields of a form that a page shows. */
const MOST_FIELDS = 500

export interface Sending {
  readonly forms: readonly MethodForm[]
  /** DELETE as a command line; `null`: the page does not offer it. */
  readonly deletion: string | null
  readonly action: string
  /** The query parameter that searches lists. */
  readonly search: string
  /** The form that an outdated page has sent; `null`: none. */
  readonly again: SentForm | null
}

export function sendingOf(offer: Offer, request: ApiRequest): Sending {
  return {
    forms: methodForms(offer, request),
    deletion: offer.methods.includes('DELETE') ? curlOf('DELETE', request) : null,
    action: actionOf(request),
    search: request.settings.searchParam,
    again: offer.again,
  }
}

/** The forms of the methods with a body: POST, and PUT with PATCH (W13, W14). */
export function methodForms(offer: Offer, request: ApiRequest): readonly MethodForm[] {
  const offered = SENT.map((some) => some.filter((method) => offer.methods.includes(method)))
  return offered
    .filter((methods) => methods.length > 0)
    .map((methods) => methodForm(methods, offer, request))
}

const SENT: readonly (readonly string[])[] = [['POST'], ['PUT', 'PATCH']]
const NOTHING_KNOWN: InputForm = { fields: {} }

function methodForm(methods: readonly string[], offer: Offer, request: ApiRequest): MethodForm {
  const { parsers, nonFieldErrorsKey } = request.settings
  const method = methods[0]!
  const known = Object.hasOwn(offer.forms, method) ? offer.forms[method]! : NOTHING_KNOWN
  const refused = methods.includes(offer.refused?.method ?? '') ? offer.refused : null
  const sent = refused?.data ?? null
  const errors = refused?.errors ?? null
  const types = parsers.map(({ mediaType }) => mediaType)
  const encoding = FORMS.find((type) => types.includes(type)) ?? null
  const shown = fieldsOf(method, known, { values: sent ?? known.values, errors }, request)
  const fields = encoding === null ? null : carried(method, shown)
  return {
    method,
    action: actionOf(request),
    title: known.title ?? null,
    fields,
    hidden: Object.entries(known.hidden ?? {}).map(([name, value]) => [
      name,
      sent instanceof Form ? sent.get(name) : value,
    ]),
    encoding: encoding ?? URLENCODED,
    errors: errorsBeside(fields ?? [], errors, nonFieldErrorsKey),
    isRefused: refused !== null,
    isRaw: sent !== null && !(sent instanceof Form),
    raw: rawData(methods, types.filter(isWritten), known, sent, request),
  }
}

function fieldsOf(
  method: string,
  { fields, lists, autocomplete = {} }: InputForm,
  filled: Pick<FilledField, 'values' | 'errors'>,
  request: ApiRequest,
): readonly FormField[] {
  const shown = Object.entries(fields).slice(0, MOST_FIELDS + 1)
  return shown.map(([name, info], at) => {
    const list = listOf(lists, name, request)
    const completes = Object.hasOwn(autocomplete, name) ? autocomplete[name]! : null
    const id = `${method.toLowerCase()}-${at}`
    return formField(name, info, id, { ...filled, list, autocomplete: completes })
  })
}

/** `null`: a form cannot carry these fields. A form sends all of its fields, so PATCH needs raw data. */
function carried(method: string, fields: readonly FormField[]): readonly FormField[] | null {
  const writable = fields.filter(({ control }) => control !== 'shown')
  const isTooMuch =
    writable.some(({ control, required }) => control === 'raw' && required) ||
    fields.reduce((sum, field) => sum + lengthOf(field), 0) > LONGEST_FORM
  if (method === 'PATCH' || writable.length === 0 || isTooMuch || fields.length > MOST_FIELDS)
    return null
  return method === 'POST' ? writable : fields
}

/** The list in the default format, also if the page was asked for in another; `null`: the list is on another host. */
function listOf(
  lists: InputForm['lists'] = {},
  name: string,
  request: ApiRequest,
): RowsToChoose | null {
  const list = Object.hasOwn(lists, name) ? lists[name]! : null
  const url = list && URL.parse(list.url)
  if (url === null || url.origin !== new URL(request.origin).origin) return null
  const { urlFormatOverride } = request.settings
  if (urlFormatOverride !== null) url.searchParams.delete(urlFormatOverride)
  return { url: url.pathname + url.search, member: list!.member }
}

/** Is this exactly one type, in which people can write a body? CBOR and pictures are not. */
function isWritten(type: string): boolean {
  return /^text\/[^*]+$|^application\/(?:.*[.+-])?(?:nd)?(?:json|jsonl|xml|yaml|toml|csv|graphql|x-www-form-urlencoded)$/i.test(
    type.split(';', 1)[0]!.trim(),
  )
}

/** The query keeps version and format. Page, order and search belong to the list, and are not sent. */
function actionOf({ query, settings }: ApiRequest): string {
  const kept = [settings.urlFormatOverride, ...versionParams(settings)]
  const parameters = new URLSearchParams(
    kept.flatMap((name) => {
      const value = name === null ? null : query.peek(name)
      return value === null ? [] : [[name!, value]]
    }),
  )
  return `?${parameters}`
}

function errorsBeside(
  fields: readonly FormField[],
  errors: unknown,
  noField: string,
): readonly string[] {
  const names = new Set(fields.map(({ name }) => name))
  if (typeof errors !== 'object' || errors === null || Array.isArray(errors))
    return sentencesOf(errors)
  return Object.entries(errors).flatMap(([name, own]) => {
    if (name === noField) return sentencesOf(own)
    return names.has(name) ? [] : sentencesOf({ [name]: own })
  })
}

/** The body that was sent; without one, the current values of the writable fields, or empty ones (W13, W14). */
function rawData(
  methods: readonly string[],
  mediaTypes: readonly string[],
  { fields, values }: InputForm,
  sent: unknown,
  request: ApiRequest,
): RawData {
  const isSent = sent !== null && !(sent instanceof Form)
  const whole = toJSONText(isSent ? sent : objectOf(fields, values), 4)
  const text = whole.length > LONGEST_FORM ? null : whole
  const curl = curlOf(methods[0]!, request, mediaTypes[0], text ?? '…')
  return { methods, mediaTypes, text, curl }
}

function curlOf(method: string, request: ApiRequest, type?: string, body?: string): string {
  const query = actionOf(request)
  const url = shellQuoted(request.origin + request.path + (query === '?' ? '' : query))
  const lines = [`curl -X ${method} ${url}`]
  if (type !== undefined) lines.push(`-H ${shellQuoted(`Content-Type: ${type}`)}`)
  if (type !== undefined && body !== undefined) lines.push(`--data-binary ${shellQuoted(body)}`)
  return lines.join(' \\\n  ')
}

function objectOf(fields: InputForm['fields'], values: unknown): object {
  const known = Object(values) as Readonly<Record<string, unknown>>
  const written = Object.entries(fields).filter(([, info]) => isText(info))
  const members = written.map(([name, info]) => [
    name,
    Object.hasOwn(known, name) ? (known[name] ?? null) : emptyValue(info),
  ])
  return Object.fromEntries(members) as object
}

/** A text cannot hold files. */
function isText({ type, read_only: isReadOnly }: FieldInfo): boolean {
  return !isReadOnly && !FILES.has(type)
}

/** The depth of an empty object that is written out: serializers may contain themselves. */
const DEPTH = 3

function emptyValue({ type, children, choices }: FieldInfo, depth = DEPTH): unknown {
  if (type === 'list' || type === 'multiple choice') return []
  if (type === 'boolean') return false
  if (children !== undefined && depth > 0) {
    const inner = Object.entries(children).filter(([, info]) => !info.read_only)
    return Object.fromEntries(inner.map(([name, info]) => [name, emptyValue(info, depth - 1)]))
  }
  return TEXTS.has(type) && choices === undefined ? '' : null
}

const TEXTS: ReadonlySet<string> = new Set(['string', 'email', 'url', 'slug'])
