import { sql } from 'kysely'
import type {
  FamilyEnd,
  FamilyStep,
  FoundFamily,
  NewFamily,
  TokenFamily,
} from '../../core/ports/account-stores.ts'
import {
  type LookUpByKey,
  type RowValues,
  SqlStore,
  dateOf,
  lookUpBy,
  scopesIn,
  withUser,
  wordsOf,
} from './sql-store.ts'

export type FamilyStore = Pick<SqlFamilies, keyof SqlFamilies>

/** Refresh tokens as rows: one for each family. */
export class SqlFamilies extends SqlStore {
  readonly #all = this.builder.selectFrom('colophon_family')
  readonly #deletion = this.builder.deleteFrom('colophon_family')

  /** One indexed look-up, joined with the user as the user is now; both may be over. */
  readonly byDigest: LookUpByKey<FoundFamily> = lookUpBy(
    this.database,
    () =>
      this.#all
        .innerJoin('colophon_user', 'colophon_user.id', 'colophon_family.user_id')
        .select([...this.userColumns, ...FAMILY_COLUMNS, 'colophon_family.generation']),
    'colophon_family.digest',
    withUser(this.shape, (row, at) => ({
      ...familyOf(row, at),
      generation: Number(row[at + FAMILY_COLUMNS.length]),
    })),
  )

  /** The families of a user, in the order in which they began. */
  readonly ofUser: (user: number) => Promise<readonly TokenFamily[]> = this.all(
    (row) => familyOf(row, 0),
    (user: number) => this.#all.select(FAMILY_COLUMNS).where('user_id', '=', user).orderBy('id'),
  )

  /** `false`: the user has another hash than `password`, is not active, or is gone. */
  insert(user: number, family: NewFamily, password: string | null = null): Promise<boolean> {
    const { digest, label, created, expires, ends } = family
    const times = {
      created: created.getTime(),
      expires: expires.getTime(),
      ends: ends.getTime(),
    }
    const row = { digest, label, scopes: wordsOf(family), generation: 0, ...times }
    return this.insertForUser('colophon_family', row, user, password)
  }

  /**
   * Spends the refresh token with this number. The statement that writes decides: of many requests at the same moment, one
   * changes the row. `false`: the token is spent.
   */
  step(
    id: number,
    generation: number,
    { digest, lastUsed, expires }: FamilyStep,
  ): Promise<boolean> {
    return this.#step(id, generation, digest, lastUsed.getTime(), expires.getTime())
  }

  readonly #step = this.changing(
    (id: number, generation: number, digest: string, last_used: number, expires: number) =>
      this.builder
        .updateTable('colophon_family')
        .set({ generation: sql<number>`${sql.ref('generation')} + 1`, digest, last_used, expires })
        .where('id', '=', id)
        .where('generation', '=', generation),
  )

  /** Ends a family of this user. `false`: it had ended already. `reason`: for the audit trail. */
  async end(user: number, { id }: TokenFamily, _reason: FamilyEnd): Promise<boolean> {
    const own = this.#deletion.where('user_id', '=', user).where('id', '=', id)
    return (await this.changes(own.compile())) > 0
  }

  /** Ends all families of a user, and gives their number. */
  endOfUser(user: number): Promise<number> {
    return this.changes(this.#deletion.where('user_id', '=', user).compile())
  }

  /** Deletes families that have ended, those that end at `now` too, and gives their number. */
  deleteExpired(now: Date): Promise<number> {
    return this.changes(this.#deletion.where('expires', '<=', now.getTime()).compile())
  }
}

const FAMILY_COLUMNS = [
  'colophon_family.id',
  'colophon_family.label',
  'colophon_family.scopes',
  'colophon_family.created',
  'colophon_family.last_used',
  'colophon_family.expires',
  'colophon_family.ends',
] as const

function familyOf(row: RowValues, at: number): TokenFamily {
  return {
    id: Number(row[at]),
    label: row[at + 1] as string,
    scopes: scopesIn(row[at + 2]),
    created: dateOf(row[at + 3]),
    lastUsed: row[at + 4] === null ? null : dateOf(row[at + 4]),
    expires: dateOf(row[at + 5]),
    ends: dateOf(row[at + 6]),
  }
}

/** The family without the values that it is found by, and without its owner. */
export function shownFamily({ id, label, scopes, ...times }: TokenFamily): TokenFamily {
  const { created, lastUsed, expires, ends } = times
  return { id, label, scopes, created, lastUsed, expires, ends }
}
