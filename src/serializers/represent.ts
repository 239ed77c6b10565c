import type { ApiRequest } from '../contract/request.ts'
import { ApiError } from '../errors/api-errors.ts'
import { ConfigurationError, NoReverseMatch } from '../errors/configuration-error.ts'
import type { AnyField } from './declaration.ts'
import type { Member } from './member.ts'

/**
 * In their order. A value that its field has no form for is shown as `null` and logged, because one such
 * value must not keep a whole list from clients.
 */
export function compileRepresent(
  members: readonly Member[],
): (row: unknown, request: ApiRequest) => Record<string, unknown> {
  const parts = members.map((member) => ({
    member,
    name: member.name,
    get: getterOf(member.path),
    show: showerOf(member.field),
  }))
  return (row, request) => {
    const object: Record<string, unknown> = {}
    for (const { member, name, get, show } of parts) {
      const value = get(row)
      try {
        const present = value === undefined ? lacking(member) : value
        object[name] = present === null ? null : (show(present, request) ?? null)
      } catch (error) {
        object[name] = null
        logLeftOut(error, member, value, request)
      }
    }
    return object
  }
}

/** What stands for a member that the row does not have: the default, or `null`, which the log tells of. */
function lacking({ path, field: { options } }: Member): unknown {
  const standIn = options.default
  if (standIn !== undefined) return typeof standIn === 'function' ? (standIn() as unknown) : standIn
  if (options.nullable || path.length !== 1) return null
  throw new Unshowable(`The row has no member "${path[0]}".`)
}

/** `null` and `undefined` on the way to the value are the value. */
function getterOf(path: readonly string[]): (row: unknown) => unknown {
  type Holder = Readonly<Record<string, unknown>> | null | undefined
  const [only] = path
  if (path.length === 1) return (row) => (row as NonNullable<Holder>)[only!]
  return (row) => path.reduce<unknown>((part, name) => (part as Holder)?.[name], row)
}

export type Show = (value: unknown, request: ApiRequest) => unknown

export function showerOf(field: AnyField): Show {
  return (field.show as Show | null) ?? asItIs
}

/** A row holds a value that its field has no form for. */
export class Unshowable extends Error {
  override readonly name = 'Unshowable'
}

/** @throws Unshowable JSON has no form for the value */
export function asItIs(value: unknown): unknown {
  if (typeof value === 'number' ? Number.isFinite(value) : !isFormless(value)) return value
  throw new Unshowable('JSON has no form for this value.')
}

function isFormless(value: unknown): boolean {
  if (typeof value !== 'object') return false
  return value instanceof Date ? Number.isNaN(value.getTime()) : ArrayBuffer.isView(value)
}

/** What the program's own code throws, and what is wrong for every row, is thrown on. */
function logLeftOut(
  error: unknown,
  { name, field }: Member,
  value: unknown,
  request: ApiRequest,
): void {
  const isOfProgram =
    field.runsProgram === true ||
    error instanceof ApiError ||
    error instanceof ConfigurationError ||
    error instanceof NoReverseMatch
  if (isOfProgram && !(error instanceof Unshowable)) throw error
  request.logSeldom?.(`unshowable ${request.endpointName} ${name}`, {
    event: 'value.unshowable',
    id: request.id,
    endpoint: request.endpointName,
    field: name,
    value: shortly(value),
    error: error instanceof Error ? error.message : String(error),
  })
}

const LONGEST = 60

/** As the log shows a value to those who look for its row. */
export function shortly(value: unknown): string {
  const cut = (text: string): string =>
    text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
  if (typeof value === 'string') return JSON.stringify(cut(value))
  if (typeof value === 'number' || typeof value === 'bigint') return cut(`${value}`)
  return `a value of the type ${Object.prototype.toString.call(value).slice(8, -1)}`
}
