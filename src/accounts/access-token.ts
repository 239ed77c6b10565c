import type { Token, User } from '../contract/credentials.ts'

/** What `console.log` and the inspectors of Node look for. */
const INSPECT: unique symbol = Symbol.for('nodejs.util.inspect.custom')

interface Shown {
  readonly key: '[secret]'
  readonly user: string
  readonly created: Date
}

/** A token whose key comes out by `.key` only: in JSON, in a log and in an inspection it is `[secret]`. */
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

  [INSPECT](): Shown {
    return this.toJSON()
  }
}
