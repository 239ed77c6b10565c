import { ErrorDetail } from '../../errors/detail.ts'

/** Rules of one text of a request (E28, E29). */
export interface TextField {
  /** Leave out white space around the text. */
  readonly trim: boolean
}

/** Reads a text: strings, and numbers as text. What is wrong comes back as one error, with its code. */
export function readText(value: unknown, { trim }: TextField): string | ErrorDetail {
  if (value === undefined) return ErrorDetail.of('required')
  if (value === null) return ErrorDetail.of('null')
  if (typeof value !== 'string' && typeof value !== 'number') {
    return ErrorDetail.of('invalid.text')
  }
  return checkText(trim ? String(value).trim() : String(value))
}

function checkText(text: string): string | ErrorDetail {
  if (text.includes('\0')) {
    return ErrorDetail.of('null_characters_not_allowed')
  }
  return text === '' ? ErrorDetail.of('blank') : text
}
