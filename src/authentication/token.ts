import type { Authenticator, Incoming, MaybePromise, Identity } from '../contract/request.ts'
import type { Token, TokenVerifier, User } from '../contract/credentials.ts'
import { AuthenticationFailed } from '../errors/api-errors.ts'
import { Message } from '../messages/message.ts'
import { after } from '../std/after.ts'
import { credentialWords, utf8FromHeader } from '../std/http/authorization.ts'
import type { SecurityFacts } from '../types/documents.ts'

/** What the token scheme is made from. */
export interface TokenAuthenticationOptions {
  /** Where keys are looked up: `accounts.tokens`, or a storage of your own (AT10). */
  readonly tokens: TokenVerifier
  /** First word of the header, compared without regard to case. @default 'Token' */
  readonly keyword?: string
}

/**
 * `Authorization: Token <key>` (AT1–AT10). The user is the token's owner and `auth`
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
    const { guesses } = request
    const [keyword, word, ...others] = credentialWords(request.header('authorization'))
    if (keyword?.toLowerCase() !== this.keyword.toLowerCase()) return null
    if (word === undefined) throw refused('no_token')
    if (others.length > 0) throw refused('spaces')
    const key = utf8FromHeader(word)
    if (key === null) throw refused('encoding')
    if (guesses === null) return after(this.#tokens.verify(key), identify)
    return after(
      guesses.key(key, () => after(this.#tokens.verify(key), ofActive)),
      identify,
    )
  }

  /** Documents know `Bearer` alone; any other keyword is a part of the header's value. */
  security(): SecurityFacts {
    const { keyword: name } = this
    if (name.toLowerCase() === 'bearer') return { name, scheme: { type: 'http', scheme: 'bearer' } }
    const description = `The value is \`${name} <key>\`.`
    const place = { in: 'header', name: 'Authorization', 'x-keyword': name }
    return { name, scheme: { type: 'apiKey', ...place, description } }
  }

  authenticateHeader(): string {
    return this.keyword
  }
}

function refused(reason: 'no_token' | 'spaces' | 'encoding'): AuthenticationFailed {
  return new AuthenticationFailed(Message.of(`authentication_failed.${reason}`))
}

/** A guess that finds a user who is switched off is as wrong as any other. */
function ofActive(token: Token | null): Token | null {
  return token?.user.isActive ? token : null
}

function identify(token: Token | null): Identity<User, Token> {
  if (token === null || !token.user.isActive) throw new AuthenticationFailed()
  return { user: token.user, auth: token }
}
