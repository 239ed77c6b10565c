import { type MaybePromise, after, isPromise } from '../../core/std/after.ts'
import { type Detail, ErrorDetail, toDetail } from '../../core/errors/detail.ts'
import { Message } from '../../core/messages/message.ts'
import { digitsIn, rawNumber } from '../../core/std/json/exact-json.ts'
import { Form } from '../../core/std/http/form.ts'
import type { AnyField, ConvertedGroup, LinkKey, ReadContext, Validator } from './declaration.ts'
import { GIVEN, type GivenRows } from './embedding.ts'
import { type Member, writtenAmong } from './member.ts'
import { Refused, refusalOf, refused } from './refused.ts'
import type { Tenancy } from './tenant-references.ts'

/** Stands for a field that was not sent, and that nothing fills in. */
export const MISSING: unique symbol = Symbol('missing')

export const NULL: Refused = refused('null')
const REQUIRED = refused('required')
const NO_ADDRESS = refused('invalid.address')

/**
 * Compiles the reading of an object. All errors are reported together (E21, E22), and `validate` gets only fields that are
 * right.
 */
export function compileRead(
  members: readonly Member[],
  validators: readonly Validator<object>[],
  all: readonly Member[],
): (data: unknown, context: ReadContext) => MaybePromise<object | Refused> {
  const written = writtenAmong(members).map((member): Written => ({
    ...member,
    links: linksOf(member, members),
  }))
  const nameOf = (place: string): string | null => nameAmong(written, place)
  // Read-only members may come back, because a client may send a whole answer.
  const known = new Set([...members.map(({ name }) => name), CSRF_FIELD])
  return (data, around) => {
    if (!isObject(data)) return new Refused(underNoField(notAnObject(data), around))
    const tenancy = around.tenancy?.ofObject()
    const context = tenancy === undefined ? around : { ...around, tenancy }
    const readings = written.map((member) => readMember(member, data, context))
    return whenRead(readings, (values) => {
      const input = withUnknown(assemble(written, values, context), data, known, context)
      if (input instanceof Refused) return input
      const torn = tenancy && tornBy(tenancy, input, context, { nameOf, all })
      if (torn) return torn
      if (validators.length === 0) return input
      const whole = { ...context, nameOf }
      const complaints = validators.map((validator) => complaintOf(validator, input, whole))
      return whenRead(complaints, (refusals) => {
        const refusal = refusedBy(refusals as (Refused | null)[])
        return refusal === null ? input : new Refused(underNoField(refusal.detail, context))
      })
    })
  }
}

/** The name that clients have for the field that writes this member of the input; `null`: no field of theirs does. */
export function nameAmong(written: readonly Member[], place: string): string | null {
  const writes = ({ path, field }: Member): boolean =>
    field.converted?.written.has(place) ?? (path[0] === place && !field.supply && !field.embeds)
  return written.find(writes)?.name ?? null
}

/** With `strictBody`, unknown members are refused, together with all other errors. */
function withUnknown(
  input: object | Refused,
  data: object,
  known: ReadonlySet<string>,
  { request }: ReadContext,
): object | Refused {
  if (!request.settings.strictBody) return input
  const sent = data instanceof Form ? data.names() : Object.keys(data)
  const unknown = sent.filter((name) => !known.has(name)).slice(0, MOST_NAMED)
  if (unknown.length === 0) return input
  const errors = input instanceof Refused ? input.detail : {}
  const each = unknown.map((name) => [name, UNKNOWN.detail] as const)
  return new Refused({ ...(errors as object), ...Object.fromEntries(each) })
}

const UNKNOWN = refused('unknown_member')
/** A refusal names no more unknown members than these. */
const MOST_NAMED = 1000
/** The name of a field that every form on a page has. */
const CSRF_FIELD = 'csrfmiddlewaretoken'

interface Written extends Member {
  /** Links of the same object that use the value of this member. */
  readonly links: readonly HasAddress[]
}

/**
 * Continues at once if no reading is a promise: a body may hold hundreds of thousands of small objects, and promises for
 * each would cost five times as much as reading them.
 */
export function whenRead<T>(
  readings: readonly unknown[],
  next: (values: readonly unknown[]) => T | Promise<T>,
): T | Promise<T> {
  return readings.some((reading) => reading instanceof Promise)
    ? Promise.all(readings).then(next)
    : next(readings)
}

function readMember(member: Member, data: object, context: ReadContext): unknown {
  const { name, field } = member
  if (field.supply !== undefined) return supplied(member, context)
  const value =
    data instanceof Form
      ? fromForm(member, data, context)
      : // Own members only: what every object has by nature was not sent.
        Object.hasOwn(data, name)
        ? sentIn(data, name, field)
        : undefined
  if (value === undefined) return missing(field, context)
  return readField(field, value, placed(member, context))
}

