import type { Authenticator, Identity } from '../../core/ports/policies/authentication.ts'
import type { Incoming } from '../../core/ports/request.ts'
import { type MaybePromise, after, rejectLater } from '../../core/std/after.ts'
import type { Token, TokenVerifier, User } from '../../core/ports/credentials.ts'
import { AuthenticationFailed, stackless } from '../../core/errors/api-errors.ts'
import { Message } from '../../core/messages/message.ts'
import { credentialWords, utf8FromHeader } from '../../core/std/http/authorization.ts'
import type { SecurityFacts } from '../../core/types/documents.ts'
import { able, checkNames } from '../../core/settings/options.ts'
import { TOKEN } from '../../core/std/http/header-value.ts'

/** Options of the token scheme. */
export interface TokenAuthenticationOptions<U extends User = User> {
  /** The storage of keys: `accounts.tokens`, or your own (AT10). */
  readonly tokens: TokenVerifier<U>
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
export class TokenAuthentication<U extends User = User> implements Authenticator<U, Token<U>> {
  static readonly options: readonly string[] = ['keyword']
  static readonly needs: readonly string[] = ['tokens']

  readonly sends = 'token'
  readonly keyword: string
  readonly #tokens: TokenVerifier<U>

  constructor(options: TokenAuthenticationOptions<U>) {
    checkNames(new.target, options)
    const { tokens, keyword = 'Token' } = options
    this.#tokens = tokens
    this.keyword = keyword
  }

  /** Subclasses may set the keyword, so it is known at the start of the service. */
  check(): string | null {
    const { keyword } = this
    if (typeof keyword !== 'string' || !TOKEN.test(keyword))
      return `needs a "keyword" of one word, such as "Token", and has ${JSON.stringify(keyword)}.`
    return able('verify').fits(this.#tokens) ? null : 'needs "tokens" with verify().'
  }

  authenticate(request: Incoming): MaybePromise<Identity<U, Token<U>> | null> {
    const { guesses } = request
    const [keyword, word, ...others] = credentialWords(request.header('authorization'))
    if (keyword?.toLowerCase() !== this.keyword.toLowerCase()) return null
    if (word === undefined) throw refused('no_token')
    if (others.length > 0) throw refused('spaces')
    const key = utf8FromHeader(word)
    if (key === null) throw refused('encoding')
    if (guesses === null) return after(this.#tokens.verify(key), identify)
    // A client that did not know of the end of its access token must not keep its neighbours out.
    const judge = (token: Token<U> | null): Token<U> | typeof OVER | null =>
      ofActive(token) ?? (this.#tokens.wasMade?.(key) ? OVER : null)
    return after(
      guesses.key(key, () => after(this.#tokens.verify(key), judge)),
      (found) => identify(found === OVER ? null : found),
    )
  }

  /** The scheme for documents: OpenAPI knows `Bearer` only, so any other keyword is a part of the header's value. */
  security(): SecurityFacts {
    const { keyword: name } = this
    if (name.toLowerCase() === 'bearer')
      return { name, scheme: { type: 'http', scheme: 'bearer' }, isScoped: true }
    const description = `The value is \`${name} <key>\`.`
    const place = { in: 'header', name: 'Authorization', 'x-keyword': name }
    return { name, scheme: { type: 'apiKey', ...place, description }, isScoped: true }
  }

  /** The challenge. With `challengeAll`, it says `invalid_token` if a Bearer token was refused (RFC 6750, 3.1). */
  authenticateHeader(request?: Incoming, isRefused = false): string {
    const { keyword } = this
    const isCalled = isRefused && request!.settings.challengeAll
    const [sent] = isCalled ? credentialWords(request!.header('authorization')) : []
    const isBearer = [keyword, sent].every((each) => each?.toLowerCase() === 'bearer')
    return isBearer ? `${keyword} error="invalid_token"` : keyword
  }
}

function refused(reason: 'no_token' | 'spaces' | 'encoding'): AuthenticationFailed {
  return stackless(() => new AuthenticationFailed(Message.of(`authentication_failed.${reason}`)))
}

const OVER = 'over'

/** The token if its user is active: a guess that finds an inactive user is as wrong as any other. */
function ofActive<U extends User>(token: Token<U> | null): Token<U> | null {
  return token?.user.isActive ? token : null
}

function identify<U extends User>(token: Token<U> | null): MaybePromise<Identity<U, Token<U>>> {
  if (token === null || !token.user.isActive)
    return rejectLater(() => stackless(() => new AuthenticationFailed()))
  return { user: token.user, auth: token }
}
