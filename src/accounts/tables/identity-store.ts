import type { LinkedIdentity, StoredUser, Unlinking } from '../../core/ports/account-stores.ts'
import type { Subject, User } from '../../core/ports/credentials.ts'
import { isUnusable } from '../passwords/password-hasher.ts'
import type { UserShape } from '../user-shape.ts'
import { type AccountsPort, type RowValues, SqlStore, dateOf, withUser } from './sql-store.ts'

/** Runs work in a transaction: that of the statements around it, where they have one. */
export type Within<Stores> = <T>(work: (stores: Stores) => Promise<T>) => Promise<T>

export interface LockedUsers {
  locked(ids: readonly number[]): Promise<readonly User[]>
}

export type IdentityStore = Pick<SqlIdentities, keyof SqlIdentities>

/** The stores within a transaction that this one needs. */
interface Inside {
  readonly users: LockedUsers & { byId(id: number): Promise<StoredUser | null> }
  readonly identities: IdentityStore
}

export class SqlIdentities extends SqlStore {
  readonly #all = this.builder.selectFrom('colophon_identity')
  readonly #within: Within<Inside>

  constructor(database: AccountsPort, shape: UserShape | undefined, within: Within<Inside>) {
    super(database, shape)
    this.#within = within
  }

  readonly bySubject: (
    issuer: string,
    subject: string,
  ) => Promise<(LinkedIdentity & { readonly user: User }) | null> = this.first(
    withUser(this.shape, identityOf),
    (issuer: string, subject: string) =>
      this.#all
        .innerJoin('colophon_user', 'colophon_user.id', 'colophon_identity.user_id')
        .select([...this.userColumns, ...IDENTITY_COLUMNS])
        .where('issuer', '=', issuer)
        .where('subject', '=', subject),
  )

  /** In the order in which they were linked. */
  readonly ofUser: (user: number) => Promise<readonly LinkedIdentity[]> = this.all(
    (row) => identityOf(row, 0),
    (user: number) => this.#all.select(IDENTITY_COLUMNS).where('user_id', '=', user).orderBy('id'),
  )

  /** `false`: the identity is linked to a user already. */
  async insert(user: number, { issuer, subject }: Subject, created: Date): Promise<boolean> {
    const row = { issuer, subject, created: created.getTime() }
    try {
      return await this.insertForUser('colophon_identity', row, user, null)
    } catch (error) {
      const linked = await this.because(error, () => this.bySubject(issuer, subject))
      if (linked === null) throw error
      return false
    }
  }

  async used(id: number, at: Date): Promise<void> {
    const identity = this.builder.updateTable('colophon_identity').where('id', '=', id)
    await this.changes(identity.set({ last_used: at.getTime() }).compile())
  }

  /**
   * Unlinks an identity. `last`: the user would have no other way to log in, and `evenLast` is `false`. The user stays
   * locked, so that of two requests at the same moment neither counts on the identity that the other removes.
   */
  unlink(user: number, { id }: LinkedIdentity, evenLast: boolean): Promise<Unlinking> {
    return this.#within(async ({ users, identities }) => {
      await users.locked([user])
      const all = await identities.ofUser(user)
      if (!all.some((each) => each.id === id)) return 'unknown'
      const isLast = all.length === 1 && isUnusable((await users.byId(user))!.password)
      if (isLast && !evenLast) return 'last'
      await identities.delete(id)
      return 'unlinked'
    })
  }

  readonly delete: (id: number) => Promise<boolean> = this.changing((id: number) =>
    this.builder.deleteFrom('colophon_identity').where('id', '=', id),
  )
}

const IDENTITY_COLUMNS = [
  'colophon_identity.id',
  'colophon_identity.issuer',
  'colophon_identity.subject',
  'colophon_identity.created',
  'colophon_identity.last_used',
] as const

function identityOf(row: RowValues, at: number): LinkedIdentity {
  return {
    id: Number(row[at]),
    issuer: row[at + 1] as string,
    subject: row[at + 2] as string,
    created: dateOf(row[at + 3]),
    lastUsed: row[at + 4] === null ? null : dateOf(row[at + 4]),
  }
}
