import { ValidationError } from '../errors/api-errors.ts'
import type { DetailInput } from '../errors/detail.ts'
import { ErrorDetail } from '../errors/detail.ts'

/** No database text can hold one, and some say so with an error of their own (F6). */
export function refuseNullCharacters(
  text: string,
  say: (detail: ErrorDetail) => DetailInput,
): void {
  if (!text.includes('\0')) return
  const code = 'null_characters_not_allowed'
  throw new ValidationError(say(new ErrorDetail('Null characters are not allowed.', code)))
}
