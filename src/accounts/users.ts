import type {
  PasswordVerifier,
  RemoteUserBackend,
  Requester,
  User,
} from '../contract/credentials.ts'
import type { LoginRefusal } from '../contract/events.ts'
import type { MaybePromise } from '../contract/request.ts'
import type { NewUser, StoredUser, UserStore } from '../contract/storage.ts'
import { UsernameTaken } from '../errors/storage-errors.ts'
import { after } from '../std/after.ts'
import type { AccountEvents } from './events.ts'
import { HashQueue } from './passwords/hash-queue.ts'
import type { PasswordCost } from './passwords/hashes/argon2.ts'
import { PasswordHasher, type Verdict } from './passwords/password-hasher.ts'
import { DEFAULT_COST, isPossiblePassword } from './passwords/password.ts'
import { RecentPasswords } from './passwords/recent-passwords.ts'
import { InvalidAccount, checkedEmail, checkedUsername, possibleUsername } from './username.ts'
import type { VerifiedUsers } from './passwords/verified-users.ts'

const LONGEST_SHOWN = 150

/** How passwords are checked, and whom a server in front may name. */
export interface UserPolicy {
  /** What a password hash costs. @default argon2id with 19 MiB and 2 passes */
  readonly passwordCost?: PasswordCost
  /** How many passwords are hashed at a time, and how many wait; one queue may serve several accounts. */
  readonly hashQueue?: HashQueue
  /**
   * Milliseconds for which a password found right is not hashed again (I6); 0: always hash.
   *
   * @default 30000
   */
  readonly rememberPasswords?: number
  /** Makes an account for whomever a web server in front names and nobody knows (RU4). @default true */
  readonly createUnknownUser?: boolean
  /** Milliseconds since 1970. @default Date.now */
  readonly now?: () => number
}

/** What users are kept in, and who is told about them. */
export interface UsersOptions extends UserPolicy {
  readonly store: UserStore
  readonly events: AccountEvents
  /** Remembers by which hash users were let in. */
  readonly verified: VerifiedUsers
  /** Done before `create` gives the user; what it throws comes out there, and the user exists. */
  readonly onCreated?: (user: User) => MaybePromise<unknown>
  /** Done before `setPassword` is over; what it throws comes out there, and the password is changed. */
  readonly onPasswordChanged?: (user: User) => MaybePromise<unknown>
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
export class Users implements PasswordVerifier, RemoteUserBackend {
  readonly #store: UserStore
  readonly #events: AccountEvents
  readonly #verified: VerifiedUsers
  readonly #hasher: PasswordHasher
  readonly #recent: RecentPasswords
  readonly #now: () => number
  readonly #onCreated: (user: User) => MaybePromise<unknown>
  readonly #onPasswordChanged: (user: User) => MaybePromise<unknown>
  readonly #createUnknownUser: boolean

  constructor({ store, events, verified, ...options }: UsersOptions) {
    const { rememberPasswords = 30_000, now = Date.now } = options
    const { passwordCost: cost = DEFAULT_COST, hashQueue: queue = new HashQueue() } = options
    this.#store = store
    this.#events = events
    this.#verified = verified
    this.#now = now
    this.#onCreated = options.onCreated ?? (() => {})
    this.#onPasswordChanged = options.onPasswordChanged ?? (() => {})
    this.#recent = new RecentPasswords(rememberPasswords, now)
    const onError = (error: unknown): void => events.error('password.not_checked', error)
    this.#hasher = new PasswordHasher({ cost, queue, onError })
    this.#createUnknownUser = options.createUnknownUser ?? true
  }

  /**
   * Creates a user. `requester`: the request of whoever signs up, whose turn it is to hash then.
   *
   * @example
   * const alice = await users.create({ username: 'alice', password: 'wonderland' })
   *
   * @throws UsernameTaken
   * @throws InvalidAccount (400) the name or the address cannot be stored, or the password is too long
   */
  async create(input: UserInput, requester?: Requester): Promise<User> {
    const { username, email = '', password = null, ...flags } = input
    const { isActive = true, isStaff = false, isSuperuser = false } = flags
    const [name, address] = [checkedUsername(username), checkedEmail(email)]
    const user = await this.#store.insert({
      username: name,
      email: address,
      password: await this.#encode(password, requester),
      isActive,
      isStaff,
      isSuperuser,
      dateJoined: new Date(this.#now()),
    })
    await this.#onCreated(user)
    await this.#events.emit('user.created', { user })
    return user
  }

