import { sql } from 'kysely'
import type {
  Factor,
  FactorKind,
  FactorStore,
  IdentityStore,
  LinkedIdentity,
  NewFactor,
  Passkey,
  StoredFactor,
  StoredUser,
  Unlinking,
} from '../../core/ports/account-stores.ts'
import type { Subject, User } from '../../core/ports/credentials.ts'
import { AuthenticationFailed } from '../../core/errors/api-errors.ts'
import { sha256 } from '../../core/secrets/digest.ts'
import { prepared } from '../../storage/sql/prepared.ts'
import { isUnusable } from '../passwords/password-hasher.ts'
import type { UserShape } from '../user-shape.ts'
import { type AccountsPort, type RowValues, SqlStore, dateOf, withUser } from './sql-store.ts'

/** What is there within a transaction. */
interface Inside {
  readonly users: {
    locked(ids: readonly number[]): Promise<readonly User[]>
    byId(id: number): Promise<StoredUser | null>
  }
  readonly identities: IdentityStore
  readonly factors: FactorStore
}

type Within = <T>(work: (stores: Inside) => Promise<T>) => Promise<T>

/** @param within runs work in a transaction: the one of these statements, where they have one */
export function createIdentityStore(
  database: AccountsPort,
  shape: UserShape | undefined,
  within: Within,
): IdentityStore {
  return new SqlIdentities(database, shape, within)
}

/** What users prove who they are with beside a password. @param within as above */
export function createFactorStore(
  database: AccountsPort,
  shape: UserShape | undefined,
  within: Within,
): FactorStore {
  return new SqlFactors(database, shape, within)
}

class SqlIdentities extends SqlStore implements IdentityStore {
  readonly #all = this.builder.selectFrom('colophon_identity')
  readonly #within: Within

  constructor(database: AccountsPort, shape: UserShape | undefined, within: Within) {
    super(database, shape)
    this.#within = within
  }

  readonly bySubject = this.first(
    withUser(this.shape, identityOf),
    (issuer: string, subject: string) =>
      this.#all
        .innerJoin('colophon_user', 'colophon_user.id', 'colophon_identity.user_id')
        .select([...this.userColumns, ...IDENTITY_COLUMNS])
        .where('issuer', '=', issuer)
        .where('subject', '=', subject),
  )

  readonly ofUser = this.all(
    (row) => identityOf(row, 0),
    (user: number) => this.#all.select(IDENTITY_COLUMNS).where('user_id', '=', user).orderBy('id'),
  )

  async insert(user_id: number, subject: Subject, created: Date): Promise<boolean> {
    const row = { ...subject, user_id, created: created.getTime() }
    try {
      await this.changes(this.builder.insertInto('colophon_identity').values(row).compile())
      return true
    } catch (error) {
      if ((await this.bySubject(subject.issuer, subject.subject)) === null) throw error
      return false
    }
  }

  used(id: number, at: Date): Promise<boolean> {
    return this.#used(id, at.getTime())
  }

