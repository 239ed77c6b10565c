import type { PasswordVerifier, Token, TokenIssuer, User } from '../contract/credentials.ts'
import type { Behaviour } from '../contract/kernel.ts'
import type { ApiRequest } from '../contract/request.ts'
import { ValidationError } from '../errors/client-errors.ts'
import { ErrorDetail } from '../errors/detail.ts'
import { reply } from '../replies/reply.ts'
import { Form } from '../std/form.ts'
import { readText } from './text-field.ts'

/** What a client gets a token from. */
export interface ObtainTokenOptions {
  readonly accounts: { readonly users: PasswordVerifier; readonly tokens: TokenIssuer }
  /** Body of the answer. @default `{ token: key }` */
  readonly respond?: (issued: { readonly token: Token; readonly user: User }) => object
}

/**
 * POST of user name and password, answered with the user's token: always 200, the same one on every
 * call (K20–K29). Reads JSON and forms, writes JSON, asks for no permission and counts against no
 * throttle, whatever the layers around it say; the endpoint's own policy may.
 *
 * @example
 * api.endpoint('token').post(obtainToken({ accounts }))
 */
export function obtainToken({
  accounts,
  respond = onlyToken,
}: ObtainTokenOptions): Behaviour<ApiRequest> {
  return {
    policy: {
      DEFAULT_RENDERER_CLASSES: ['JSONRenderer'],
      DEFAULT_PARSER_CLASSES: ['FormParser', 'MultiPartParser', 'JSONParser'],
      DEFAULT_PERMISSION_CLASSES: [],
      DEFAULT_THROTTLE_CLASSES: [],
    },
    fields: FIELDS,
    async handle(request) {
      const { username, password } = credentialsFrom(await request.body(), request)
      const user = await accounts.users.authenticate(username, password)
      if (user === null) throw refusal(request)
      const token = await accounts.tokens.obtain(user)
      return reply(respond({ token, user }), { headers: { 'Cache-Control': 'no-store' } })
    },
  }
}

const onlyToken = ({ token }: { readonly token: Token }): object => ({ token: token.key })

const FIELDS = {
  username: { type: 'string', required: true, read_only: false, label: 'Username' },
  password: { type: 'string', required: true, read_only: false, label: 'Password' },
  token: { type: 'string', required: false, read_only: true, label: 'Token' },
}

function credentialsFrom(
  body: unknown,
  request: ApiRequest,
): { username: string; password: string } {
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

/** E23: something other than an object belongs to no field. */
function membersOf(body: unknown, { settings }: ApiRequest): Readonly<Record<string, unknown>> {
  if (body instanceof Form) return body.toObject()
  if (typeof body === 'object' && body !== null && !Array.isArray(body))
    return body as Record<string, unknown>
  const error =
    body === null
      ? new ErrorDetail('There is no data.', 'null')
      : new ErrorDetail('An object with members is expected here.', 'invalid')
  throw new ValidationError({ [settings.nonFieldErrorsKey]: [error] })
}

/** I5: one answer, whatever was wrong. */
function refusal({ settings }: ApiRequest): ValidationError {
  const error = new ErrorDetail('These credentials do not fit any account.', 'authorization')
  return new ValidationError({ [settings.nonFieldErrorsKey]: [error] })
}
