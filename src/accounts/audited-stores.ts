import type { DeclaredValues } from '../core/ports/account-stores.ts'
import type { Executor } from '../core/ports/database.ts'
import type { Actor, AuditAction, AuditDetails } from '../core/ports/events.ts'
import type { User } from '../core/ports/credentials.ts'
import { ApiError, Conflict, PermissionDenied } from '../core/errors/api-errors.ts'
import { Message } from '../core/messages/message.ts'
import { lazyMembers } from '../core/std/once.ts'
import type { SqlTransaction } from '../storage/sql/sql-database.ts'
import { UsernameTaken } from '../core/errors/storage-errors.ts'
import {
  AS_COMMITTED,
  type AccountsDatabase,
  type SessionStore,
  type StoredChanges,
  type Stores,
  type TokenStore,
  type UserStore,
  storesIn,
} from './tables/stores.ts'
import type { FactorStore } from './tables/factor-store.ts'
import type { FamilyStore } from './tables/family-store.ts'
import type { IdentityStore } from './tables/identity-store.ts'
import { type UserShape, rolesOf } from './user-shape.ts'

/**
 * Stores that keep each change together with its entry in the audit trail, or keep neither. If the actor is a user, no
 * change exceeds the rights of that user.
 */
export function auditedStores(
  { plain, ...parts }: TrailParts & { readonly plain: Stores },
  actor: Actor,
): Stores {
  const trail = new Trail(parts, actor)
  // Each store is made when it is first asked for: its tables are made only where an application uses them.
  return lazyMembers<Stores>({
    users: () => withChanges(plain.users, userChanges(plain, trail)),
    tokens: () => withChanges(plain.tokens, tokenChanges(plain, trail)),
    sessions: () => withChanges(plain.sessions, sessionChanges(trail)),
    identities: () => withChanges(plain.identities, identityChanges(plain, trail)),
    factors: () => withChanges(plain.factors, factorChanges(plain, trail)),
    families: () => withChanges(plain.families, familyChanges(trail)),
  })
}

function userChanges(plain: Stores, trail: Trail): Partial<UserStore> {
  return {
    async insert({ identity, ...user }) {
      const { isStaff, isSuperuser, confirmed, own = {} } = user
      try {
        return await trail.keep(null, async ({ users, identities }, note) => {
          if (isStaff || isSuperuser) trail.requireSuperuser()
          trail.requireSuperuserFor(own, null)
          const made = await users.insert(user)
          const proved = confirmed === undefined ? {} : { confirmed: true }
          const details = {
            staff: isStaff,
            superuser: isSuperuser,
            ...proved,
            ...trail.masked(own),
          }
          await note('user.created', details, { subject: made })
          if (identity === undefined) return made
          const linked = await identities.insert(made.id, identity, user.dateJoined)
          if (!linked) throw new Conflict(Message.of('conflict.identity'))
          await note('identity.linked', { ...identity }, { subject: made })
          return made
        })
      } catch (error) {
        if (error instanceof PermissionDenied || error instanceof Conflict) throw error
        // PostgreSQL answers nothing more in a transaction in which a statement has failed.
        if (identity && (await plain.identities.bySubject(identity.issuer, identity.subject)))
          throw new Conflict(Message.of('conflict.identity'))
        const isTaken = (await plain.users.byUsername(user.username)) !== null
        throw isTaken ? new UsernameTaken(user.username) : error
      }
    },
    update: async (id, changes, ends) => {
      const goes = changes.isActive === false || changes.isStaff === false
      const staff = goes ? await staffBeside(id, plain) : []
      const work: Change<boolean> = async ({ users }, note, subject, transaction) => {
        if (changes.isStaff === true || changes.isSuperuser === true) trail.requireSuperuser()
        trail.requireSuperuserFor(changes.own ?? {}, subject)
        if (givesAccess(changes, subject)) trail.requireRolesOf(subject)
        if (goes) await trail.checkDeactivation(subject, users, changes)
        const updated = await users.update(id, changes)
        if (updated)
          for (const [action, details] of trail.actionsOf(changes)) await note(action, details)
        if (updated) await ends?.(trail.inside(transaction))
        return updated
      }
      try {
        return await trail.keep(id, work, staff)
      } catch (error) {
        if (error instanceof ApiError || changes.username === undefined) throw error
        // The name is looked up outside of the failed transaction, in which PostgreSQL answers nothing more.
        const found = await plain.users.byUsername(changes.username)
        throw found === null || found.user.id === id ? error : new UsernameTaken(changes.username)
      }
    },
    forgetConfirmed: (id, lower) =>
      // The account is not that of the actor, and its owner has another address by now.
      trail.keep(null, async ({ users }, note) => {
        const subject = (await users.byId(id))?.user ?? { id, username: '' }
        const forgotten = await users.forgetConfirmed(id, lower)
        const details = { fields: ['email'], confirmed: false }
        if (forgotten) await note('user.changed', details, { subject })
        return forgotten
      }),
    confirmEmail: (user, email, lower, proof) =>
      trail.keep(user.id, async ({ users }, note) => {
        const confirmed = await users.confirmEmail(user, email, lower, proof)
        if (confirmed) await note('user.changed', { fields: ['email'], confirmed })
        return confirmed
      }),
    noteLink: (id, purpose) =>
      trail.keep(id, async (_stores, note, subject) => {
        trail.requireRolesOf(subject)
        await note('link.made', { purpose })
      }),
    remove: async (id, before) => {
      const work: Change<boolean> = async ({ users }, note, subject, transaction) => {
        await trail.checkStaff(subject, users)
        // Transactions of databases that speak SQL have more methods than `Executor` has.
        await before?.(transaction as SqlTransaction)
        const removed = await users.remove(id)
        if (removed) await note('user.deleted')
        return removed
      }
      return trail.keep(id, work, await staffBeside(id, plain))
    },
    rehash: (id, current, next, link, ends) =>
      trail.keep(id, async ({ users }, note, _subject, transaction) => {
        const written = await users.rehash(id, current, next, link)
        if (written) await note('user.password_changed')
        if (written) await ends?.(trail.inside(transaction))
        return written
      }),
  }
}

