import type { PasswordVerifier, Token, TokenIssuer, User } from '../../contract/credentials.ts'
import type { Behaviour } from '../../contract/kernel.ts'
import type { ApiRequest } from '../../contract/request.ts'
import { AuthenticationFailed } from '../../errors/api-errors.ts'
import { reply } from '../../replies/reply.ts'
import { CREDENTIAL_FIELDS, credentialsFrom, refusedCredentials } from './credentials.ts'

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
      const user = await accounts.users.authenticate(username, password, request)
      const token = user === null ? null : await obtained(accounts.tokens, user)
      if (user === null || token === null) throw refusedCredentials(request)
      return reply(respond({ token, user }), { headers: { 'Cache-Control': 'no-store' } })
    },
  }
}

/** `null`: the password has been changed since it was checked. */
async function obtained(tokens: TokenIssuer, user: User): Promise<Token | null> {
  try {
    return await tokens.obtain(user)
  } catch (error) {
    if (error instanceof AuthenticationFailed) return null
    throw error
  }
}

const onlyToken = ({ token }: { readonly token: Token }): object => ({ token: token.key })

const FIELDS = {
  ...CREDENTIAL_FIELDS,
  token: { type: 'string', required: false, read_only: true, label: 'Token' },
}
