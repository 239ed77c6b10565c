import { type Detail, ErrorDetail } from '../errors/detail.ts'
import type { MessageKey } from '../messages/english.ts'
import type { ValuesFor } from '../messages/message.ts'
import { ValidationError } from '../errors/api-errors.ts'

/**
 * What a field gives instead of a value: why it does not take the one that was sent. A value and no
 * exception, because a body may hold many thousands of wrong ones.
 */
export class Refused {
  readonly detail: Detail

  constructor(detail: Detail) {
    this.detail = detail
  }
}

/** One sentence of the catalogue with its code (E28), as the field's list of messages. */
export function refused<Key extends MessageKey>(key: Key, ...values: ValuesFor<Key>): Refused {
  return new Refused([ErrorDetail.of(key, ...values)])
}

export function refusalOf(error: unknown): Refused {
  if (error instanceof ValidationError) return new Refused(error.detail)
  throw error
}
