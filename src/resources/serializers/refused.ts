import { type Detail, ErrorDetail } from '../../core/errors/detail.ts'
import type { MessageKey } from '../../core/messages/english.ts'
import type { ValuesFor } from '../../core/messages/message.ts'
import { ValidationError } from '../../core/errors/api-errors.ts'

/**
 * A field's refusal in place of a value, with the reason. It is a value and no exception, because a body may hold many
 * thousands of wrong ones.
 */
export class Refused {
  readonly detail: Detail

  constructor(detail: Detail) {
    this.detail = detail
  }
}

/** A sentence of the catalogue with its code (E28), as the field's list of messages. */
export function refused<Key extends MessageKey>(key: Key, ...values: ValuesFor<Key>): Refused {
  return new Refused([ErrorDetail.of(key, ...values)])
}

export function refusalOf(error: unknown): Refused {
  if (error instanceof ValidationError) return new Refused(error.detail)
  throw error
}

export const AT_ONCE =
  'Values are shown at once: find what it needs before the row is shown, in the store or in the source of the list.'

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

const LONGEST = 60

/** A value in the log, short enough to find its row by. */
export function abridged(value: unknown): string {
  const cut = (text: string): string =>
    text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
  if (typeof value === 'string') return JSON.stringify(cut(value))
  if (typeof value === 'number' || typeof value === 'bigint') return cut(`${value}`)
  return `a value of the type ${Object.prototype.toString.call(value).slice(8, -1)}`
}
