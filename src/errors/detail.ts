/** One message of an error, with the code that programs read. Shows as its message. */
export class ErrorDetail {
  readonly message: string
  readonly code: string

  constructor(message: string, code: string) {
    this.message = message
    this.code = code
  }

  toString(): string {
    return this.message
  }

  toJSON(): string {
    return this.message
  }
}

/** What an error says: one message, or lists and objects of them (E2, E20). */
export type Detail = ErrorDetail | readonly Detail[] | { readonly [key: string]: Detail }

/** What a detail may be made from: plain texts take the error's code. */
export type DetailInput =
  | string
  | ErrorDetail
  | readonly DetailInput[]
  | { readonly [key: string]: DetailInput }

/** Gives every text of `input` the code `code`, unless it brings its own. */
export function toDetail(input: DetailInput, code: string): Detail {
  if (typeof input === 'string') return new ErrorDetail(input, code)
  if (input instanceof ErrorDetail) return input
  return mapNested(input, (part) => toDetail(part as DetailInput, code)) as Detail
}

/** The messages alone, in the shape of the detail: what clients are shown. */
export function messagesOf(detail: Detail): unknown {
  return detail instanceof ErrorDetail
    ? detail.message
    : mapNested(detail, (part) => messagesOf(part as Detail))
}

/** The codes alone, in the shape of the detail (E3). */
export function codesOf(detail: Detail): unknown {
  return detail instanceof ErrorDetail
    ? detail.code
    : mapNested(detail, (part) => codesOf(part as Detail))
}

/** Message and code of every text, in the shape of the detail (E3). */
export function fullDetailsOf(detail: Detail): unknown {
  return detail instanceof ErrorDetail
    ? { message: detail.message, code: detail.code }
    : mapNested(detail, (part) => fullDetailsOf(part as Detail))
}

function mapNested(value: object, change: (part: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map(change)
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, change(part)]))
}
