import type {
  Factor,
  FactorKind,
  NewFactor,
  Passkey,
  StoredFactor,
} from '../core/ports/account-stores.ts'
import type { User } from '../core/ports/credentials.ts'
import { Conflict } from '../core/errors/api-errors.ts'
import { DatabaseUnavailable } from '../core/errors/storage-errors.ts'
import { Message } from '../core/messages/message.ts'
import { type Digest, digestsUnder, safeEqual, shortDigest } from '../core/secrets/digest.ts'
import { randomText, randomToken } from '../core/secrets/keys.ts'
import { Seal } from '../core/secrets/seal.ts'
import { type AccountParts, requiredSecrets } from './account-policy.ts'
import {
  type FactorStore,
  digestOfPasskey,
  forFirst,
  shownFactor,
  isSecond,
  passkeyIn,
} from './tables/factor-store.ts'
import type { UserStore } from './tables/stores.ts'

const CODES = 10
const CODE_LENGTH = 12
/** Without letters and digits that people mistake for each other: 59 bits in a code. */
const ALPHABET = '23456789abcdefghjkmnpqrstuvwxyz'
const MOST_APPS = 5
const MOST_PASSKEYS = 10
const MOST_DEVICES = 20
const LONGEST_NAME = 100
/** 32 random bytes in base64url. */
const DEVICE = /^[A-Za-z0-9_-]{43}$/

interface FactorsOptions extends Pick<AccountParts, 'secretKeys' | 'events' | 'verified' | 'now'> {
  readonly store: FactorStore
  readonly users: Pick<UserStore, 'byId'>
  readonly onEnforced: () => void
}

/**
 * Proofs of identity beside a password: apps that make codes (RFC 6238), passkeys, recovery codes, and devices that need no
 * further proof. Secrets of apps are sealed, and the others are kept as keyed digests: a copy of the database lets no one in.
 * `secondFactors` of `colophon/factors` checks the codes.
 */
export class Factors<U extends User = User> {
  readonly #options: FactorsOptions
  readonly #seal: Seal
  #digests: readonly Digest[] | null = null

  constructor(options: FactorsOptions) {
    this.#options = options
    this.#seal = new Seal('tokens', () => this.#secrets)
  }

  /** From now on, `users.authenticate` refuses users of these accounts who have a factor: a password is not enough. */
  enforce(): void {
    this.#options.onEnforced()
  }

