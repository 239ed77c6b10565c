import type { FamilyEnd, FoundFamily, TokenFamily } from '../core/ports/account-stores.ts'
import type { Token, User } from '../core/ports/credentials.ts'
import { randomText } from '../core/secrets/keys.ts'
import { Message } from '../core/messages/message.ts'
import { after, type MaybePromise } from '../core/std/after.ts'
import { BoundedMap } from '../core/std/bounded-map.ts'
import { InvalidAccount, checkedTokenInput } from './account-input.ts'
import { FamilySeal, KEY_DIGITS, type OpenedToken as Opened, RANDOM_DIGITS } from './token-keys.ts'
import {
  type AccountParts,
  type RefreshTimes,
  refreshTimes,
  withoutTable,
} from './account-policy.ts'
import { factorName } from './factors.ts'
import { type FamilyStore, shownFamily } from './tables/family-store.ts'
import { AccessToken, TokenPair } from './tokens.ts'
import { type UserShape, heldTo } from './user-shape.ts'

const REMEMBERED = 4096
const MOST_FAMILIES = 100
const CLEARED_EVERY = 3_600_000
interface FamiliesParts extends AccountParts {
  readonly shape: UserShape
  readonly store: FamilyStore
}

/**
 * Refresh tokens (RFC 6749, 6; RFC 9700, 4.14). A log-in begins a family. Each use of its refresh token spends that, and gives
 * another one with a new access token. A spent one that comes back ends the family: someone else has it, perhaps.
 *
 * The database holds one row for each family, with a keyed digest of what all of its tokens have in common and the number of the
 * refresh token of now. Tokens are sealed by the secret of the service. So neither of the two alone gives a token, a forged one is
 * refused without a look at the database, and no list of spent ones grows.
 */
export class TokenFamilies<U extends User = User> {
  readonly #parts: FamiliesParts
  readonly #given: RefreshTimes | null
  readonly #seal: FamilySeal
  /**
   * Remembers the content of opened tokens, not whether they are valid: the database is asked on every call, so a family
   * that ended is over at once.
   */
  readonly #known = new BoundedMap<string, Opened>(REMEMBERED)
  #cleared = 0

  /** @throws ConfigurationError a time of `refreshTokens` cannot be read */
  constructor(parts: FamiliesParts) {
    this.#parts = parts
    const { refreshTokens: given } = parts
    this.#given = given === undefined ? null : refreshTimes(given)
    this.#seal = new FamilySeal(parts)
  }

  /** Are there refresh tokens here (`refreshTokens`)? */
  get areOn(): boolean {
    return this.#given !== null
  }

  /** @throws ConfigurationError there are none here */
  require(): void {
    void this.#times
  }

