import type { MaybePromise } from '../contract/request.ts'
import { type Detail, ErrorDetail } from '../errors/detail.ts'
import { Message } from '../messages/message.ts'
import { after, isPromise } from '../std/after.ts'
import { digitsIn } from '../std/json/exact-json.ts'
import { Form } from '../std/http/form.ts'
import type { AnyField, LinkKey, ReadContext, Validator } from './declaration.ts'
import { type Member, writtenAmong } from './member.ts'
import { Refused, refusalOf, refused } from './refused.ts'

/** The field was not sent, and nothing stands in for it. */
export const MISSING: unique symbol = Symbol('missing')

export const NULL: Refused = refused('null')
const REQUIRED = refused('required')
const NO_ADDRESS = refused('invalid.address')

/** All that is wrong is reported together (E21, E22); `validate` sees what is right by itself. */
export function compileRead(
  members: readonly Member[],
  validators: readonly Validator<object>[],
): (data: unknown, context: ReadContext) => MaybePromise<object | Refused> {
  const written = writtenAmong(members).map((member): Written => ({
    ...member,
    links: linksOf(member, members),
  }))
  const nameOf = (place: string): string | null =>
    written.find(({ path, field }) => path[0] === place && !field.supply)?.name ?? null
  return (data, context) => {
    if (!isObject(data)) return new Refused(underNoField(notAnObject(data), context))
    const readings = written.map((member) => readMember(member, data, context))
    return whenRead(readings, (values) => {
      const input = assemble(written, values, context)
      if (input instanceof Refused || validators.length === 0) return input
      const whole = { ...context, nameOf }
      const complaints = validators.map((validator) => complaintOf(validator, input, whole))
      return whenRead(complaints, (refusals) => {
        const refusal = refusedBy(refusals as (Refused | null)[])
        return refusal === null ? input : new Refused(underNoField(refusal.detail, context))
      })
    })
  }
}

interface Written extends Member {
  /** Links of the same object that are made of what it writes. */
  readonly links: readonly HasAddress[]
}

/**
 * At once where no reading is a promise: a body may hold hundreds of thousands of small objects, and
 * promises for each would cost five times as much as reading them.
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
  return readField(field, value, field.nests ? inside(member, context) : context)
}

function supplied({ field, path }: Member, context: ReadContext): unknown {
  return heeding(() =>
    after(field.supply!(context, path[0]!), (given: unknown = MISSING) =>
      given === MISSING ? given : validated(field, given, context),
    ),
  )
}

/** What was given, or a `Refused`; now or later. */
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
      const isText = typeof complaint === 'string'
      return new Refused([isText ? new ErrorDetail(complaint, 'invalid') : complaint])
    }),
  )
}

/** Messages of all validators in one list; an object of messages stands for itself. */
function refusedBy(refusals: readonly (Refused | null)[]): Refused | null {
  const details = refusals.filter((refusal) => refusal !== null).map(({ detail }) => detail)
  if (details.length === 0) return null
  return new Refused(details.find((detail) => !Array.isArray(detail)) ?? details.flat())
}

/** A member or an item as the field wants it: the digits themselves where a `number` lost some. */
export function sentIn(holder: object, key: string | number, field: AnyField): unknown {
  const value = (holder as Record<string | number, unknown>)[key]
  if (typeof value !== 'number' || !field.takesDigits) return value
  return digitsIn(holder, String(key)) ?? value
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
  const row = context.existing as Readonly<Record<string, unknown>> | null | undefined
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
  for (const [index, { name, path, links, field }] of members.entries()) {
    const value = addressed(values[index], links, context)
    if (value instanceof Refused) errors[name] = value.detail
    else if (value !== MISSING) input[path[0]!] = keptLater(value, field, context)
  }
  return Object.keys(errors).length === 0 ? input : new Refused(errors)
}

/** Nothing is stored for a body of which another part is refused. */
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
  // A field's messages are a list, in whatever form the validator gave them.
  return Object.fromEntries(
    Object.entries(byName).map(([name, own]) => [name, own instanceof ErrorDetail ? [own] : own]),
  )
}