/** The context of a field, with its place in the object. */
function placed(member: Member, context: ReadContext): ReadContext {
  const { tenancy } = context
  const there = tenancy ? { ...context, tenancy: tenancy.at(member.name) } : context
  return member.field.serializer ? inside(member, there) : there
}

interface Names {
  readonly nameOf: (place: string) => string | null
  readonly all: readonly Member[]
}

/** The refusal of rows from two tenants in one object; `null`: all are of one tenant. */
function tornBy(
  tenancy: Tenancy,
  input: object,
  context: ReadContext,
  { nameOf, all }: Names,
): Refused | null {
  const existing = context.existing as Row | null
  const strays = tenancy.strays(input as Row, existing)
  const stays = ({ path: [place = ''], field: { relation } }: Member): boolean =>
    relation !== undefined &&
    relation.scope !== null &&
    !Object.hasOwn(input, place) &&
    existing?.[place] != null
  const moved = tenancy.moving(input as Row, existing).map((column) => nameOf(column) ?? '')
  const places = moved.length > 0 && all.some(stays) ? [...strays, ...moved] : strays
  if (places.length === 0) return null
  const key = context.request.settings.nonFieldErrorsKey
  return new Refused(Object.fromEntries(places.map((place) => [place || key, OTHER_TENANT.detail])))
}

type Row = Readonly<Record<string, unknown>>
const OTHER_TENANT = refused('other_tenant')

function supplied({ field, path }: Member, context: ReadContext): unknown {
  return heeding(() =>
    after(field.supply!(context, path[0]!), (given: unknown = MISSING) =>
      given === MISSING ? given : validated(field, given, context),
    ),
  )
}

/** The value of a field, or a `Refused`; at once or as a promise. */
export function readField(field: AnyField, value: unknown, context: ReadContext): unknown {
  if (value === null) return field.options.nullable ? null : NULL
  if (field.options.nullable && field.meansNull?.(value)) return null
  return heeding(() =>
    after(field.read(value, context), (given) => validated(field, given, context)),
  )
}

/** A refusal may be thrown. A mistake in the program waits like other failures: others may be under way. */
function heeding<T>(work: () => MaybePromise<T>): MaybePromise<T | Refused> {
  try {
    const done = work()
    return isPromise(done) ? Promise.resolve(done).catch(refusalOf) : done
  } catch (error) {
    return Promise.reject(error).catch(refusalOf)
  }
}

function validated({ options }: AnyField, given: unknown, context: ReadContext): unknown {
  const { validators } = options as { readonly validators?: Validator<unknown>[] }
  if (validators === undefined || given instanceof Refused) return given
  const complaints = validators.map((validator) => complaintOf(validator, given, context))
  return whenRead(complaints, (refusals) => refusedBy(refusals as (Refused | null)[]) ?? given)
}

function complaintOf<Given>(
  validator: Validator<Given>,
  given: Given,
  context: ReadContext,
): MaybePromise<Refused | null> {
  return heeding(() =>
    after(validator(given, context), (complaint = null) => {
      if (complaint === null) return null
      return new Refused([toDetail(complaint, 'invalid')])
    }),
  )
}

/** Messages of all validators in one list; an object of messages stands for itself. */
function refusedBy(refusals: readonly (Refused | null)[]): Refused | null {
  const details = refusals.filter((refusal) => refusal !== null).map(({ detail }) => detail)
  if (details.length === 0) return null
  return new Refused(details.find((detail) => !Array.isArray(detail)) ?? details.flat())
}

/** The value of a member or an item; for fields that take digits, the digits that its number has lost. */
export function sentIn(holder: object, key: string | number, field: AnyField): unknown {
  const value = (holder as Record<string | number, unknown>)[key]
  if (typeof value !== 'number' || !field.takesDigits) return value
  const digits = digitsIn(holder, String(key))
  if (digits === undefined) return value
  return field.takesDigits === true ? digits : rawNumber(value, digits)
}

/** A form has no null and no way to leave a field out: an empty text says either. */
function fromForm({ name, field }: Member, form: Form, { partial }: ReadContext): unknown {
  const values = form.getAll(name)
  if (values.length === 0) return partial ? undefined : field.absentInForms
  if (field.inForms === 'all') return values
  const value = values.at(-1)
  if (value !== '' || field.keepsBlank) return value
  if (field.options.nullable) return null
  return isRequired(field) ? value : undefined
}

export function isRequired({ options }: AnyField): boolean {
  return options.required ?? (options.default === undefined && !options.readOnly)
}

