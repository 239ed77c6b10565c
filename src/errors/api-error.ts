import { type Detail, type DetailInput, codesOf, fullDetailsOf, toDetail } from './detail.ts'

/**
 * An error that is an answer: it has a status, a code for programs and a sentence for people (E1).
 * Throw one from anywhere in an endpoint, or extend it.
 *
 * @example
 * class Teapot extends ApiError {
 *   static override readonly status = 418
 *   static override readonly code = 'teapot'
 *   static override readonly detail = 'This one only makes tea.'
 * }
 */
export class ApiError extends Error {
  static readonly status: number = 500
  static readonly code: string = 'error'
  static readonly detail: string = 'Something went wrong on our side.'

  readonly status: number
  readonly code: string
  readonly detail: Detail
  /** Headers that go out with the answer. */
  readonly headers: Readonly<Record<string, string>>

  constructor(
    detail?: DetailInput | null,
    code?: string | null,
    headers: Readonly<Record<string, string>> = {},
  ) {
    const kind = new.target
    const detailOfKind = detail ?? kind.detail
    super(typeof detailOfKind === 'string' ? detailOfKind : kind.detail)
    this.name = kind.name
    this.status = kind.status
    this.code = code ?? kind.code
    this.detail = toDetail(detailOfKind, this.code)
    this.headers = headers
  }

  /** Codes instead of messages, in the shape of the detail. */
  get codes(): unknown {
    return codesOf(this.detail)
  }

  /** Messages with their codes, in the shape of the detail. */
  get fullDetails(): unknown {
    return fullDetailsOf(this.detail)
  }

  /** The same error, answered with another status and more headers. */
  answeredWith(status: number, headers: Readonly<Record<string, string>> = {}): this {
    const changed = { status, headers: { ...this.headers, ...headers } }
    return Object.assign(Object.create(Object.getPrototypeOf(this)), this, changed)
  }
}
