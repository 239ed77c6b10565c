import type { Condition } from '../ports/list-source.ts'
import { Message } from '../messages/message.ts'
import { ValidationError } from './api-errors.ts'

/** The service refuses to start. The message names the endpoint, the key or the layer, and the fix. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError'
}

/** No address fits what `reverse` was asked for. A mistake in the program, never of a client. */
export class NoReverseMatch extends Error {
  override readonly name = 'NoReverseMatch'
  /** Does an address take parameters of these names, but not these values? */
  readonly isOfValue: boolean

  constructor(message: string, isOfValue = false) {
    super(message)
    this.isOfValue = isOfValue
  }
}

/**
 * The error for a condition whose value is no value of its field's type, or no regular expression. It is a 400 under the
 * query parameter that brought the value, else a mistake in the program.
 */
export function unfitValue({ field, operator, parameter }: Condition): Error {
  if (parameter !== undefined) {
    return new ValidationError({ [parameter]: [Message.of('invalid.unfit')] })
  }
  return new ConfigurationError(
    `A condition compares "${field}" (${operator}) with a value that is none of its type.`,
  )
}
