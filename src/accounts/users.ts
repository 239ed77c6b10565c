import type {
  PasswordVerifier,
  RemoteUserBackend,
  Requester,
  User,
} from '../core/ports/credentials.ts'
import type { LoginRefusal } from '../core/ports/events.ts'
import type { StoredUser } from '../core/ports/account-stores.ts'
import type { BeforeRemoval, Ends, UserStore } from './tables/stores.ts'
import { SecondFactorRequired } from '../core/errors/api-errors.ts'
import { UsernameTaken } from '../core/errors/storage-errors.ts'
import { Message } from '../core/messages/message.ts'
import { DEFAULT_COST } from './passwords/argon2.ts'
import { HashQueue } from './passwords/hash-queue.ts'
import {
  PasswordHasher,
  RecentPasswords,
  isPossiblePassword,
  isUnusable,
} from './passwords/password-hasher.ts'
import { type UsersOptions, inPages } from './account-policy.ts'
import { inSmallLetters } from './links.ts'
import {
  ACCOUNT_LIMITS,
  InvalidAccount,
  type Proved,
  type UserChanges,
  type UserInput,
  checkedEmail,
  checkedUsername,
  guessedName,
  possibleUsername,
} from './account-input.ts'

/** People with accounts. */
export class Users<U extends User = User> implements PasswordVerifier<U>, RemoteUserBackend<U> {
  readonly #options: UsersOptions<U>
  readonly #store: UserStore<U>
  readonly #hasher: PasswordHasher
  readonly #recent: RecentPasswords

  constructor(options: UsersOptions<U>) {
    const { store, events, rememberPasswords = 30_000, now } = options
    const { passwordCost: cost = DEFAULT_COST, hashQueue: queue = new HashQueue() } = options
    this.#options = options
    this.#store = store
    this.#recent = new RecentPasswords(rememberPasswords, now)
    const onError = (error: unknown): void => events.error('password.not_checked', error)
    this.#hasher = new PasswordHasher({ cost, queue, onError })
  }

  /**
   * Creates a user. `requester`: the request of the sign-up; the hash waits for the turn of its client. `proved`: what is known
   * of the user beside, which is kept with the user or not at all; where `onUserCreated` throws, there is no user then.
   *
   * @example
   * const alice = await users.create({ username: 'alice', password: 'wonderland' })
   *
   * @throws UsernameTaken
   * @throws InvalidAccount (400) the name or the address cannot be stored, the password is too long, or a role is not
   * declared
   */
  async create(input: UserInput<U>, requester?: Requester, proved?: Proved): Promise<U> {
    const { isActive = true, isStaff = false, isSuperuser = false } = input
    const [username, email] = [checkedUsername(input.username), checkedEmail(input.email ?? '')]
    const own = this.#options.shape.checked(input)
    const password = await this.#encode(input.password ?? null, requester)
    const { events, onCreated, now } = this.#options
    const { address = false, identity } = proved ?? {}
    const account = { username, email, password, isActive, isStaff, isSuperuser, own, identity }
    const confirmed = address ? inSmallLetters(email) : undefined
    const user = await this.#store.insert({ ...account, confirmed, dateJoined: new Date(now()) })
    try {
      await onCreated?.(user)
    } catch (error) {
      if (proved !== undefined) await this.#store.remove(user.id)
      throw error
    }
    await events.emit('user.created', { user })
    if (identity !== undefined) await events.emit('identity.linked', { user, ...identity })
    if (address) await events.emit('user.email_confirmed', { user, email })
    return user
  }

