import { sql } from 'kysely'
import type {
  CodesAmong,
  Factor,
  FactorKind,
  NewFactor,
  Passkey,
  StoredFactor,
} from '../../core/ports/account-stores.ts'
import { AuthenticationFailed } from '../../core/errors/api-errors.ts'
import { sha256 } from '../../core/secrets/digest.ts'
import type { UserShape } from '../user-shape.ts'
import type { LockedUsers, Within } from './identity-store.ts'
import { type AccountsPort, type RowValues, SqlStore, dateOf } from './sql-store.ts'

export type FactorStore = Pick<SqlFactors, keyof SqlFactors>

/** The stores within a transaction that this one needs. */
interface Inside {
  readonly users: LockedUsers
  readonly factors: FactorStore
}

/** Users' factors beside their passwords, as rows. */
export class SqlFactors extends SqlStore {
  readonly #deletion = this.builder.deleteFrom('colophon_factor')
  readonly #update = this.builder.updateTable('colophon_factor')
  readonly #within: Within<Inside>

  constructor(database: AccountsPort, shape: UserShape | undefined, within: Within<Inside>) {
    super(database, shape)
    this.#within = within
  }

  /** In the order in which they were made. */
  readonly ofUser: (user: number) => Promise<readonly StoredFactor[]> = this.all(
    factorOf,
    (user: number) =>
      this.builder
        .selectFrom('colophon_factor')
        .select(['id', 'kind', 'name', 'digest', 'sealed', 'created', 'last_used', 'credential'])
        .where('user_id', '=', user)
        .orderBy('id'),
  )

  /** The id of the user who has the passkey with this digest; `null`: none has. */
  readonly ownerOf: (digest: string) => Promise<number | null> = this.first(
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

  /**
   * Inserts a factor in place of the user's factors that `instead` chooses. If `instead` throws, nothing is changed. What
   * `codes` gives become the recovery codes. Gives the factor as it is kept. The user stays locked: many at the same moment
   * are counted one after the other.
   */
  replace(
    user: number,
    factor: NewFactor,
    created: Date,
    instead: (own: readonly StoredFactor[]) => readonly StoredFactor[],
    codes: CodesAmong = () => null,
  ): Promise<StoredFactor> {
    return this.#within(async ({ users, factors }) => {
      await lockOwner(users, user)
      const own = await factors.ofUser(user)
      for (const { id } of instead(own)) await factors.drop(user, id)
      const made = codes(own)
      if (made !== null) await factors.replaceCodes(user, made, created)
      await factors.insert(user, factor, created)
      return (await factors.ofUser(user)).at(-1)!
    })
  }

  /**
   * Notes that the factor was used at this step, which must come after every earlier one, and keeps the new seal. `false`:
   * this step or a later one was used. Step 0 may follow itself: a factor that counts nothing stays at it. The statement
   * that writes decides it: of many at the same moment, one changes the row.
   */
  async accept(id: number, step: number, sealed: string | null, at: Date): Promise<boolean> {
    const before = this.#update.where('id', '=', id).where('step', '<=', Math.max(0, step - 1))
    const used = before.set({ step, sealed, last_used: at.getTime() })
    return (await this.changes(used.compile())) > 0
  }

  /**
   * Confirms a factor, which counts from now on. What `codes` gives become the recovery codes. `false`: no such unconfirmed
   * factor exists. The user stays locked: two at the same moment make codes one after the other.
   */
  confirm(
    user: number,
    { id }: Factor,
    step: number,
    codes: CodesAmong,
    at: Date,
  ): Promise<boolean> {
    return this.#within(async ({ users, factors }) => {
      await users.locked([user])
      const own = await factors.ofUser(user)
      if (!own.some((each) => each.id === id && each.kind === 'unconfirmed')) return false
      const made = codes(own)
      if (made !== null) await factors.replaceCodes(user, made, at)
      return factors.activate(user, id, step, at)
    })
  }

  /** `false`: the factor is gone, or it is not unconfirmed. */
  async activate(user: number, id: number, step: number, at: Date): Promise<boolean> {
    const one = this.#update.where('id', '=', id).where('user_id', '=', user)
    const unconfirmed = one.where('kind', '=', 'unconfirmed')
    const active = unconfirmed.set({ kind: 'totp', step, last_used: at.getTime() })
    return (await this.changes(active.compile())) > 0
  }

  replaceCodes(user: number, digests: readonly string[], at: Date): Promise<void> {
    return this.#within(async ({ users, factors }) => {
      await lockOwner(users, user)
      await factors.deleteAll(user, 'recovery_code')
      for (const digest of digests)
        await factors.insert(user, { kind: 'recovery_code', name: '', digest, sealed: null }, at)
    })
  }

  /** Deletes a factor. With the last factor, the recovery codes and devices go too. `false`: no such factor exists. */
  delete(user: number, { id }: Factor): Promise<boolean> {
    return this.#within(async ({ users, factors }) => {
      await users.locked([user])
      const deleted = await factors.drop(user, id)
      const left = await factors.ofUser(user)
      if (!left.some(isSecond)) await factors.deleteAll(user)
      return deleted
    })
  }

  /** Deletes one factor. If several requests try at the same moment, one succeeds. */
  readonly drop: (user: number, id: number) => Promise<boolean> = this.changing(
    (user: number, id: number) => this.#deletion.where('user_id', '=', user).where('id', '=', id),
  )

  /** Deletes all factors of a user, or all of one kind, and gives their number. */
  deleteAll(user: number, kind?: FactorKind): Promise<number> {
    const all = this.#deletion.where('user_id', '=', user)
    return this.changes((kind === undefined ? all : all.where('kind', '=', kind)).compile())
  }
}

/** @throws AuthenticationFailed (401) the user is gone: no row can be of one who is not there */
async function lockOwner(users: LockedUsers, user: number): Promise<void> {
  if ((await users.locked([user])).length === 0) throw new AuthenticationFailed()
}

/** Do log-ins ask for this factor beside the password? */
export function isSecond({ kind }: Pick<Factor, 'kind'>): boolean {
  return kind === 'totp' || kind === 'passkey'
}

/** Recovery codes for a first factor: of several at the same moment, the lock on the user decides which one it is. */
export function forFirst({ shown, kept }: Record<'shown' | 'kept', readonly string[]>): {
  readonly among: CodesAmong
  readonly shown: () => readonly string[]
} {
  let isFirst = true
  const among: CodesAmong = (own) => {
    isFirst = !own.some(isSecond)
    return isFirst ? kept : null
  }
  return { among, shown: () => (isFirst ? shown : []) }
}

/** The factor without the values that it is checked by. */
export function shownFactor({ id, kind, name, created, lastUsed }: StoredFactor): Factor {
  return { id, kind, name, created, lastUsed }
}

export function passkeyIn(factor: StoredFactor): Factor & Passkey {
  return { ...shownFactor(factor), ...(JSON.parse(factor.credential!) as Passkey) }
}

/** A digest of the identifier alone, which many devices choose at random: no two users have the same. */
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
