import type { Condition } from '../contract/list-source.ts'
import { Message } from '../messages/message.ts'
import { ValidationError } from './api-errors.ts'
import { ConfigurationError } from './configuration-error.ts'

/**
 * The error for a condition whose value is none of its field's type, or no regular expression: 400
 * under the name of the query parameter that it came with, else a mistake in the program.
 */
export function unfitValue({ field, operator, parameter }: Condition): Error {
  if (parameter !== undefined) {
    return new ValidationError({ [parameter]: [Message.of('invalid.unfit')] })
  }
  return new ConfigurationError(
    `A condition compares "${field}" (${operator}) with a value that is none of its type.`,
  )
}
