// An object of a client's data: every field read, everything that is wrong told together (E21, E22).
import type { MaybePromise } from '../contract/request.ts'
import { type Detail, ErrorDetail, toDetail } from '../errors/detail.ts'
import { Message } from '../messages/message.ts'
import { after } from '../std/after.ts'
import { Form } from '../std/http/form.ts'
import type { AnyField, LinkKey, ReadContext, Validator } from './declaration.ts'
import { type Member, writtenAmong } from './member.ts'
import { MISSING, NULL, all, complaintOf, readMember } from './read-member.ts'
import { Refused, refused } from './refused.ts'

/** What is read of an object, or why it is not taken. */
export type ReadObject = (data: unknown, context: ReadContext) => MaybePromise<object | Refused>

/** Reads these members; `validate` sees the object once all of them are right. */
export function compileRead(
  members: readonly Member[],
  validate: Validator<object> | null,
): ReadObject {
  const written = writtenAmong(members)
  const links = written.map((member) => linksOf(member, members))
  return (data, context) => {
    if (!isObject(data)) return new Refused(underNoField(notAnObject(data), context))
    const readings = written.map((member) => readMember(member, data, context))
    return after(all(readings), (read) => {
      const values = read.map((value, index) => addressed(value, links[index]!, context))
      const input = assemble(written, values)
      if (input instanceof Refused || validate === null) return input
      return after(complaintOf(validate, input, context), (complaint) =>
        complaint === null ? input : new Refused(underNoField(complaint, context)),
      )
    })
  }
}

/** Links of the same object that are made of what a member writes. */
function linksOf({ path }: Member, members: readonly Member[]): readonly HasAddress[] {
  return members
    .filter((other) => other.path.length === 1 && other.path[0] === path[0])
    .flatMap(({ field }) => (field.options.readOnly ? (field.hasAddress ?? []) : []))
}

type HasAddress = NonNullable<AnyField['hasAddress']>

const NO_ADDRESS = refused('invalid.address')

/** A key that no address can hold is refused before it is stored. */
function addressed(
  value: unknown,
  links: readonly HasAddress[],
  { request }: ReadContext,
): unknown {
  if (links.length === 0 || !isKey(value)) return value
  return links.every((hasAddress) => hasAddress(value, request)) ? value : NO_ADDRESS
}

function isKey(value: unknown): value is LinkKey {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint'
}

function isObject(data: unknown): data is object {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return false
  return data instanceof Form || !ArrayBuffer.isView(data)
}

/** E23: names what came instead. */
function notAnObject(data: unknown): Detail {
  if (data === null || data === undefined) return NULL.detail
  return refused('invalid.object', { kind: kindOf(data) }).detail
}

/** What a value is called in messages. */
function kindOf(value: unknown): Message {
  if (Array.isArray(value)) return Message.of('kind.list')
  return KINDS[typeof value] ?? Message.of('kind.other')
}

const KINDS: Readonly<Record<string, Message>> = {
  string: Message.of('kind.text'),
  number: Message.of('kind.number'),
  bigint: Message.of('kind.number'),
  boolean: Message.of('kind.boolean'),
}

function assemble(members: readonly Member[], values: readonly unknown[]): object | Refused {
  const input: Record<string, unknown> = {}
  const errors: Record<string, Detail> = {}
  let failed = false
  for (const [index, value] of values.entries()) {
    const { name, path } = members[index]!
    if (value instanceof Refused) {
      errors[name] = value.detail
      failed = true
    } else if (value !== MISSING) input[path[0]!] = value
  }
  return failed ? new Refused(errors) : input
}

/** E22: messages that belong to no field have a key of their own; an object names its fields itself. */
export function underNoField(detail: Detail, { request }: ReadContext): Detail {
  const key = request.settings.nonFieldErrorsKey
  if (detail instanceof ErrorDetail) return { [key]: [detail] }
  if (Array.isArray(detail)) return { [key]: detail as readonly Detail[] }
  return asLists(detail as Readonly<Record<string, Detail>>)
}

/** A field's messages are a list, however the validator said them. */
function asLists(messages: Readonly<Record<string, Detail>>): Detail {
  return Object.fromEntries(
    Object.entries(messages).map(([name, detail]) => [
      name,
      detail instanceof ErrorDetail ? [detail] : toDetail(detail, 'invalid'),
    ]),
  )
}
