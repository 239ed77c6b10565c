// What a client sent for one field: missing, null, or a value that the field reads and validators check.
import type { MaybePromise } from '../contract/request.ts'
import { type Detail, ErrorDetail } from '../errors/detail.ts'
import { after } from '../std/after.ts'
import { digitsIn } from '../std/json/exact-json.ts'
import { Form } from '../std/http/form.ts'
import type { AnyField, ReadContext, Validator } from './declaration.ts'
import { type Member, getterOf } from './member.ts'
import { Refused, refusalOf, refused } from './refused.ts'

/** The field was not sent, and nothing stands in for it. */
export const MISSING: unique symbol = Symbol('missing')

export const REQUIRED: Refused = refused('required')
export const NULL: Refused = refused('null')

type Reading = MaybePromise<unknown>

/** Reads one field of an object or a form: what was given, `MISSING`, or a `Refused`. */
export function readMember(member: Member, data: object, context: ReadContext): Reading {
  const { field } = member
  const value = data instanceof Form ? fromForm(member, data, context) : fromObject(member, data)
  if (value === undefined) return missing(field, context)
  return readField(field, value, field.nests ? inside(member, context) : context)
}

/** Reads a value that is there. */
export function readField(field: AnyField, value: unknown, context: ReadContext): Reading {
  if (value === null) return field.options.nullable ? null : NULL
  return settled(
    () => field.read(value, context),
    (given) => (given instanceof Refused ? given : validate(field, given, context)),
  )
}

/** Own members only: what every object has by nature was not sent. */
function fromObject({ name, field }: Member, data: object): unknown {
  return Object.hasOwn(data, name) ? sentIn(data, name, field) : undefined
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

/** Must clients send it? */
export function isRequired({ options }: AnyField): boolean {
  return options.required ?? (options.default === undefined && !options.readOnly)
}

function missing(field: AnyField, { partial }: ReadContext): Reading {
  const standIn = field.options.default
  if (partial) return MISSING
  if (typeof standIn === 'function') return settled(standIn as () => unknown, (value) => value)
  if (standIn !== undefined) return standIn
  return isRequired(field) ? REQUIRED : MISSING
}

function inside({ path }: Member, context: ReadContext): ReadContext {
  const { existing } = context
  return existing === null || existing === undefined
    ? context
    : { ...context, existing: getterOf(path)(existing) }
}

function validate(field: AnyField, given: unknown, context: ReadContext): Reading {
  const { validators } = field.options as { readonly validators?: readonly Validator<unknown>[] }
  if (validators === undefined) return given
  const complaints = validators.map((validator) => complaintOf(validator, given, context))
  return after(all(complaints), (said) => refusedBy(said) ?? given)
}

/** What a validator has against a value, as a detail; `null`: nothing. */
export function complaintOf<Given>(
  validator: Validator<Given>,
  given: Given,
  context: ReadContext,
): MaybePromise<Detail | null> {
  return settled(
    () => validator(given, context),
    (said) => (said instanceof Refused ? said.detail : toComplaint(said ?? null)),
  )
}

function toComplaint(said: string | ErrorDetail | null): Detail | null {
  if (said === null) return null
  return [typeof said === 'string' ? new ErrorDetail(said, 'invalid') : said]
}

/** Messages of all validators in one list; an object of messages stands for itself. */
function refusedBy(complaints: readonly (Detail | null)[]): Refused | null {
  const said = complaints.filter((complaint) => complaint !== null)
  if (said.length === 0) return null
  const object = said.find((detail) => !Array.isArray(detail))
  return new Refused(object ?? (said as readonly (readonly Detail[])[]).flat())
}

/** All of them: at once where nobody waits, else together. */
export function all<T>(values: readonly MaybePromise<T>[]): MaybePromise<readonly T[]> {
  const isLate = values.some((value) => value instanceof Promise)
  return isLate ? Promise.all(values) : (values as readonly T[])
}

/** Calls `work`, then `next` with what came of it. A `ValidationError`, now or later, is a `Refused`. */
export function settled<T, R>(
  work: () => MaybePromise<T>,
  next: (value: T | Refused) => R | Promise<R>,
): MaybePromise<R> {
  return after(attempt(work), next)
}

/** A mistake in the program travels as a promise: others may be under way, and wait for it. */
function attempt<T>(work: () => MaybePromise<T>): MaybePromise<T | Refused> {
  try {
    const value = work()
    return value instanceof Promise ? value.catch(refusalOf) : value
  } catch (error) {
    try {
      return refusalOf(error)
    } catch (mistake) {
      return Promise.reject(mistake)
    }
  }
}
