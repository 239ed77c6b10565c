// How rows are shown. A value that its field has no form for is shown as `null` and logged, because one such
// value must not keep a whole list from clients.
import type { ApiRequest } from '../contract/request.ts'
import { ApiError } from '../errors/api-errors.ts'
import { ConfigurationError, NoReverseMatch } from '../errors/configuration-error.ts'
import type { AnyField } from './declaration.ts'
import { type Member, getterOf } from './member.ts'

export type Represent = (row: unknown, request: ApiRequest) => Record<string, unknown>

/** Shows the members in their order; a value that is missing, or that has no form, is shown as `null`. */
export function compileRepresent(members: readonly Member[]): Represent {
  const parts = members.map(toPart)
  return (row, request) => {
    try {
      const object: Record<string, unknown> = {}
      for (const { name, key, get, show } of parts) {
        const value = key === null ? get(row) : (row as Record<string, unknown>)[key]
        object[name] = value === null || value === undefined ? null : (show(value, request) ?? null)
      }
      return object
    } catch {
      return representEach(parts, row, request)
    }
  }
}

/** A member as showing it needs it. */
interface Part {
  readonly name: string
  readonly field: AnyField
  /** Its name in the row. `null`: it has a longer path, and `get` finds it. */
  readonly key: string | null
  readonly get: (row: unknown) => unknown
  readonly show: Show
}

export type Show = (value: unknown, request: ApiRequest) => unknown

function toPart({ name, path, field }: Member): Part {
  const key = path.length === 1 ? path[0]! : null
  return { name, field, key, get: getterOf(path), show: showerOf(field) }
}

/** Shows a value that is there, as its field does. */
export function showerOf(field: AnyField): Show {
  return (field.show as Show | null) ?? asItIs
}

/** The same once more for a row that holds something without a form: each member by itself. */
function representEach(
  parts: readonly Part[],
  row: unknown,
  request: ApiRequest,
): Record<string, unknown> {
  const object: Record<string, unknown> = {}
  for (const part of parts) {
    const { name, get, show } = part
    object[name] = null
    const value = get(row)
    if (value === null || value === undefined) continue
    try {
      object[name] = show(value, request) ?? null
    } catch (error) {
      logLeftOut(error, part, value, request)
    }
  }
  return object
}

/** A row holds a value that its field has no form for. */
export class Unshowable extends Error {
  override readonly name = 'Unshowable'
}

/** A value that is shown as it is, if JSON has a form for it. @throws Unshowable */
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
  { name, field }: Part,
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

/** A value, as the log shows it to those who look for its row. */
export function shortly(value: unknown): string {
  const cut = (text: string): string =>
    text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
  if (typeof value === 'string') return JSON.stringify(cut(value))
  if (typeof value === 'number' || typeof value === 'bigint') return cut(`${value}`)
  return `a value of the type ${Object.prototype.toString.call(value).slice(8, -1)}`
}