/**
 * The active staff whom a change of one of them locks, in the order of their numbers, so that the last two do not go at the
 * same moment.
 */
async function staffBeside(id: number, { users }: Stores): Promise<readonly number[]> {
  const { isStaff, isActive } = (await users.byId(id))?.user ?? {}
  return isStaff && isActive ? (await users.staff()).map((each) => each.id) : []
}

/**
 * Does the change give access to the account? A password does; so does a user name, which a server in front states, and an
 * address, to which links for a new password go.
 */
function givesAccess({ password, username, email }: StoredChanges, subject: User | null): boolean {
  const isOther = (given: string | undefined, own: string | undefined) =>
    given !== undefined && given !== own
  return (
    password !== undefined || isOther(username, subject?.username) || isOther(email, subject?.email)
  )
}

function tokenChanges(plain: Stores, trail: Trail): Partial<TokenStore> {
  return {
    async insert(userId, token, password) {
      const { name, scopes, expires } = token
      const terms = { scopes, expires: expires?.toISOString() ?? null }
      try {
        return await trail.keep(userId, async ({ tokens }, note, subject) => {
          trail.requireRolesOf(subject)
          if ((await tokens.ofUser(userId, name)) !== null) return false
          const made = await tokens.insert(userId, token, password)
          if (made) await note('token.created', terms, { token: name })
          return made
        })
      } catch (error) {
        // Another request was faster.
        if (error instanceof PermissionDenied) throw error
        if ((await plain.tokens.ofUser(userId, name)) === null) throw error
        return false
      }
    },
    replace: (userId, token) =>
      trail.keep(userId, async ({ tokens }, note, subject) => {
        const { name } = token
        trail.requireRolesOf(subject)
        const replaced = await tokens.replace(userId, token)
        await note(replaced ? 'token.rotated' : 'token.created', {}, { token: name })
        return replaced
      }),
    rekey: (userId, name, key, created) =>
      trail.keep(userId, async ({ tokens }, note, subject) => {
        trail.requireRolesOf(subject)
        const rekeyed = await tokens.rekey(userId, name, key, created)
        if (rekeyed) await note('token.rotated', {}, { token: name })
        return rekeyed
      }),
    shown: (userId, name) =>
      trail.keep(userId, async (_stores, note, subject) => {
        trail.requireRolesOf(subject)
        await note('token.shown', {}, { token: name })
      }),
    rename: (userId, name, next) =>
      trail.keep(userId, async ({ tokens }, note) => {
        const renamed = await tokens.rename(userId, name, next)
        const details = { name: next.name, expires: next.expires?.toISOString() ?? null }
        if (renamed) await note('token.changed', details, { token: name })
        return renamed
      }),
    delete: (userId, name, leaked) =>
      trail.keep(userId, async ({ tokens }, note) => {
        const deleted = await tokens.delete(userId, name)
        const [action, details] =
          leaked === undefined
            ? (['token.revoked', {}] as const)
            : (['token.leaked', { url: leaked }] as const)
        if (deleted) await note(action, details, { token: name })
        return deleted
      }),
    deleteAll: (ids) =>
      trail.keep(null, async ({ users, tokens }, note) => {
        const deleted = await tokens.deleteAll(ids)
        await trail.checkAll([...new Set(deleted.map(({ user }) => user.id))], users)
        for (const { user, name } of deleted)
          await note('token.revoked', {}, { subject: user, token: name })
        return deleted
      }),
  }
}

