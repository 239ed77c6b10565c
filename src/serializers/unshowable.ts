import type { ApiRequest } from '../contract/request.ts'
import { ApiError } from '../errors/api-errors.ts'
import { ConfigurationError, NoReverseMatch } from '../errors/configuration-error.ts'
import type { AnyField } from './declaration.ts'

/** A row holds a value that its field has no form for. It is shown as `null`, and the log is told. */
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

/** A member of a row that could not be shown. */
export interface Failure {
  readonly name: string
  readonly field: AnyField
  readonly value: unknown
}

/**
 * One row that others wrote must not take a list from everybody: what goes wrong with a value is told,
 * and left out. What the program's own code throws, and what is wrong for every row, is thrown on.
 */
export function leftOut(
  error: unknown,
  { name, field, value }: Failure,
  request: ApiRequest,
): void {
  if (!(error instanceof Unshowable) && (field.runsProgram === true || isNoValues(error)))
    throw error
  request.logSeldom?.(`unshowable ${request.endpointName} ${name}`, {
    event: 'value.unshowable',
    id: request.id,
    endpoint: request.endpointName,
    field: name,
    value: shortly(value),
    error: error instanceof Error ? error.message : String(error),
  })
}

function isNoValues(error: unknown): boolean {
  return (
    error instanceof ApiError ||
    error instanceof ConfigurationError ||
    error instanceof NoReverseMatch
  )
}

const SHOWN = 60

/** A value for people who look for its row. */
export function shortly(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(cut(value))
  if (typeof value === 'number' || typeof value === 'bigint') return cut(`${value}`)
  return `a value of the type ${Object.prototype.toString.call(value).slice(8, -1)}`
}

function cut(text: string): string {
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text
}
