import { ValidationError } from '../errors/api-errors.ts'
import { type DetailInput, ErrorDetail } from '../errors/detail.ts'

/** Characters of one value or search, by default. */
export const LONGEST_TEXT = 1000

/** A regular expression can cost the database far more than its length, so it is shorter. */
export const LONGEST_PATTERN = 200

/** Called before the text is split, matched or sent. @throws ValidationError (400) under the parameter's name */
export function refuseLongText(text: string, longest: number, parameter: string): void {
  if (text.length <= longest) return
  throw new ValidationError({ [parameter]: [ErrorDetail.of('max_length', { count: longest })] })
}

/** No database text can hold one, and some answer with an error of their own (F6). */
export function refuseNullCharacters(
  text: string,
  toDetail: (detail: ErrorDetail) => DetailInput,
): void {
  if (!text.includes('\0')) return
  throw new ValidationError(toDetail(ErrorDetail.of('null_characters_not_allowed')))
}
