import type { Token, User } from '../contract/credentials.ts'

interface Shown {
  readonly key: '[secret]'
  readonly user: string
  readonly created: Date
}

/** A token whose key comes out by `.key` only: JSON shows `[secret]`, and inspection does not see it at all. */
export class AccessToken implements Token {
  readonly #key: string
  readonly user: User
  readonly created: Date

  constructor(key: string, user: User, created: Date) {
    this.#key = key
    this.user = user
    this.created = created
  }

  get key(): string {
    return this.#key
  }

  toJSON(): Shown {
    return { key: '[secret]', user: this.user.username, created: this.created }
  }
}
