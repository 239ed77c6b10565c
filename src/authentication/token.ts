import type { Authenticator, Incoming, MaybePromise } from '../contract/request.ts'
import type { Identity } from '../contract/decisions.ts'
import type { Token, TokenVerifier, User } from '../contract/credentials.ts'
import { AuthenticationFailed } from '../errors/api-errors.ts'
import { Message } from '../messages/message.ts'
import { after } from '../std/after.ts'
import { credentialWords } from '../std/http/authorization.ts'
import { utf8FromHeader } from '../std/http/header-value.ts'

/** What the token scheme is made from. */
export interface TokenAuthenticationOptions {
  /** Where keys are looked up: `accounts.tokens`, or a storage of your own (AT10). */
  readonly tokens: TokenVerifier
  /** First word of the header, compared without regard to case. @default 'Token' */
  readonly keyword?: string
}

/**
 * `Authorization: Token <key>` (document 5.2, AT1–AT10). The user is the token's owner and `auth`
 * the token. An unknown key and an inactive owner get one and the same answer (I5).
 *
 * @example
 * class BearerAuthentication extends TokenAuthentication {
 *   override readonly keyword = 'Bearer'
 * }
 */
export class TokenAuthentication implements Authenticator<User, Token> {
  static readonly options: readonly string[] = ['keyword']
  static readonly needs: readonly string[] = ['tokens']

  readonly keyword: string
  readonly #tokens: TokenVerifier

  constructor({ tokens, keyword = 'Token' }: TokenAuthenticationOptions) {
    this.#tokens = tokens
    this.keyword = keyword
  }

  authenticate(request: Incoming): MaybePromise<Identity<User, Token> | null> {
    const words = credentialWords(request.header('authorization'))
    if (words[0]?.toLowerCase() !== this.keyword.toLowerCase()) return null
    return after(this.#tokens.verify(keyOf(words)), identify)
  }

  authenticateHeader(): string {
    return this.keyword
  }
}

function keyOf(words: readonly string[]): string {
  if (words.length === 1)
    throw new AuthenticationFailed(Message.of('authentication_failed.no_token'))
  if (words.length > 2) throw new AuthenticationFailed(Message.of('authentication_failed.spaces'))
  const key = utf8FromHeader(words[1]!)
  if (key === null) throw new AuthenticationFailed(Message.of('authentication_failed.encoding'))
  return key
}

function identify(token: Token | null): Identity<User, Token> {
  if (token === null || !token.user.isActive) throw new AuthenticationFailed()
  return { user: token.user, auth: token }
}
