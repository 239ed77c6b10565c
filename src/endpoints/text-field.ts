import { ErrorDetail } from '../errors/detail.ts'

/** Rules of one text of a request (E28, E29). */
export interface TextField {
  /** Leave out white space around the text. */
  readonly trim: boolean
}

/** Reads a text: strings, and numbers as text. What is wrong comes back as one error, with its code. */
export function readText(value: unknown, { trim }: TextField): string | ErrorDetail {
  if (value === undefined) return new ErrorDetail('This field is needed.', 'required')
  if (value === null) return new ErrorDetail('This field cannot be null.', 'null')
  if (typeof value !== 'string' && typeof value !== 'number') {
    return new ErrorDetail('This is not a text.', 'invalid')
  }
  return checkText(trim ? String(value).trim() : String(value))
}

function checkText(text: string): string | ErrorDetail {
  if (text.includes('\0')) {
    return new ErrorDetail('Null characters are not allowed.', 'null_characters_not_allowed')
  }
  return text === '' ? new ErrorDetail('This field cannot be empty.', 'blank') : text
}
