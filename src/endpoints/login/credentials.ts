import type { ApiRequest } from '../../contract/request.ts'
import { ValidationError } from '../../errors/api-errors.ts'
import { ErrorDetail } from '../../errors/detail.ts'
import { Form } from '../../std/http/form.ts'
import { readText } from './text-field.ts'

/** A user name and a password, as somebody sent them. */
export interface Credentials {
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
  // K26: a password of spaces is a password.
  const password = readText(data['password'], { trim: false })
  if (typeof username === 'string' && typeof password === 'string') return { username, password }
  throw new ValidationError({
    ...(typeof username === 'string' ? {} : { username: [username] }),
    ...(typeof password === 'string' ? {} : { password: [password] }),
  })
}

/** I5: one answer, whatever was wrong. */
export function refusedCredentials({ settings }: ApiRequest): ValidationError {
  const error = ErrorDetail.of('authorization')
  return new ValidationError({ [settings.nonFieldErrorsKey]: [error] })
}

/** E23: something other than an object belongs to no field. */
function membersOf(body: unknown, { settings }: ApiRequest): Readonly<Record<string, unknown>> {
  if (body instanceof Form) return body.toObject()
  if (typeof body === 'object' && body !== null && !Array.isArray(body))
    return body as Record<string, unknown>
  const error = body === null ? ErrorDetail.of('null.data') : ErrorDetail.of('invalid.body')
  throw new ValidationError({ [settings.nonFieldErrorsKey]: [error] })
}