  async byUsername(username: string): Promise<User | null> {
    return (await this.#find(username))?.user ?? null
  }

  async byId(id: number): Promise<User | null> {
    return (await this.#store.byId(id))?.user ?? null
  }

  /** All users, in the order in which they were created; those who come meanwhile too. */
  async *all(): AsyncGenerator<User> {
    let last = 0
    for (;;) {
      const page = await this.#store.after(last)
      if (page.length === 0) return
      yield* page
      last = page.at(-1)!.id
    }
  }

  async count(): Promise<number> {
    return this.#store.count()
  }

  /**
   * `null`: refused. Every refusal has cost one hash, whatever the reason (I5). With `requester`, the
   * request that brought the password, it waits its client's turn, and is not checked once the client has
   * gone. What begins with the user that comes back, a session or a token, begins only while the password
   * is the same.
   *
   * @example
   * const user = await accounts.users.authenticate(username, password, request)
   *
   * @throws ServiceUnavailable (503) too many passwords are waiting to be checked, or it has waited too long
   */
  async authenticate(
    username: string,
    password: string,
    requester?: Requester,
  ): Promise<User | null> {
    const found = await this.#find(username)
    // Asked whoever it is, so that it takes the same time; a long text is not worth a digest.
    const known =
      isPossiblePassword(password) && this.#recent.knows(password, found?.password ?? '')
    if (known && found?.user.isActive) return this.#verified.add(found)
    const { stored, verdict } = await this.#check(password, found, requester)
    if (stored !== null && verdict === 'fits' && stored.user.isActive) {
      this.#recent.add(password, stored.password)
      return this.#verified.add(stored)
    }
    const shown = username.slice(0, LONGEST_SHOWN)
    void this.#events.emit('login.failed', { username: shown, reason: reasonOf(stored, verdict) })
    return null
  }

  /**
   * Hashing takes a while. Where the stored hash is another one by then, that one decides: it is of a new
   * password, or of the same one, which another login has kept anew.
   */
  async #check(
    password: string,
    found: StoredUser | null,
    requester?: Requester,
  ): Promise<Checked> {
    const verdict = await this.#hasher.verify(password, found?.password ?? null, requester)
    if (verdict !== 'fits' || !found?.user.isActive) return { stored: found, verdict }
    const current = await this.#keptAnew(found, password, requester)
    const stored = await this.#store.byId(found.user.id)
    if (stored === null || stored.password === current) return { stored, verdict }
    return this.#check(password, stored, requester)
  }

  /** The user whom a web server in front has authenticated. `null`: nobody, or no possible name. */
  remoteUser(username: string): MaybePromise<User | null> {
    const name = possibleUsername(username)
    if (name === null) return null
    return after(this.#store.byUsername(name), (stored) => stored?.user ?? this.#meet(name))
  }

  /**
   * `null`: nobody can log in with a password any more. `false`: no such user. `requester`: the request
   * of whoever changes it, whose turn it is to hash then.
   *
   * @throws InvalidAccount (400) the password is too long
   * @throws AuthenticationFailed (401) the password that let this user in is another one by now
   */
  async setPassword(user: User, password: string | null, requester?: Requester): Promise<boolean> {
    const encoded = await this.#encode(password, requester)
    if (!(await this.#replace(user, encoded))) return false
    await this.#onPasswordChanged(user)
    await this.#events.emit('user.password_changed', { user })
    return true
  }

  /**
   * `false`: no such user.
   *
   * @throws UsernameTaken
   * @throws InvalidAccount (400)
   */
  async update(user: User, changes: UserChanges): Promise<boolean> {
    const { username, email, isActive, isStaff, isSuperuser, lastLogin } = changes
    const updated = await this.#store.update(user.id, {
      ...(username === undefined ? {} : { username: checkedUsername(username) }),
      ...(email === undefined ? {} : { email: checkedEmail(email) }),
      ...said({ isActive, isStaff, isSuperuser, lastLogin }),
    })
    if (updated && isActive === false) await this.#events.emit('user.deactivated', { user })
    return updated
  }

  /** Whoever was let in by a password replaces that one, and goes on with the new one. */
  async #replace(user: User, encoded: string): Promise<boolean> {
    const hash = this.#verified.hashOf(user)
    if (hash === null) return this.#store.update(user.id, { password: encoded })
    if (!(await this.#store.rehash(user.id, hash, encoded))) throw this.#verified.refused(user)
    this.#verified.add({ user, password: encoded })
    return true
  }

  /** Two first requests of somebody make one account between them. */
  async #meet(username: string): Promise<User | null> {
    if (!this.#createUnknownUser) return null
    try {
      return await this.create({ username })
    } catch (error) {
      if (error instanceof UsernameTaken) return this.byUsername(username)
      throw error
    }
  }

  async #find(username: string): Promise<StoredUser | null> {
    const name = possibleUsername(username)
    return name === null ? null : this.#store.byUsername(name)
  }

  /** The hash that should be there now. A failure to replace an outdated one hinders no login. */
  async #keptAnew(
    { user, password: encoded }: StoredUser,
    password: string,
    requester?: Requester,
  ): Promise<string> {
    if (!this.#hasher.isOutdated(encoded)) return encoded
    try {
      const next = await this.#hasher.encode(password, requester)
      return (await this.#store.rehash(user.id, encoded, next)) ? next : encoded
    } catch (error) {
      this.#events.error('password.not_rehashed', error)
      return encoded
    }
  }

  async #encode(password: string | null, requester?: Requester): Promise<string> {
    if (password !== null && !isPossiblePassword(password)) {
      throw new InvalidAccount(
        'password',
        'A password has at most 4,096 bytes, of whole characters.',
      )
    }
    return this.#hasher.encode(password, requester)
  }
}

/** What the password was checked against in the end, and what came of it. */
interface Checked {
  readonly stored: StoredUser | null
  readonly verdict: Verdict
}

function reasonOf(stored: StoredUser | null, verdict: Verdict): LoginRefusal {
  if (stored === null) return 'unknown'
  if (verdict === 'fits') return 'inactive'
  return verdict === 'differs' ? 'password' : 'unreadable'
}

type Flags = Partial<NewUser & { readonly lastLogin: Date | null }>

function said(flags: { readonly [K in keyof Flags]: Flags[K] | undefined }): Flags {
  return Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined))
}