function sessionChanges(trail: Trail): Partial<SessionStore> {
  return {
    insert: (session, password) =>
      trail.keep(session.userId, ({ sessions }, _note, subject) => {
        trail.requireRolesOf(subject)
        return sessions.insert(session, password)
      }),
    delete: (digest) =>
      trail.keep(null, async ({ users, sessions }, note) => {
        const session = await sessions.byDigest(digest)
        if (session === null) return false
        const { user } = session
        await trail.checkAll([user.id], users)
        const ended = await sessions.delete(digest)
        if (ended) await note('sessions.ended', { count: 1 }, { subject: user })
        return ended
      }),
    deleteOfUser: (userId, except) =>
      trail.keep(userId, async ({ sessions }, note) => {
        const count = await sessions.deleteOfUser(userId, except)
        if (count > 0) await note('sessions.ended', { count })
        return count
      }),
  }
}

function identityChanges(plain: Stores, trail: Trail): Partial<IdentityStore> {
  return {
    async insert(userId, { issuer, subject }, created) {
      try {
        return await trail.keep(userId, async ({ identities }, note, user) => {
          trail.requireRolesOf(user)
          if ((await identities.bySubject(issuer, subject)) !== null) return false
          const linked = await identities.insert(userId, { issuer, subject }, created)
          if (linked) await note('identity.linked', { issuer, subject })
          return linked
        })
      } catch (error) {
        if (error instanceof PermissionDenied) throw error
        // Another request was faster.
        if ((await plain.identities.bySubject(issuer, subject)) === null) throw error
        return false
      }
    },
    unlink: (userId, identity, evenLast) =>
      trail.keep(userId, async ({ identities }, note) => {
        const { issuer, subject } = identity
        const outcome = await identities.unlink(userId, identity, evenLast)
        if (outcome === 'unlinked') await note('identity.unlinked', { issuer, subject })
        return outcome
      }),
  }
}

