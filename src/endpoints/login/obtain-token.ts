import type { PasswordVerifier, Token, TokenIssuer, User } from '../../contract/credentials.ts'
import type { Behaviour } from '../../contract/kernel.ts'
import type { ApiRequest } from '../../contract/request.ts'
import { AuthenticationFailed } from '../../errors/api-errors.ts'
import { uncached } from '../../replies/reply.ts'
import {
  CREDENTIAL_FIELDS,
  CREDENTIAL_SCHEMA,
  credentialsIn,
  refusedCredentials,
} from './credentials.ts'

/** What a client gets a token from. */
export interface ObtainTokenOptions {
  readonly accounts: { readonly users: PasswordVerifier; readonly tokens: TokenIssuer }
  /** Body of the answer. @default `{ token: key }` */
  readonly respond?: (issued: { readonly token: Token; readonly user: User }) => object
}

/**
 * POST of user name and password, answered with the user's token: always 200, the same one on every
 * call (K20–K29). Wrong credentials are 400. Reads JSON and forms, writes JSON, asks for no permission and counts against no
 * throttle, whatever the layers around it say; the endpoint's own policy may.
 *
 * @example
 * api.endpoint('token').post(obtainToken({ accounts }))
 */
export function obtainToken({
  accounts: { users, tokens },
  respond,
}: ObtainTokenOptions): Behaviour<ApiRequest> {
  return {
    policy: {
      DEFAULT_RENDERER_CLASSES: ['JSONRenderer'],
      DEFAULT_PARSER_CLASSES: ['FormParser', 'MultiPartParser', 'JSONParser'],
      DEFAULT_PERMISSION_CLASSES: [],
      DEFAULT_THROTTLE_CLASSES: [],
    },
    takesPasswords: true,
    operation: () => ({
      summary: 'Obtain a token',
      body: CREDENTIAL_SCHEMA,
      answers: [{ status: 200, schema: respond === undefined ? ISSUED : {} }],
      errors: [{ status: 400, codes: ['invalid'] }],
    }),
    fields: FIELDS,
    async handle(request) {
      const { username, password } = await credentialsIn(request)
      const user = await users.authenticate(username, password, request)
      if (user === null) {
        await request.guesses?.wrong()
        throw refusedCredentials(request)
      }
      let token: Token
      try {
        token = await tokens.obtain(user)
      } catch (error) {
        // The password has been changed since it was checked.
        throw error instanceof AuthenticationFailed ? refusedCredentials(request) : error
      }
      return uncached(respond?.({ token, user }) ?? { token: token.key })
    },
  }
}

const FIELDS = {
  ...CREDENTIAL_FIELDS,
  token: { type: 'string', required: false, read_only: true, label: 'Token' },
}

const ISSUED = {
  type: 'object',
  properties: { token: { type: 'string' } },
  required: ['token'],
}
