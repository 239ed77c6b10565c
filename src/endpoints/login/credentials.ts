import type { ApiRequest } from '../../contract/request.ts'
import { ValidationError } from '../../errors/api-errors.ts'
import { ErrorDetail } from '../../errors/detail.ts'
import { Form } from '../../std/http/form.ts'

/** A user name and a password, as a client sent them. */
interface Credentials {
  readonly username: string
  readonly password: string
}

/** The input fields of an endpoint that takes credentials. */
export const CREDENTIAL_FIELDS = {
  username: { type: 'string', required: true, read_only: false, label: 'Username' },
  password: { type: 'string', required: true, read_only: false, label: 'Password' },
} as const

/** @throws ValidationError (400) it names every field that is wrong */
export function credentialsFrom(body: unknown, request: ApiRequest): Credentials {
  const data = membersOf(body, request)
  const username = readText(data['username'], { trim: true })
  // A password of spaces is a password (K26).
  const password = readText(data['password'], { trim: false })
  if (typeof username === 'string' && typeof password === 'string') return { username, password }
  const wrong = Object.entries({ username, password }).filter(
    ([, read]) => typeof read !== 'string',
  )
  throw new ValidationError(Object.fromEntries(wrong.map(([name, error]) => [name, [error]])))
}

/** One answer, whatever was wrong (I5). */
export function refusedCredentials({ settings }: ApiRequest): ValidationError {
  const error = ErrorDetail.of('authorization')
  return new ValidationError({ [settings.nonFieldErrorsKey]: [error] })
}

/** An error about something other than an object belongs to no field (E23). */
function membersOf(body: unknown, { settings }: ApiRequest): Readonly<Record<string, unknown>> {
  if (body instanceof Form) return body.toObject()
  if (typeof body === 'object' && body !== null && !Array.isArray(body))
    return body as Record<string, unknown>
  const error = body === null ? ErrorDetail.of('null.data') : ErrorDetail.of('invalid.body')
  throw new ValidationError({ [settings.nonFieldErrorsKey]: [error] })
}

/** Reads a text: strings, and numbers as text (E28, E29). What is wrong comes back as one error. */
function readText(value: unknown, { trim }: { readonly trim: boolean }): string | ErrorDetail {
  if (value === undefined) return ErrorDetail.of('required')
  if (value === null) return ErrorDetail.of('null')
  if (typeof value !== 'string' && typeof value !== 'number') return ErrorDetail.of('invalid.text')
  const text = trim ? String(value).trim() : String(value)
  if (text.includes('\0')) return ErrorDetail.of('null_characters_not_allowed')
  return text === '' ? ErrorDetail.of('blank') : text
}
