/** Codes of the service's own errors; an application adds others. */
export type ErrorCode =
  | 'authentication_failed'
  | 'conflict'
  | 'invalid'
  | 'max_offset'
  | 'method_not_allowed'
  | 'not_acceptable'
  | 'not_authenticated'
  | 'not_found'
  | 'outside_scope'
  | 'parse_error'
  | 'payload_too_large'
  | 'permission_denied'
  | 'service_unavailable'
  | 'throttled'
  | 'unsupported_media_type'
  // Keeps the texts above as suggestions.
  | (string & {})

/** An error of a field; without problem documents it has no code. */
export interface FieldError {
  readonly message: string
  readonly code: ErrorCode | null
}

/** The facts of an answer beside its body. */
export interface FailedAnswer {
  readonly status: number
  readonly headers: Headers
}

/**
 * An answer that is an error, in either shape of the service: a problem document (RFC 9457), which the client asks
 * for, or the plain one.
 *
 * @example
 * try {
 *   await client.post('city-list', { body: { name: '' } })
 * } catch (error) {
 *   if (error instanceof ApiError && error.status === 400) show(error.fields['name']?.[0]?.message)
 *   else throw error
 * }
 */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  /** The error for programs; `null`: the answer is not one of the service, or is plain. */
  readonly code: ErrorCode | null
  /** One sentence for people. */
  readonly detail: string
  /** Errors of the body's fields, by name: `tags.0.title`. Errors of no field have the key that the service gives them. */
  readonly fields: Readonly<Record<string, readonly FieldError[]>>
  /** Seconds after which it is worth asking again; `null`: not known. */
  readonly retryAfter: number | null
  /** `X-Request-Id`, by which the log of the service can be searched. */
  readonly requestId: string | null
  /** The body: a value of JSON, or a text. */
  readonly data: unknown
  readonly headers: Headers
  /** `GET city-list`. */
  readonly operation: string

  constructor(
    operation: string,
    { status, headers }: FailedAnswer,
    data: unknown,
    retryAfter: number | null,
  ) {
    const isProblem = headers.get('content-type')?.startsWith('application/problem+json') ?? false
    const body = isObject(data) ? data : {}
    const fields = fieldsIn(isProblem ? (body['errors'] ?? {}) : data, isProblem)
    const detail =
      textAt(body, 'detail') ?? Object.values(fields)[0]?.[0]?.message ?? `Status ${status}.`
    super(`${operation} ${status}: ${detail}`)
    this.operation = operation
    this.status = status
    this.code = textAt(body, 'code')
    this.detail = detail
    this.fields = fields
    this.retryAfter = retryAfter
    this.requestId = headers.get('x-request-id')
    this.data = data
    this.headers = headers
  }
}

/** No whole answer came: the connection failed or broke off, or the time was over. `cause` says more. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError'
  /** `GET city-list`. */
  readonly operation: string

  constructor(operation: string, cause: unknown) {
    super(`${operation}: no whole answer came.`, { cause })
    this.operation = operation
  }
}

type Fields = Record<string, FieldError[]>

/** No form goes so deep. */
const DEEPEST = 100

/** Lists of messages, by the path to them. A text under `detail` is of no field. */
function fieldsIn(value: unknown, isProblem: boolean): Fields {
  const found: Fields = Object.create(null) as Fields
  const walk = (each: unknown, path: string, depth: number): void => {
    if (depth > DEEPEST) return
    const leaf = messageOf(each, isProblem)
    if (leaf !== null) (found[path] ??= []).push(leaf)
    else if (Array.isArray(each))
      each.forEach((one: unknown, i) =>
        walk(one, messageOf(one, isProblem) ? path : under(path, String(i)), depth + 1),
      )
    else if (isObject(each))
      for (const key of Object.keys(each)) walk(each[key], under(path, key), depth + 1)
  }
  const isOneText = isObject(value) && typeof value['detail'] === 'string'
  if (!isOneText && typeof value !== 'string') walk(value, '', 0)
  return found
}

function messageOf(value: unknown, isProblem: boolean): FieldError | null {
  if (typeof value === 'string') return { message: value, code: null }
  if (!isProblem || !isObject(value)) return null
  const message = textAt(value, 'message')
  return message === null ? null : { message, code: textAt(value, 'code') }
}

function under(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`
}

function textAt(value: Readonly<Record<string, unknown>>, key: string): string | null {
  const text = value[key]
  return typeof text === 'string' ? text : null
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
