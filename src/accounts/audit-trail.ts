import type { DeclaredValues } from '../core/ports/account-stores.ts'
import type { Executor } from '../core/ports/database.ts'
import type { Actor, AuditAction, AuditDetails } from '../core/ports/events.ts'
import type { User } from '../core/ports/credentials.ts'
import { Conflict, PermissionDenied } from '../core/errors/api-errors.ts'
import { Message } from '../core/messages/message.ts'
import { type AccountsDatabase, type Stores, type UserStore, storesIn } from './tables/stores.ts'
import { type UserShape, rolesOf } from './user-shape.ts'

/** What a trail is kept with. */
export interface TrailParts {
  readonly database: AccountsDatabase
  readonly shape: UserShape
  readonly now: () => number
}

/** Whom an entry is about, where it is not about the user who is changed, and which token. */
interface About {
  readonly subject?: Pick<User, 'id' | 'username'>
  readonly token?: string
}

type Note = (action: AuditAction, details?: AuditDetails, about?: About) => Promise<void>

export class Trail {
  readonly #parts: TrailParts
  readonly #actor: Actor
  /** The actor as a change found the actor last; `null`: an operator, or nothing was changed yet. */
  #own: User | null = null

  constructor(parts: TrailParts, actor: Actor) {
    this.#parts = parts
    this.#actor = actor
  }

  /** A change, with what is noted about it, in one transaction. `userId`: whose account it is, where that is known. */
  keep<T>(
    userId: number | null,
    change: (stores: Stores, note: Note, subject: User | null, transaction: Executor) => Promise<T>,
  ): Promise<T> {
    const { database, shape, now } = this.#parts
    return database.transaction(async (transaction) => {
      const stores = storesIn(transaction, database.dialect, shape)
      const [subject = null] = await this.checkAll(userId === null ? [] : [userId], stores.users)
      const note: Note = async (action, details = {}, about = {}) => {
        const { subject: other, token = null } = about
        const whose = other ?? subject ?? { id: userId ?? 0, username: '' }
        const entry = { action, details, subject: whose, token }
        await stores.audit.insert(new Date(now()), this.#actor, entry)
      }
      return change(stores, note, subject, transaction)
    })
  }

  /**
   * These users, who stay as they are until the transaction ends. Staff and superusers are changed by superusers and
   * themselves only: their passwords and keys would give others their rights.
   *
   * @throws PermissionDenied
   */
  async checkAll(ids: readonly number[], users: UserStore): Promise<readonly User[]> {
    const acting = this.#actor.user
    const found = await users.locked(acting === null ? ids : [...new Set([acting.id, ...ids])])
    if (acting === null) return found
    const own = found.find(({ id }) => id === acting.id)
    // A user of another scheme may have the number of someone else here.
    if (!own?.isActive || own.username !== acting.username) throw new PermissionDenied()
    this.#own = own
    const others = found.filter(({ id }) => ids.includes(id) && id !== own.id)
    if (others.some(({ isStaff, isSuperuser }) => isStaff || isSuperuser)) this.requireSuperuser()
    return found.filter(({ id }) => ids.includes(id))
  }

  /** @throws PermissionDenied the actor is a user, and none */
  requireSuperuser(reason: Message = Message.of('permission_denied.superuser')): void {
    if (this.#actor.user === null || this.#own?.isSuperuser) return
    throw new PermissionDenied(reason)
  }

  /** For roles and columns of the application: they may be worth as much as being staff. @throws PermissionDenied */
  requireSuperuserFor(own: DeclaredValues, subject: User | null): void {
    const names = this.#parts.shape.changed(own, subject).join(', ')
    if (names !== '') this.requireSuperuser(Message.of('permission_denied.declared', { names }))
  }

  /** A password, a key or a session would give the actor the roles of the user. @throws PermissionDenied */
  requireRolesOf(subject: User | null): void {
    const lacking = rolesOf(subject).filter((role) => !rolesOf(this.#own).includes(role))
    if (lacking.length > 0)
      this.requireSuperuser(Message.of('permission_denied.roles', { names: lacking.join(', ') }))
  }

  /** @throws Conflict it is the actor's own account, or that of the last active member of staff */
  async checkDeactivation(subject: User, users: UserStore): Promise<void> {
    const { user } = this.#actor
    // At the machine of the service there is always a way back.
    if (user === null) return
    if (subject.id === user.id) throw new Conflict(Message.of('conflict.own_account'))
    if (!subject.isStaff || !subject.isActive || this.#own?.isStaff) return
    if (!(await users.hasOtherStaff(subject.id)))
      throw new Conflict(Message.of('conflict.last_staff'))
  }
}