/** The trail has no entry for the use of a factor, unless the use deletes it, and none for a device that its user remembers. */
function factorChanges(plain: Stores, trail: Trail): Partial<FactorStore> {
  return {
    replace: (userId, factor, created, instead, codes) => {
      const { kind, name } = factor
      if (kind !== 'passkey') return plain.factors.replace(userId, factor, created, instead, codes)
      return trail.keep(userId, async ({ factors }, note, user) => {
        trail.requireRolesOf(user)
        const kept = await factors.replace(userId, factor, created, instead, codes)
        await note('factor.added', { kind, name })
        return kept
      })
    },
    confirm: (userId, factor, step, codes, at) =>
      trail.keep(userId, async ({ factors }, note) => {
        const confirmed = await factors.confirm(userId, factor, step, codes, at)
        if (confirmed) await note('factor.added', { kind: 'totp', name: factor.name })
        return confirmed
      }),
    replaceCodes: (userId, digests, at) =>
      trail.keep(userId, async ({ factors }, note) => {
        await factors.replaceCodes(userId, digests, at)
        await note('recovery_codes.made', { count: digests.length })
      }),
    /** Deletes a factor that was used up: a recovery code. */
    drop: (userId, id) =>
      trail.keep(userId, async ({ factors }, note) => {
        const dropped = await factors.drop(userId, id)
        if (dropped) await note('recovery_code.used')
        return dropped
      }),
    delete: (userId, factor) =>
      trail.keep(userId, async ({ factors }, note) => {
        const { kind, name } = factor
        const deleted = await factors.delete(userId, factor)
        if (deleted) await note('factor.removed', { kind, name })
        return deleted
      }),
    deleteAll: (userId, kind) =>
      trail.keep(userId, async ({ factors }, note) => {
        const count = await factors.deleteAll(userId, kind)
        if (count > 0) await note('factor.removed', { kind: kind ?? 'all', count })
        return count
      }),
  }
}

/** The trail has no entry for the use of a refresh token, as long as its family goes on. */
function familyChanges(trail: Trail): Partial<FamilyStore> {
  return {
    insert: (userId, family, password) =>
      trail.keep(userId, async ({ families }, note, subject) => {
        trail.requireRolesOf(subject)
        const { label, scopes } = family
        const begun = await families.insert(userId, family, password)
        if (begun) await note('family.begun', { label, scopes })
        return begun
      }),
    end: (userId, family, reason) =>
      trail.keep(userId, async ({ families }, note) => {
        const ended = await families.end(userId, family, reason)
        if (ended) await note('family.ended', { label: family.label, reason })
        return ended
      }),
    endOfUser: (userId) =>
      trail.keep(userId, async ({ families }, note) => {
        const count = await families.endOfUser(userId)
        if (count > 0) await note('family.ended', { count, reason: 'revoked' })
        return count
      }),
  }
}

