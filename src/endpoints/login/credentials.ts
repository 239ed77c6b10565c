import type { ApiRequest } from '../../contract/request.ts'
import { ValidationError } from '../../errors/api-errors.ts'
import { ErrorDetail } from '../../errors/detail.ts'
import { isPlain } from '../../settings/options.ts'
import { Form } from '../../std/http/form.ts'
import type { JSONSchema } from '../../types/documents.ts'

/** The input fields of an endpoint that takes credentials. */
export const CREDENTIAL_FIELDS = {
  username: { type: 'string', required: true, read_only: false, label: 'Username' },
  password: { type: 'string', required: true, read_only: false, label: 'Password' },
} as const

/** @throws ValidationError (400) it names every field that is wrong */
export async function credentialsIn(
  request: ApiRequest,
): Promise<{ readonly username: string; readonly password: string }> {
  const body = await request.body()
  if (!isPlain(body))
    throw invalid(request, ErrorDetail.of(body === null ? 'null.data' : 'invalid.body'))
  const data: Readonly<Record<string, unknown>> = body instanceof Form ? body.toObject() : body
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
export function refusedCredentials(request: ApiRequest): ValidationError {
  return invalid(request, ErrorDetail.of('authorization'))
}

/** The error belongs to no field (E23). */
function invalid({ settings }: ApiRequest, error: ErrorDetail): ValidationError {
  return new ValidationError({ [settings.nonFieldErrorsKey]: [error] })
}

/** Strings, and numbers as text (E28, E29), but halves of surrogate pairs are only wrong credentials. */
function readText(value: unknown, { trim }: { readonly trim: boolean }): string | ErrorDetail {
  if (value === undefined) return ErrorDetail.of('required')
  if (value === null) return ErrorDetail.of('null')
  if (typeof value !== 'string' && typeof value !== 'number') return ErrorDetail.of('invalid.text')
  const text = trim ? String(value).trim() : String(value)
  if (text.includes('\0')) return ErrorDetail.of('null_characters_not_allowed')
  return text === '' ? ErrorDetail.of('blank') : text
}

/** The same as a schema. */
export const CREDENTIAL_SCHEMA: JSONSchema = {
  type: 'object',
  properties: {
    username: { type: 'string', minLength: 1 },
    password: { type: 'string', format: 'password', minLength: 1, writeOnly: true },
  },
  required: ['username', 'password'],
}
