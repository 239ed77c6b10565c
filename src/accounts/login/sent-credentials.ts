// Credentials in the body of a request: how they are read, refused and described.
import { SecondFactorRequired, ValidationError } from '../../core/errors/api-errors.ts'
import { ErrorDetail } from '../../core/errors/detail.ts'
import type { User } from '../../core/ports/credentials.ts'
import type { ApiRequest } from '../../core/ports/request.ts'
import type { LoginFactors } from '../../core/ports/sessions.ts'
import { isPlain } from '../../core/settings/options.ts'
import { Form } from '../../core/std/http/form.ts'
import type { JSONSchema } from '../../core/types/documents.ts'

/** The input fields of an endpoint that takes credentials. */
export const CREDENTIAL_FIELDS = {
  username: { type: 'string', required: true, read_only: false, label: 'Username' },
  password: { type: 'string', required: true, read_only: false, label: 'Password' },
} as const

/** @throws ValidationError (400) it names every field that is wrong */
export async function credentialsIn<Name extends string>(
  request: ApiRequest,
  names: readonly Name[],
): Promise<Readonly<Record<Name, string>>> {
  const data = await membersIn(request)
  // Names are trimmed; a password of spaces is a password (K26).
  const read = names.map(
    (name) => [name, readText(data[name], { trim: name !== 'password' })] as const,
  )
  const wrong = read.filter(([, text]) => typeof text !== 'string')
  if (wrong.length === 0) return Object.fromEntries(read) as Record<Name, string>
  throw new ValidationError(Object.fromEntries(wrong.map(([name, error]) => [name, [error]])))
}

/** @throws ValidationError (400) the body is no object */
export async function membersIn(request: ApiRequest): Promise<Readonly<Record<string, unknown>>> {
  const body = await request.body()
  if (!isPlain(body))
    throw invalid(request, ErrorDetail.of(body === null ? 'null.data' : 'invalid.body'))
  return body instanceof Form ? body.toObject() : body
}

/** The same error for all wrong credentials (I5). */
export function refusedCredentials(request: ApiRequest): ValidationError {
  return invalid(request, ErrorDetail.of('authorization'))
}

/** @throws SecondFactorRequired (403) there is none; ValidationError (400) it is wrong */
export async function checkCode(
  request: ApiRequest,
  user: User,
  factors: LoginFactors,
): Promise<void> {
  const { code = '' } = await membersIn(request)
  if (code === '') {
    // Only its notices and errors count here: no log-in waits for a code.
    await factors.ask(request, user, true)
    throw new SecondFactorRequired()
  }
  const sent = await credentialsIn(request, ['code'])
  if (!(await factors.isRight(request, user, sent.code))) throw wrongCode()
}

/** The code of a second factor is not the right one. */
export function wrongCode(): ValidationError {
  return new ValidationError({ code: [ErrorDetail.of('invalid.code')] })
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

/** An object with all of these members. */
export function having(properties: Readonly<Record<string, JSONSchema>>): JSONSchema {
  return { type: 'object', properties, required: Object.keys(properties) }
}

export const FILLED: JSONSchema = { type: 'string', minLength: 1 }
export const PASSWORD_SCHEMA: JSONSchema = { ...FILLED, format: 'password', writeOnly: true }
export const CREDENTIAL_SCHEMA: JSONSchema = having({
  username: FILLED,
  password: PASSWORD_SCHEMA,
})