/** A copy of the store with other changes. */
function withChanges<Store extends object>(store: Store, changes: Partial<Store>): Store {
  return new Proxy(store, {
    get(target, name) {
      const own: unknown = Reflect.get(changes, name)
      if (own !== undefined) return own
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

/** The parts that a trail is made from. */
interface TrailParts {
  readonly database: Pick<AccountsDatabase, 'dialect' | 'transaction'>
  readonly shape: UserShape
  readonly now: () => number
}

/** The user whom an entry is about, if it is not the user who is changed, and the name of the token. */
interface About {
  readonly subject?: Pick<User, 'id' | 'username'>
  readonly token?: string
}

type Change<T> = (
  stores: Stores,
  note: Note,
  subject: User | null,
  transaction: Executor,
) => Promise<T>

type Note = (action: AuditAction, details?: AuditDetails, about?: About) => Promise<void>

class Trail {
  readonly #parts: TrailParts
  readonly #actor: Actor
  /** The actor, as the last change read the row; `null`: the actor is an operator, or nothing was changed yet. */
  #own: User | null = null

  constructor(parts: TrailParts, actor: Actor) {
    this.#parts = parts
    this.#actor = actor
  }

  actionsOf(changes: StoredChanges): readonly (readonly [AuditAction, AuditDetails])[] {
    const { isActive, password, lastLogin: _, confirmed: _proof, own = {}, ...others } = changes
    const fields = Object.keys({ ...others, ...own }).toSorted()
    return [
      ...(fields.length > 0 ? [['user.changed', { fields, ...this.masked(own) }] as const] : []),
      ...(password === undefined ? [] : [['user.password_changed', {}] as const]),
      ...(isActive === undefined
        ? []
        : [[isActive ? 'user.activated' : 'user.deactivated', {}] as const]),
    ]
  }

  masked(own: AuditDetails): AuditDetails {
    const { secrets } = this.#parts.shape
    const shown = Object.entries(own).map(([name, value]) => {
      return [name, secrets.has(name) && value !== null ? '***' : value] as const
    })
    return Object.fromEntries(shown)
  }

  /**
   * Makes a change and writes its entries in one transaction. `userId`: the account that is changed, where it is known.
   * `beside`: users who are locked, and stay as they are until the transaction ends.
   */
  keep<T>(userId: number | null, change: Change<T>, beside: readonly number[] = []): Promise<T> {
    const { database, shape, now } = this.#parts
    return database.transaction(async (transaction) => {
      const stores = storesIn(transaction, database.dialect, shape)
      const [subject = null] = await this.checkAll(
        userId === null ? [] : [userId],
        stores.users,
        beside,
      )
      const note: Note = async (action, details = {}, about = {}) => {
        const { subject: other, token = null } = about
        const whose = other ?? subject ?? { id: userId ?? 0, username: '' }
        const entry = { action, details, subject: whose, token }
        await stores.audit.insert(new Date(now()), this.#actor, entry)
      }
      return change(stores, note, subject, transaction)
    }, AS_COMMITTED)
  }

  /** The stores of a transaction of `keep`, where further changes get their entries. */
  inside(transaction: Executor): Stores {
    const { database, shape } = this.#parts
    const { dialect } = database
    const same: TrailParts['database'] = { dialect, transaction: async (work) => work(transaction) }
    const plain = storesIn(transaction, dialect, shape)
    return auditedStores({ ...this.#parts, database: same, plain }, this.#actor)
  }

  /**
   * Locks these users until the transaction ends, and checks the rights of the actor. Only superusers may change other staff
   * and superusers, whose passwords and keys would give the actor their rights.
   *
   * @throws PermissionDenied
   */
  async checkAll(
    ids: readonly number[],
    users: UserStore,
    beside: readonly number[] = [],
  ): Promise<readonly User[]> {
    const acting = this.#actor.user
    const first = acting === null ? [] : [acting.id]
    const locked = await users.locked([...new Set([...first, ...ids, ...beside])])
    const found = locked.filter(({ id }) => ids.includes(id))
    if (acting === null) return found
    const own = locked.find(({ id }) => id === acting.id)
    // The actor may be a user of another scheme, whose number belongs to someone else here.
    if (!own?.isActive || own.username !== acting.username) throw new PermissionDenied()
    this.#own = own
    const others = found.filter(({ id }) => id !== own.id)
    if (others.some(({ isStaff, isSuperuser }) => isStaff || isSuperuser)) this.requireSuperuser()
    return found
  }

  /** @throws PermissionDenied the actor is a user who is not a superuser */
  requireSuperuser(reason: Message = Message.of('permission_denied.superuser')): void {
    if (this.#actor.user === null || this.#own?.isSuperuser) return
    throw new PermissionDenied(reason)
  }

  /** Roles and columns of the application take a superuser: they may be worth as much as being staff. @throws PermissionDenied */
  requireSuperuserFor(own: DeclaredValues, subject: User | null): void {
    const names = this.#parts.shape.changed(own, subject).join(', ')
    if (names !== '') this.requireSuperuser(Message.of('permission_denied.declared', { names }))
  }

  /**
   * Roles that the actor lacks take a superuser: a password, a key or a session of the user would give them to the actor.
   * @throws PermissionDenied
   */
  requireRolesOf(subject: User | null): void {
    const lacking = rolesOf(subject).filter((role) => !rolesOf(this.#own).includes(role))
    if (lacking.length > 0)
      this.requireSuperuser(Message.of('permission_denied.roles', { names: lacking.join(', ') }))
  }

  /** @throws Conflict the actor deactivates their own account, or no active staff would be left */
  async checkDeactivation(
    subject: User | null,
    users: UserStore,
    { isActive }: StoredChanges,
  ): Promise<void> {
    const { user } = this.#actor
    // An operator at the machine of the service can always reverse the change.
    if (user === null) return
    if (isActive === false && subject?.id === user.id)
      throw new Conflict(Message.of('conflict.own_account'))
    await this.checkStaff(subject, users)
  }

  /** @throws Conflict it is the last active member of staff */
  async checkStaff(subject: User | null, users: UserStore): Promise<void> {
    if (!subject?.isStaff || !subject.isActive) return
    if (!(await users.staff()).some(({ id }) => id !== subject.id))
      throw new Conflict(Message.of('conflict.last_staff'))
  }
}