  readonly #used = this.changing((id: number, at: number) =>
    this.builder.updateTable('colophon_identity').set({ last_used: at }).where('id', '=', id),
  )

  /** The user stays locked: of two at the same moment, neither counts on the other. */
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

  readonly delete = this.changing((id: number) =>
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

class SqlFactors extends SqlStore implements FactorStore {
  readonly #deletion = this.builder.deleteFrom('colophon_factor')
  readonly #update = this.builder.updateTable('colophon_factor')
  readonly #deletionFor = prepared((user: number) => this.#deletion.where('user_id', '=', user))
  readonly #deletionOf = prepared((user: number, kind: string) =>
    this.#deletion.where('user_id', '=', user).where('kind', '=', kind),
  )
  readonly #within: Within

  constructor(database: AccountsPort, shape: UserShape | undefined, within: Within) {
    super(database, shape)
    this.#within = within
  }

  readonly ofUser = this.all(factorOf, (user: number) =>
    this.builder
      .selectFrom('colophon_factor')
      .select(['id', 'kind', 'name', 'digest', 'sealed', 'created', 'last_used', 'credential'])
      .where('user_id', '=', user)
      .orderBy('id'),
  )

  readonly ownerOf = this.first(
    ([user]) => Number(user),
    (digest: string) =>
      this.builder
        .selectFrom('colophon_factor')
        .select('user_id')
        .where('digest', '=', digest)
        .where('kind', '=', sql.lit('passkey')),
  )

  async insert(user_id: number, factor: NewFactor, created: Date): Promise<void> {
    const row = { step: 0, ...factor, user_id, created: created.getTime() }
    await this.changes(this.builder.insertInto('colophon_factor').values(row).compile())
  }

  /** The user stays locked: many at the same moment are counted one after the other. */
  replace(
    user: number,
    factor: NewFactor,
    created: Date,
    instead: (own: readonly StoredFactor[]) => readonly StoredFactor[],
    codes: readonly string[] | null = null,
  ): Promise<StoredFactor> {
    return this.#within(async ({ users, factors }) => {
      await lockOwner(users, user)
      for (const { id } of instead(await factors.ofUser(user))) await factors.drop(user, id)
      if (codes !== null) await factors.replaceCodes(user, codes, created)
      await factors.insert(user, factor, created)
      return (await factors.ofUser(user)).at(-1)!
    })
  }

  /** The statement that writes decides it: of many at the same moment, one changes the row. */
  accept(id: number, step: number, sealed: string | null, at: Date): Promise<boolean> {
    return this.#accept(id, step, sealed, at.getTime(), Math.max(0, step - 1))
  }

  readonly #accept = this.changing(
    (id: number, step: number, sealed: string | null, at: number, most: number) =>
      this.#update
        .set({ step, sealed, last_used: at })
        .where('id', '=', id)
        .where('step', '<=', most),
  )

  /** The user stays locked: two at the same moment make codes one after the other. */
  confirm(
    user: number,
    { id }: Factor,
    step: number,
    codes: readonly string[] | null,
    at: Date,
  ): Promise<boolean> {
    return this.#within(async ({ users, factors }) => {
      await users.locked([user])
      const own = await factors.ofUser(user)
      if (!own.some((each) => each.id === id && each.kind === 'unconfirmed')) return false
      if (codes !== null) await factors.replaceCodes(user, codes, at)
      return factors.activate(user, id, step, at.getTime())
    })
  }

  readonly activate = this.changing((user: number, id: number, step: number, at: number) =>
    this.#update
      .set({ kind: sql.lit('totp'), step, last_used: at })
      .where('id', '=', id)
      .where('user_id', '=', user)
      .where('kind', '=', sql.lit('unconfirmed')),
  )

  replaceCodes(user: number, digests: readonly string[], at: Date): Promise<void> {
    return this.#within(async ({ users, factors }) => {
      await lockOwner(users, user)
      await factors.deleteAll(user, 'recovery_code')
      for (const digest of digests)
        await factors.insert(user, { kind: 'recovery_code', name: '', digest, sealed: null }, at)
    })
  }

  delete(user: number, { id }: Factor): Promise<boolean> {
    return this.#within(async ({ users, factors }) => {
      await users.locked([user])
      const deleted = await factors.drop(user, id)
      const left = await factors.ofUser(user)
      if (!left.some(isSecond)) await factors.deleteAll(user)
      return deleted
    })
  }

  readonly drop = this.changing((user: number, id: number) =>
    this.#deletion.where('user_id', '=', user).where('id', '=', id),
  )

  deleteAll(user: number, kind?: FactorKind): Promise<number> {
    return this.changes(kind === undefined ? this.#deletionFor(user) : this.#deletionOf(user, kind))
  }
}

/** @throws AuthenticationFailed (401) the user is gone: no row can be of one who is not there */
async function lockOwner(users: Inside['users'], user: number): Promise<void> {
  if ((await users.locked([user])).length === 0) throw new AuthenticationFailed()
}

/** Does it make a password not enough? */
export function isSecond({ kind }: Pick<Factor, 'kind'>): boolean {
  return kind === 'totp' || kind === 'passkey'
}

/** Without what it is checked by. */
export function shownFactor({ id, kind, name, created, lastUsed }: StoredFactor): Factor {
  return { id, kind, name, created, lastUsed }
}

export function passkeyIn(factor: StoredFactor): Factor & Passkey {
  return { ...shownFactor(factor), ...(JSON.parse(factor.credential!) as Passkey) }
}

/** Of the identifier alone, which many devices choose at random: no two users have the same. */
export function digestOfPasskey({ credentialId }: Pick<Passkey, 'credentialId'>): string {
  return sha256(`passkey ${credentialId}`)
}

function factorOf(row: RowValues): StoredFactor {
  return {
    id: Number(row[0]),
    kind: row[1] as FactorKind,
    name: row[2] as string,
    digest: row[3] as string | null,
    sealed: row[4] as string | null,
    created: dateOf(row[5]),
    lastUsed: row[6] === null ? null : dateOf(row[6]),
    credential: row[7] as string | null,
  }
}
