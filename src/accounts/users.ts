import type { PasswordVerifier, User } from '../contract/credentials.ts'
import type { NewUser, StoredUser, UserStore } from '../contract/storage.ts'
import {
  DEFAULT_COST,
  type PasswordCost,
  decoyHash,
  hashPassword,
  isUsable,
  unusablePassword,
  verifyPassword,
} from './password.ts'
import { RecentPasswords } from './recent-passwords.ts'
import { checkedEmail, checkedUsername, isPossibleUsername, normalized } from './username.ts'

/** Why credentials were refused: for the log, never for the client (I5). */
export type Refusal = 'unknown' | 'inactive' | 'password'

/** What users are kept in, and how their passwords are checked. */
export interface UsersOptions {
  readonly store: UserStore
  /** What a password hash costs. @default argon2id with 19 MiB and 2 passes */
  readonly passwordCost?: PasswordCost
  /**
   * Milliseconds for which a password found right is not hashed again (I6); 0: always hash.
   *
   * @default 30000
   */
  readonly rememberPasswords?: number
  /** Told of every refused password. */
  readonly onRefused?: (username: string, reason: Refusal) => void
  /** Milliseconds since 1970. @default Date.now */
  readonly now?: () => number
}

/** What a new user is made from. Without a password nobody can log in as this user. */
export interface UserInput {
  readonly username: string
  readonly email?: string
  readonly password?: string | null
  readonly isActive?: boolean
  readonly isStaff?: boolean
  readonly isSuperuser?: boolean
}

/** What may change about a user; what is not said stays. */
export type UserChanges = Partial<Omit<UserInput, 'password'>> & {
  readonly lastLogin?: Date | null
}

/** People with accounts. */
export class Users implements PasswordVerifier {
  readonly #store: UserStore
  readonly #cost: PasswordCost
  readonly #recent: RecentPasswords
  readonly #now: () => number
  readonly #onRefused: (username: string, reason: Refusal) => void
  readonly #decoy: string

  constructor({ store, passwordCost = DEFAULT_COST, ...options }: UsersOptions) {
    const { rememberPasswords = 30_000, now = Date.now, onRefused = () => {} } = options
    this.#store = store
    this.#cost = passwordCost
    this.#now = now
    this.#onRefused = onRefused
    this.#recent = new RecentPasswords(rememberPasswords, now)
    this.#decoy = decoyHash(passwordCost)
  }

  /**
   * Creates a user.
   *
   * @example
   * const alice = await users.create({ username: 'alice', password: 'wonderland' })
   *
   * @throws UsernameTaken
   * @throws InvalidAccount (400) the name or the address cannot be stored
   */
  async create({ username, email = '', password = null, ...flags }: UserInput): Promise<User> {
    const { isActive = true, isStaff = false, isSuperuser = false } = flags
    const [name, address] = [checkedUsername(username), checkedEmail(email)]
    return this.#store.insert({
      username: name,
      email: address,
      password: await this.#encode(password),
      isActive,
      isStaff,
      isSuperuser,
      dateJoined: new Date(this.#now()),
    })
  }

  async byUsername(username: string): Promise<User | null> {
    return (await this.#find(username))?.user ?? null
  }

  async byId(id: number): Promise<User | null> {
    return (await this.#store.byId(id))?.user ?? null
  }

  /** `null`: refused. Every refusal has cost one hash, whatever the reason (I5). */
  async authenticate(username: string, password: string): Promise<User | null> {
    const stored = await this.#find(username)
    if (stored?.user.isActive && this.#recent.knows(password, stored.password)) return stored.user
    const fits = await this.#fits(password, stored?.password)
    if (stored !== null && fits && stored.user.isActive) return this.#accepted(stored, password)
    this.#onRefused(username, stored === null ? 'unknown' : fits ? 'inactive' : 'password')
    return null
  }

  /** `null`: nobody can log in with a password any more. `false`: no such user. */
  async setPassword(user: User, password: string | null): Promise<boolean> {
    return this.#store.update(user.id, { password: await this.#encode(password) })
  }

  /**
   * `false`: no such user.
   *
   * @throws UsernameTaken
   * @throws InvalidAccount (400)
   */
  async update(user: User, changes: UserChanges): Promise<boolean> {
    const { username, email, isActive, isStaff, isSuperuser, lastLogin } = changes
    return this.#store.update(user.id, {
      ...(username === undefined ? {} : { username: checkedUsername(username) }),
      ...(email === undefined ? {} : { email: checkedEmail(email) }),
      ...said({ isActive, isStaff, isSuperuser, lastLogin }),
    })
  }

  async #find(username: string): Promise<StoredUser | null> {
    const name = normalized(username)
    return isPossibleUsername(name) ? this.#store.byUsername(name) : null
  }

  #fits(password: string, encoded: string = this.#decoy): Promise<boolean> {
    return verifyPassword(password, isUsable(encoded) ? encoded : this.#decoy)
  }

  #accepted(stored: StoredUser, password: string): User {
    this.#recent.add(password, stored.password)
    return stored.user
  }

  #encode(password: string | null): Promise<string> | string {
    return password === null ? unusablePassword() : hashPassword(password, this.#cost)
  }
}

type Flags = Partial<NewUser & { readonly lastLogin: Date | null }>

function said(flags: { readonly [K in keyof Flags]: Flags[K] | undefined }): Flags {
  return Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined))
}