function missing(field: AnyField, { partial }: ReadContext): unknown {
  const standIn = field.options.default
  if (partial) return MISSING
  if (typeof standIn === 'function') return heeding(standIn as () => unknown)
  if (standIn !== undefined) return standIn
  return isRequired(field) ? REQUIRED : MISSING
}

function inside({ path }: Member, context: ReadContext): ReadContext {
  const row = context.existing as Readonly<Record<string, object | null>> | null | undefined
  return { ...context, existing: row?.[path[0]!] ?? null, scope: {} }
}

type HasAddress = NonNullable<AnyField['hasAddress']>

function linksOf(written: Member, members: readonly Member[]): readonly HasAddress[] {
  return members
    .filter(
      ({ path, field }) =>
        path.length === 1 && path[0] === written.path[0] && field.options.readOnly,
    )
    .flatMap(({ field }) => field.hasAddress ?? [])
}

/** A key that no address can hold is refused before it is stored. */
function addressed(value: unknown, links: readonly HasAddress[], context: ReadContext): unknown {
  if (links.length === 0 || !KEYS.has(typeof value)) return value
  const isHeld = links.every((hasAddress) => hasAddress(value as LinkKey, context.request))
  return isHeld ? value : NO_ADDRESS
}

const KEYS: ReadonlySet<string> = new Set(['string', 'number', 'bigint'])

function isObject(data: unknown): data is object {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return false
  return data instanceof Form || !ArrayBuffer.isView(data)
}

/** E23: names what came instead. */
function notAnObject(data: unknown): Detail {
  if (data === null || data === undefined) return NULL.detail
  const kind = Array.isArray(data) ? 'kind.list' : (KINDS[typeof data] ?? 'kind.other')
  return refused('invalid.object', { kind: Message.of(kind) }).detail
}

const KINDS: Readonly<Record<string, 'kind.text' | 'kind.number' | 'kind.boolean'>> = {
  string: 'kind.text',
  number: 'kind.number',
  bigint: 'kind.number',
  boolean: 'kind.boolean',
}

function assemble(
  members: readonly Written[],
  values: readonly unknown[],
  context: ReadContext,
): object | Refused {
  const input: Record<string, unknown> = {}
  const errors: Record<string, Detail> = {}
  const groups = new Map<ConvertedGroup, Record<string, unknown>>()
  const rows: GivenRows[] = []
  for (const [index, { name, path, links, field }] of members.entries()) {
    const value = addressed(values[index], links, context)
    if (value instanceof Refused) errors[name] = value.detail
    else if (value !== MISSING && field.embeds !== undefined)
      rows.push({ name, source: path[0]!, embeds: field.embeds, rows: value as GivenRows['rows'] })
    else if (value !== MISSING) {
      const given = keptLater(value, field, context)
      if (field.converted === undefined) input[path[0]!] = given
      else groups.set(field.converted, { ...groups.get(field.converted), [name]: given })
    }
  }
  if (Object.keys(errors).length > 0) return new Refused(errors)
  for (const [group, given] of groups) {
    const parts = readGroup(group, given, context)
    if (parts instanceof Refused) Object.assign(errors, parts.detail)
    else Object.assign(input, parts)
  }
  if (Object.keys(errors).length > 0) return new Refused(errors)
  return rows.length === 0 ? input : Object.assign(input, { [GIVEN]: rows })
}

/** The stored values of a converted group. If a partial update leaves fields out, the row gives their values. */
function readGroup(
  group: ConvertedGroup,
  given: object,
  { partial, existing }: ReadContext,
): object | Refused {
  try {
    const parts = group.read(partial && existing ? { ...group.show(existing), ...given } : given)
    for (const place of Object.keys(parts)) group.written.add(place)
    return parts
  } catch (error) {
    const { detail } = refusalOf(error)
    const isOfNoField = detail instanceof ErrorDetail || Array.isArray(detail)
    return isOfNoField
      ? new Refused({ [Object.keys(given)[0]!]: [detail].flat() })
      : new Refused(detail)
  }
}

/** The value is stored later, because another part of the body may be refused. */
function keptLater(given: unknown, { keep }: AnyField, context: ReadContext): unknown {
  if (keep === undefined || given === null) return given
  const { value, work } = keep(given as never, context)
  context.afterwards?.push(work)
  return value
}

/** E22: messages that belong to no field have a key of their own; an object names its fields itself. */
export function underNoField(detail: Detail, { request }: ReadContext): Detail {
  const isOfNoField = detail instanceof ErrorDetail || Array.isArray(detail)
  const byName = isOfNoField ? { [request.settings.nonFieldErrorsKey]: detail } : detail
  // A field's messages are a list, also if the validator gave them in another form.
  return Object.fromEntries(
    Object.entries(byName).map(([name, own]) => [name, own instanceof ErrorDetail ? [own] : own]),
  )
}
