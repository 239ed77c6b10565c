import { sql } from 'kysely'
import type {
  FamilyEnd,
  FamilyStep,
  FamilyStore,
  FoundFamily,
  NewFamily,
  TokenFamily,
} from '../../core/ports/account-stores.ts'
import { prepare } from '../../storage/sql/prepared.ts'
import type { UserShape } from '../user-shape.ts'
import {
  type AccountsPort,
  type LookUpByKey,
  type RowValues,
  SqlStore,
  dateOf,
  lookUpBy,
  scopesIn,
  withUser,
  wordsOf,
} from './sql-store.ts'

/** Refresh tokens as rows: one for each family. */
export function createFamilyStore(database: AccountsPort, shape?: UserShape): FamilyStore {
  return new SqlFamilies(database, shape)
}

class SqlFamilies extends SqlStore implements FamilyStore {
  readonly #all = this.builder.selectFrom('colophon_family')
  readonly #deletion = this.builder.deleteFrom('colophon_family')
  readonly #deletionFor = prepare((user: number) => this.#deletion.where('user_id', '=', user))
  readonly #deletionUntil = prepare((now: number) => this.#deletion.where('expires', '<=', now))

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

  readonly ofUser: (user: number) => Promise<readonly TokenFamily[]> = this.all(
    (row) => familyOf(row, 0),
    (user: number) => this.#all.select(FAMILY_COLUMNS).where('user_id', '=', user).orderBy('id'),
  )

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

  /** The statement that writes decides: of many requests at the same moment, one changes the row. */
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

  end(user: number, { id }: TokenFamily, _reason?: FamilyEnd): Promise<boolean> {
    return this.#end(user, id)
  }

  readonly #end = this.changing((user: number, id: number) =>
    this.#deletion.where('user_id', '=', user).where('id', '=', id),
  )

  endOfUser(user: number): Promise<number> {
    return this.changes(this.#deletionFor(user))
  }

  /** Deletes families that have ended, those that end at `now` too. */
  deleteExpired(now: Date): Promise<number> {
    return this.changes(this.#deletionUntil(now.getTime()))
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