  get #times(): RefreshTimes {
    return this.#given ?? refreshTimes(this.#parts.refreshTokens)
  }

  /**
   * A family of a user, for a client that has just let them log in. `label`: the device, as the client calls it. A user has 100
   * at most: another one ends that which was not used for longest.
   *
   * @example
   * const { access, refresh } = await accounts.families.begin(user, { label: 'phone', scopes: ['read'] })
   *
   * @throws AuthenticationFailed (401) the user is not active or gone, the password that let them in is another one by now, or
   * all families of the user end
   * @throws InvalidAccount (400) the scopes cannot be kept
   */
  async begin(
    user: U,
    { label = '', scopes = null }: Partial<Pick<TokenFamily, 'label' | 'scopes'>> = {},
  ): Promise<TokenPair<U>> {
    const { store, verified, events } = this.#parts
    const family = { label: factorName(label), scopes: this.checked(scopes) }
    const handle = randomText(RANDOM_DIGITS, KEY_DIGITS)
    const created = new Date(this.#parts.now())
    const ends = new Date(created.getTime() + this.#times.absolute)
    const times = { created, ends, expires: soonest(ends, created, this.#times.idle) }
    const [digest] = this.#seal.digestsOf(handle)
    const hash = verified.hashOf(user)
    const isKept = await store.insert(user.id, { ...family, ...times, digest: digest! }, hash)
    const begun = isKept ? await store.byDigest(digest!) : null
    if (begun === null) throw verified.refused(user)
    await events.emit('family.begun', { user, family: shownFamily(begun) })
    const own = (await store.ofUser(user.id)).toSorted((one, other) => usedAt(one) - usedAt(other))
    for (const old of own.slice(0, -MOST_FAMILIES)) await this.#end(user, old, 'revoked')
    if (Math.abs(created.getTime() - this.#cleared) >= CLEARED_EVERY) await this.clear()
    return this.#pairOf({ ...begun, user }, { handle, scopes: null }, 0)
  }

  /** Scopes in the form in which they are kept. @throws InvalidAccount (400) they cannot be kept */
  checked(scopes: TokenFamily['scopes']): TokenFamily['scopes'] {
    const checked = checkedTokenInput({ name: 'family', scopes })
    this.#parts.shape.checkScopes(checked.scopes)
    return checked.scopes
  }

  /**
   * Spends a refresh token and returns a pair with the next one. `null`: the token is invalid, its family is over, or it was
   * spent before, which ends the family now. `scopes`: limits the access token to some of the family's scopes (RFC 6749, 6);
   * the next access token has all of them again, unless these are named again.
   *
   * @throws InvalidAccount (400) the family has no such scopes, or there are none; nothing is spent
   */
  async use(
    refresh: string,
    { scopes = null }: Partial<Pick<TokenFamily, 'scopes'>> = {},
  ): Promise<TokenPair<U> | null> {
    const sent = this.#seal.opened('rt', refresh)
    const found = sent && (await this.#find(sent))
    if (found === null || !found.user.isActive || this.#isOver(found)) return null
    const opened = { ...sent!, scopes: this.checked(scopes) }
    if (isWider(opened.scopes, found.scopes)) {
      // A token that was spent before ends its family, whether the scopes are too wide or not.
      if (found.generation !== opened.number) await this.#spent({ ...opened, scopes: null })
      throw new InvalidAccount('scopes', Message.of('invalid_scope'))
    }
    const { digests, number } = opened
    const lastUsed = new Date(this.#parts.now())
    const expires = soonest(found.ends, lastUsed, this.#times.idle)
    const step = { digest: digests[0]!, lastUsed, expires }
    if (await this.#parts.store.step(found.id, number, step))
      return this.#pairOf({ ...found, ...step }, opened, number + 1)
    return this.#spent(opened)
  }

  /** Handles a refresh token that was used before: by the client itself, which lost the answer, or by someone else. */
  async #spent(opened: Opened): Promise<TokenPair<U> | null> {
    const { number } = opened
    const found = await this.#find(opened)
    if (found === null) return null
    // The distance counts: a clock of another host that is ahead, or a clock that was set back, makes no token newer.
    const age = Math.abs(this.#parts.now() - (found.lastUsed?.getTime() ?? 0))
    if (found.generation === number + 1 && age < this.#times.grace)
      return this.#pairOf(found, opened, found.generation)
    await this.#end(found.user, found, 'reused')
    return null
  }

  /** Has the key the form of an access token of a family? */
  isAccess(key: string): boolean {
    return this.#seal.isAccess(key)
  }

  /**
   * Finds the token of an access token's key. `null`: the key is invalid, or the token or its family is over. The user may
   * be inactive.
   */
  verify(key: string): MaybePromise<Token<U> | null> {
    const known = this.#known.get(key)
    const opened = known ?? this.#seal.opened('at', key)
    if (opened === null || opened.number * 1000 <= this.#parts.now()) return null
    return after(this.#find(opened), (found) => {
      if (found === null || this.#isOver(found)) return null
      if (known === undefined) this.#known.set(key, opened)
      return this.#tokenOf(key, found, opened)
    })
  }

  /** The families of a user that are not over, in the order in which they began. */
  async of({ id }: Pick<User, 'id'>): Promise<readonly TokenFamily[]> {
    return (await this.#parts.store.ofUser(id)).filter((family) => !this.#isOver(family))
  }

  /** Ends a family with all of its tokens. `false`: the user has no family of that number. */
  async end(user: User, id: number): Promise<boolean> {
    const found = (await this.#parts.store.ofUser(user.id)).find((family) => family.id === id)
    return found !== undefined && this.#end(user, found, 'revoked')
  }

  /** Ends the family of a token of either kind, spent or not. `null`: the token is invalid, or its family is over. */
  async endBy(
    token: string,
    reason: FamilyEnd = 'revoked',
  ): Promise<{ readonly user: U; readonly family: TokenFamily } | null> {
    const opened = this.#openedAny(token)
    const found = opened && (await this.#find(opened))
    if (found === null || !(await this.#end(found.user, found, reason))) return null
    return { user: found.user, family: shownFamily(found) }
  }

  /** Did this service make the token, of either kind, even if it is spent or over now? */
  made(token: string): boolean {
    return this.#openedAny(token) !== null
  }

  /** The text of a regular expression by which scanners of secrets find tokens of families. */
  get pattern(): string {
    return this.#seal.pattern
  }

  #openedAny(token: string): Opened | null {
    return this.#seal.opened('rt', token) ?? this.#seal.opened('at', token)
  }

  /** Ends all families of a user, those that another program has begun (`refreshTokens`) too. Returns how many there were. */
  async endAll(user: User): Promise<number> {
    const own = await this.#parts.store.ofUser(user.id).catch(withoutTable)
    if (own === null) return 0
    const count = await this.#parts.store.endOfUser(user.id)
    for (const family of own)
      await this.#parts.events.emit('family.ended', { user, family, reason: 'revoked' })
    return count
  }

  /** Deletes families that are over, and returns how many there were. `begin` does so once an hour. */
  async clear(): Promise<number> {
    this.#cleared = this.#parts.now()
    return this.#parts.store.deleteExpired(new Date(this.#cleared))
  }

  async #end(user: User, found: TokenFamily, reason: FamilyEnd): Promise<boolean> {
    const family = shownFamily(found)
    if (!(await this.#parts.store.end(user.id, family, reason))) return false
    await this.#parts.events.emit('family.ended', { user, family, reason })
    return true
  }

  #isOver({ expires }: TokenFamily): boolean {
    return expires.getTime() <= this.#parts.now()
  }

  async #find({ digests }: Opened): Promise<(FoundFamily & { readonly user: U }) | null> {
    for (const digest of digests) {
      const found = await this.#parts.store.byDigest(digest)
      // The stores read users as the application declares them.
      if (found !== null) return found as FoundFamily & { readonly user: U }
    }
    return null
  }

  #pairOf(
    found: TokenFamily & { readonly user: U },
    { handle, scopes }: Pick<Opened, 'handle' | 'scopes'>,
    generation: number,
  ): TokenPair<U> {
    const now = this.#parts.now()
    const seconds = Math.floor(Math.min(now + this.#times.access, found.ends.getTime()) / 1000)
    const key = this.#seal.sealed('at', handle, seconds, scopes)
    const access = this.#tokenOf(key, found, { number: seconds, scopes })
    const refresh = this.#seal.sealed('rt', handle, generation)
    return new TokenPair(access, refresh, shownFamily(found), now)
  }

  #tokenOf(
    key: string,
    found: TokenFamily & { readonly user: U },
    { number, scopes: own }: Pick<Opened, 'number' | 'scopes'>,
  ): Token<U> {
    const { user, id, label, created, lastUsed } = found
    const scopes = own ?? found.scopes
    const facts = { name: label, scopes, created, lastUsed, expires: new Date(number * 1000) }
    return new AccessToken(key, heldTo(user, scopes), facts, id) as AccessToken & Token<U>
  }
}

function usedAt({ created, lastUsed }: TokenFamily): number {
  return (lastUsed ?? created).getTime()
}

function soonest(ends: Date, from: Date, milliseconds: number): Date {
  return new Date(Math.min(ends.getTime(), from.getTime() + milliseconds))
}

function isWider(scopes: TokenFamily['scopes'], all: TokenFamily['scopes']): boolean {
  if (scopes === null) return false
  return scopes.length === 0 || (all !== null && !scopes.every((each) => all.includes(each)))
}