  /** The factors of a user, in the order in which they were made. */
  async of({ id }: Pick<User, 'id'>): Promise<readonly Factor[]> {
    return (await this.#options.store.ofUser(id)).map(shownFactor)
  }

  /** Must the user prove more than a password? */
  async isRequired(user: Pick<User, 'id'>): Promise<boolean> {
    return (await this.of(user)).some(isSecond)
  }

  /**
   * Keeps the secret of an app. The app does not count until it is confirmed, and it replaces another unconfirmed app.
   *
   * @throws Conflict (409) the user has five apps
   */
  async begin({ id }: Pick<User, 'id'>, name: string, secret: string): Promise<Factor> {
    const { store, now } = this.#options
    const sealed = this.#seal.seal(contextOf(id), secret)
    const kind = 'unconfirmed'
    const factor = { kind, name: factorName(name), digest: null, sealed } as const
    const kept = await store.replace(id, factor, new Date(now()), (own) => {
      checkNumber(own, 'totp', MOST_APPS)
      return own.filter((each) => each.kind === kind)
    })
    return shownFactor(kept)
  }

  /** The apps of a user with their secrets: those that count, or with `unconfirmed` the one that does not count yet. */
  async apps(
    { id }: Pick<User, 'id'>,
    kind: 'totp' | 'unconfirmed' = 'totp',
  ): Promise<readonly (Factor & { readonly secret: string })[]> {
    const own = (await this.#options.store.ofUser(id)).filter((each) => each.kind === kind)
    return own.flatMap((app) => {
      const secret = this.#seal.unseal(contextOf(id), app.sealed ?? '')
      return secret === null ? [] : [{ ...shownFactor(app), secret }]
    })
  }

  /**
   * Confirms an app, which counts from now on. `step`: the step of its first code, which lets no one in again. Returns the
   * recovery codes if the app is the first factor; `null`: the app is no longer there.
   */
  async confirm(user: User, app: Factor, step: number): Promise<readonly string[] | null> {
    const { store, events, now } = this.#options
    const codes = forFirst(this.#newCodes(user))
    if (!(await store.confirm(user.id, app, step, codes.among, new Date(now())))) return null
    await events.emit('factor.added', { user, kind: 'totp', name: app.name })
    return codes.shown()
  }

  #newCodes(user: User) {
    const codes = Array.from({ length: CODES }, () => randomText(CODE_LENGTH, ALPHABET))
    const kept = codes.map((code) => this.#digestsOf(user, code)[0]!)
    return { shown: codes.map((code) => code.match(/.{4}/g)!.join('-')), kept }
  }

  /** The passkeys of a user. */
  async passkeys({ id }: Pick<User, 'id'>): Promise<readonly (Factor & Passkey)[]> {
    const own = await this.#options.store.ofUser(id)
    return own.filter(({ kind }) => kind === 'passkey').map(passkeyIn)
  }

  /** Finds a passkey and its user by the identifier. `null`: the passkey is not there, or its user is not active. */
  async passkey(
    credentialId: string,
  ): Promise<{ readonly user: U; readonly passkey: Factor & Passkey } | null> {
    const owner = await this.#options.store.ownerOf(digestOfPasskey({ credentialId }))
    const user = owner === null ? null : await this.resume(owner, null)
    if (user === null) return null
    const passkey = (await this.passkeys(user)).find((each) => each.credentialId === credentialId)
    return passkey === undefined ? null : { user, passkey }
  }

  /**
   * Adds a passkey, with which the user can log in from now on. `counter`: the counter of the device. Returns the recovery
   * codes if the passkey is the first factor.
   *
   * @throws Conflict (409) it is there already, or the user has ten passkeys
   */
  async addPasskey(
    user: User,
    name: string,
    { counter, ...passkey }: Passkey & { readonly counter: number },
  ): Promise<readonly string[]> {
    const { store, events, now } = this.#options
    const own = { name: factorName(name), digest: digestOfPasskey(passkey) }
    const [kind, credential] = ['passkey', JSON.stringify(passkey)] as const
    const factor: NewFactor = { ...own, kind, sealed: null, step: counter, credential }
    const codes = forFirst(this.#newCodes(user))
    const checked = (all: readonly StoredFactor[]) => checkNumber(all, kind, MOST_PASSKEYS)
    const add = () => store.replace(user.id, factor, new Date(now()), checked, codes.among)
    try {
      await add()
    } catch (error) {
      if (error instanceof DatabaseUnavailable) throw error
      if ((await store.ownerOf(own.digest)) !== null)
        throw new Conflict(Message.of('conflict.passkey'))
      // Where it is gone by now, the passkey is tried again; a lock is waited for once.
      await add()
    }
    await events.emit('factor.added', { user, kind, name: own.name })
    return codes.shown()
  }

  /** Uses a passkey whose device has counted to `counter`. `false`: the counter did not rise, as in a copy it would not. */
  async count({ id }: Factor, counter: number): Promise<boolean> {
    const { store, now } = this.#options
    return store.accept(id, counter, null, new Date(now()))
  }

  /** Uses a code of an app. `step`: the step of the code. `false`: a code of this step, or of a later one, was used already. */
  async accept(
    { id }: Pick<User, 'id'>,
    app: Factor & { readonly secret: string },
    step: number,
  ): Promise<boolean> {
    const { store, now } = this.#options
    // Any secret may have sealed it before; the current one seals it now.
    const sealed = this.#seal.seal(contextOf(id), app.secret)
    return store.accept(app.id, step, sealed, new Date(now()))
  }

  /** Makes ten recovery codes, which replace those of before. They are not shown again. */
  async makeCodes(user: User): Promise<readonly string[]> {
    const { store, now } = this.#options
    const { shown, kept } = this.#newCodes(user)
    await store.replaceCodes(user.id, kept, new Date(now()))
    return shown
  }

  /** Uses a recovery code, which is deleted. `false`: the user has no such code. */
  async spend(user: User, code: string): Promise<boolean> {
    const { store, events } = this.#options
    const text = code.toLowerCase().replaceAll(/[\s-]/g, '')
    if (text.length !== CODE_LENGTH) return false
    const own = (await store.ofUser(user.id)).filter(({ kind }) => kind === 'recovery_code')
    const found = this.#found(own, this.#digestsOf(user, text))
    if (found === undefined || !(await store.drop(user.id, found.id))) return false
    await events.emit('recovery_code.used', { user, left: own.length - 1 })
    return true
  }

  /**
   * Removes an app or a passkey; after the last one, recovery codes and devices are deleted too. `false`: the user has no
   * such factor.
   */
  async remove(user: User, id: number): Promise<boolean> {
    const { store, events } = this.#options
    const found = (await this.of(user)).find((each) => each.id === id)
    if (found === undefined || found.kind === 'recovery_code') return false
    if (!(await store.delete(user.id, found))) return false
    await events.emit('factor.removed', { user, kind: found.kind, name: found.name })
    return true
  }

  /** Removes all factors, for operators whose user has lost them: a password is enough again. Returns how many there were. */
  async removeAll(user: User): Promise<number> {
    const { store, events } = this.#options
    const own = await this.of(user)
    const count = await store.deleteAll(user.id)
    for (const { kind, name } of own)
      if (isSecond({ kind })) await events.emit('factor.removed', { user, kind, name })
    return count
  }

  /**
   * Remembers a device and returns the value of its cookie, which is not shown again. A new password makes the service
   * forget the device.
   */
  async remember(user: User, name: string): Promise<string> {
    const { store, now } = this.#options
    const value = randomToken(32, 'base64url')
    const digest = this.#digestsOf(user, value)[0]!
    const sealed = this.markOf(user)
    const device = { kind: 'device', name: factorName(name), digest, sealed } as const
    await store.replace(user.id, device, new Date(now()), (own) =>
      own.filter(({ kind }) => kind === 'device').slice(0, 1 - MOST_DEVICES),
    )
    return value
  }

  /** When this device was remembered. `null`: it was not, it was under another password, or more than `milliseconds` ago. */
  async knows(user: User, cookie: string, milliseconds: number): Promise<Date | null> {
    if (!DEVICE.test(cookie)) return null
    const own = (await this.#options.store.ofUser(user.id)).filter(({ kind }) => kind === 'device')
    const found = this.#found(own, this.#digestsOf(user, cookie))
    if (found === undefined || found.sealed !== this.markOf(user)) return null
    const age = Math.abs(this.#options.now() - found.created.getTime())
    return age < milliseconds ? found.created : null
  }

  async forgetDevices({ id }: Pick<User, 'id'>): Promise<void> {
    await this.#options.store.deleteAll(id, 'device')
  }

  /** A mark of the password that let this user in; `null`: no password did. */
  markOf(user: User): string | null {
    const hash = this.#options.verified.hashOf(user)
    return hash === null ? null : shortDigest(hash)
  }

  /** The user of a log-in that goes on, let in by the password of `mark`. `null`: it has changed, or the user is inactive. */
  async resume(id: number, mark: string | null): Promise<U | null> {
    const found = await this.#options.users.byId(id)
    if (found === null || !found.user.isActive) return null
    if (mark === null) return found.user as U
    return mark === shortDigest(found.password) ? (this.#options.verified.add(found) as U) : null
  }

  #found(own: readonly StoredFactor[], digests: readonly string[]): StoredFactor | undefined {
    return own.find(({ digest }) => digests.some((each) => safeEqual(each, digest ?? '')))
  }

  /** Digests of a text under the current secret and under those before it. */
  #digestsOf({ id }: Pick<User, 'id'>, text: string): readonly string[] {
    this.#digests ??= digestsUnder(this.#secrets, 'factor digest')
    return this.#digests.map((digestOf) => digestOf(`${id} ${text}`))
  }

  get #secrets(): readonly string[] {
    return requiredSecrets(this.#options.secretKeys(), 'Second factors are kept under it')
  }
}

function checkNumber(own: readonly StoredFactor[], kind: FactorKind, count: number): [] {
  if (own.filter((each) => each.kind === kind).length < count) return []
  throw new Conflict(Message.of('conflict.factors', { count }))
}

function contextOf(id: number): string {
  return `totp of user ${id}`
}

/** Something that tables hold and pages show. */
export function factorName(name: string): string {
  return name.toWellFormed().replaceAll(/\p{C}/gu, '').trim().slice(0, LONGEST_NAME).toWellFormed()
}