  async byUsername(username: string): Promise<U | null> {
    return (await this.#find(username))?.user ?? null
  }

  /** A user, and whether there is a password for the account: its owner may be the one who knows that. */
  async lookUp(
    username: string,
  ): Promise<{ readonly user: U; readonly hasPassword: boolean } | null> {
    const found = await this.#find(username)
    return found && { user: found.user, hasPassword: !isUnusable(found.password) }
  }

  async byId(id: number): Promise<U | null> {
    return (await this.#store.byId(id))?.user ?? null
  }

  /** All users, in the order in which they were created, including those created meanwhile. */
  all(): AsyncGenerator<U> {
    return inPages((last) => this.#store.after(last))
  }

  async count(): Promise<number> {
    return this.#store.count()
  }

  get asksForFactors(): boolean {
    return this.#options.factors() !== null
  }

  async needsMore(user: User): Promise<boolean> {
    return (await this.#options.factors()?.isRequired(user)) ?? false
  }

  /**
   * `null`: refused. Every refusal has cost one hash, whatever the reason (I5), unless wrong passwords are limited and
   * the same client repeats one. With `requester`, the request that brought it, it waits its client's turn, and is not
   * checked once the client has gone. A session or a token begins with this user only while the password is the same.
   *
   * @example const user = await accounts.users.authenticate(username, password, request)
   * @throws ServiceUnavailable (503) too many passwords are waiting to be checked, or it has waited too long
   * @throws Throttled (429) too many were wrong (`credentialFailures`)
   * @throws SecondFactorRequired (403) it is right, and not enough
   */
  async authenticate(username: string, password: string, requester?: Requester): Promise<U | null> {
    const user = await this.byPassword(username, password, requester)
    if (user !== null && (await this.needsMore(user))) throw new SecondFactorRequired()
    return user
  }

  /** Checks the password without second factors, which are asked for next, or not needed to confirm an action of a session. */
  async byPassword(username: string, password: string, requester?: Requester): Promise<U | null> {
    const { verified, events } = this.#options
    const found = await this.#find(username)
    const sent = {
      client: requester?.client ?? '',
      password,
      encoded: found?.password ?? this.#hasher.decoy,
    }
    // Asked for unknown users too, so that it takes the same time; a long text is not worth a digest.
    const known = isPossiblePassword(password) && this.#recent.knows(sent, !!requester?.guesses)
    if (known && found?.user.isActive) return verified.add(found)
    const outcome = await this.#guessed(username, password, found, requester)
    if (typeof outcome === 'string') {
      const facts = { username: username.slice(0, ACCOUNT_LIMITS.username), reason: outcome }
      void events.emit('login.failed', facts)
      return null
    }
    this.#recent.add({ ...sent, encoded: outcome.password })
    return verified.add(outcome)
  }

  /** If wrong passwords are limited, a repeated one is not checked again. */
  async #guessed(
    username: string,
    password: string,
    found: StoredUser<U> | null,
    requester?: Requester,
  ): Promise<StoredUser<U> | LoginRefusal> {
    const guesses = requester?.guesses ?? null
    if (guesses === null) return this.#check(password, found, requester)
    let refusal: LoginRefusal = found === null ? 'unknown' : 'password'
    const check = async (begin: () => Promise<void>): Promise<StoredUser<U> | null> => {
      const outcome = await this.#check(password, found, requester, begin)
      if (typeof outcome !== 'string') return outcome
      refusal = outcome
      return null
    }
    const account = found === null ? guessedName(username) : `id ${found.user.id}`
    // Facts beside the password that decide: a user who is activated again is checked anew.
    const stored = found === null ? '' : `${found.user.isActive} ${found.password}`
    const secret = `${stored} ${isPossiblePassword(password) ? password : ''}`
    return (await guesses.password({ account, secret, check })) ?? refusal
  }

  /** If the stored hash has changed meanwhile, by a new password or a renewal, the new one decides. */
  async #check(
    password: string,
    found: StoredUser<U> | null,
    requester?: Requester,
    begin?: () => Promise<void>,
  ): Promise<StoredUser<U> | LoginRefusal> {
    const encoded = found?.password ?? null
    const comparison = await this.#hasher.verify(password, encoded, requester, begin)
    if (found === null) return 'unknown'
    if (comparison !== 'fits') return comparison === 'differs' ? 'password' : 'unreadable'
    if (!found.user.isActive) return 'inactive'
    const current = await this.#renewed(found, password, requester)
    const stored = await this.#store.byId(found.user.id)
    if (stored === null) return 'unknown'
    if (stored.password !== current) return this.#check(password, stored, requester, begin)
    return stored.user.isActive ? stored : 'inactive'
  }

  /** A hash by Django or of another cost is replaced at a login: only then the password is known. */
  async #renewed(found: StoredUser, password: string, requester?: Requester): Promise<string> {
    const { user, password: encoded } = found
    if (this.#hasher.isCurrent(encoded)) return encoded
    try {
      const next = await this.#hasher.encode(password, requester)
      return (await this.#store.rehash(user.id, encoded, next)) ? next : encoded
    } catch (error) {
      // A failure must not prevent the login.
      this.#options.events.error('password.not_rehashed', error)
      return encoded
    }
  }

  /**
   * The user that a web server in front has authenticated. `null`: there is none, or the name is not possible.
   *
   * @throws InvalidAccount (400) there is none, and a new one may not have the name
   */
  async remoteUser(username: string): Promise<U | null> {
    const known = await this.byUsername(username)
    const isNew = known === null && possibleUsername(username) !== null
    if (!isNew || !(this.#options.createUnknownUser ?? true)) return known
    try {
      return await this.create({ username } as UserInput<U>)
    } catch (error) {
      // Two first requests under one name make one account between them.
      if (error instanceof UsernameTaken) return this.byUsername(username)
      throw error
    }
  }

  /**
   * `null`: no password is accepted any more. `false`: there is no such user. `requester`: as for `create`. `check`: asked
   * after the hash was made, which takes a while; where it throws, nothing is written.
   *
   * @throws InvalidAccount (400) the password is too long
   * @throws AuthenticationFailed (401) the password that let this user in is another one by now
   */
  async setPassword(
    user: User,
    password: string | null,
    requester?: Requester,
    check?: () => Promise<void>,
  ): Promise<boolean> {
    const encoded = await this.#encode(password, requester)
    await check?.()
    const replace = (ends: Ends) => this.#replace(user, encoded, ends)
    if (!(await this.#options.ending(user, 'password', replace))) return false
    await this.#options.events.emit('user.password_changed', { user })
    return true
  }

  /** `isActive: false` ends sessions (S7) and links by mail. `false`: no such user. @throws UsernameTaken, InvalidAccount (400) */
  async update(user: User, changes: UserChanges<U>): Promise<boolean> {
    const { email, isActive, isStaff, isSuperuser, lastLogin } = changes
    // An old name or address stays unchanged, whatever the current rules.
    const renamed = changes.username === user.username ? undefined : changes.username
    const username = renamed === undefined ? undefined : checkedUsername(renamed)
    if (email !== undefined && email !== user.email) checkedEmail(email)
    const own = this.#options.shape.checked(changes)
    const isMoved = email !== undefined && inSmallLetters(email) !== inSmallLetters(user.email)
    const confirmed = isMoved ? null : undefined
    const given = { username, email, confirmed, isActive, isStaff, isSuperuser, lastLogin, own }
    const entries = Object.entries(given).filter(([, value]) => value !== undefined)
    const write = (ends?: Ends) => this.#store.update(user.id, Object.fromEntries(entries), ends)
    if (isActive !== false) return write()
    if (!(await this.#options.ending(user, 'deactivation', write))) return false
    await this.#options.events.emit('user.deactivated', { user })
    return true
  }

  /**
   * With tokens, sessions and identities; the audit trail stays. `before`: for rows of the application, in the same transaction;
   * the users are those of `accounts.by(actor)` then. `false`: no such user. @throws Conflict (409) by `accounts.by`: the last active staff
   */
  async remove(user: User, before?: BeforeRemoval): Promise<boolean> {
    const removed = await this.#store.remove(user.id, before)
    if (removed) await this.#options.events.emit('user.deleted', { user })
    return removed
  }

  /** A user who was let in by a password replaces that one, and goes on with the new one. */
  async #replace(user: User, next: string, ends: Ends): Promise<boolean> {
    const { verified } = this.#options
    const [was, link] = [verified.hashOf(user), verified.linkOf(user)]
    if (was === null) return this.#store.update(user.id, { password: next }, ends)
    if (!(await this.#store.rehash(user.id, was, next, link, ends))) throw verified.refused(user)
    verified.add({ user, password: next })
    return true
  }

  async #find(username: string): Promise<StoredUser<U> | null> {
    const name = possibleUsername(username)
    return name === null ? null : this.#store.byUsername(name)
  }

  async #encode(password: string | null, requester?: Requester): Promise<string> {
    if (password !== null && !isPossiblePassword(password))
      throw new InvalidAccount('password', Message.of('invalid.password'))
    return this.#hasher.encode(password, requester)
  }
}
