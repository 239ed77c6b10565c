import { ValidationError } from '../errors/api-errors.ts'
import { ErrorDetail } from '../errors/detail.ts'

/** Characters of one value or search, where nothing else is said. */
export const LONGEST_TEXT = 1000

/** A regular expression can cost the database far more than its length, so it is shorter. */
export const LONGEST_PATTERN = 200

/** Before anybody splits, matches or sends it. @throws ValidationError (400) under the parameter's name */
export function refuseLongText(text: string, longest: number, parameter: string): void {
  if (text.length <= longest) return
  const message = `At most ${longest} characters, please.`
  throw new ValidationError({ [parameter]: [new ErrorDetail(message, 'max_length')] })
}
