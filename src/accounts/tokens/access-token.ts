import type { Token, TokenFacts, User } from '../../contract/credentials.ts'

type Shown = TokenFacts & { readonly key: '[secret]'; readonly user: string }

/** A token whose key comes out by `.key` only: JSON shows `[secret]`, and inspection does not see it at all. */
export class AccessToken implements Token, TokenFacts {
  readonly #key: string
  readonly user: User
  readonly name: string
  readonly scopes: readonly string[] | null
  readonly created: Date
  readonly expires: Date | null
  readonly lastUsed: Date | null

  constructor(key: string, user: User, facts: TokenFacts) {
    this.#key = key
    this.user = user
    this.name = facts.name
    this.scopes = facts.scopes
    this.created = facts.created
    this.expires = facts.expires
    this.lastUsed = facts.lastUsed
  }

  get key(): string {
    return this.#key
  }

  toJSON(): Shown {
    return { key: '[secret]', user: this.user.username, ...factsOf(this) }
  }
}

/** Everything about a token but its key and its owner. */
export function factsOf({ name, scopes, created, expires, lastUsed }: TokenFacts): TokenFacts {
  return { name, scopes, created, expires, lastUsed }
}
