import type { MaybePromise } from '../../contract/request.ts'
import type { FoundSession, SessionStore, StoredSession } from '../../contract/account-stores.ts'
import type { Dialect } from '../dialect.ts'
import { prepared, queryBuilder } from '../prepared.ts'
import { insertForUser } from './insert-for-user.ts'
import { type LookUp, lookUpBy } from './look-up.ts'
import { type AccountsPort, type RowValues, SqlStore } from './store.ts'
import { USER_COLUMNS, behindUser, dateOf, userOf } from './user-row.ts'

/** Sessions in SQL, any number for each user. The statements are compiled here, once. */
export function createSessionStore(database: AccountsPort): SessionStore {
  return new SqlSessions(database)
}

class SqlSessions extends SqlStore implements SessionStore {
  readonly #statements: ReturnType<typeof statements>
  readonly #byDigest: LookUp<FoundSession>

  constructor(database: AccountsPort) {
    super(database)
    this.#statements = statements(database.dialect)
    const found = queryBuilder(database.dialect)
      .selectFrom('colophon_session')
      .innerJoin('colophon_user', 'colophon_user.id', 'colophon_session.user_id')
      .select([...USER_COLUMNS, 'colophon_session.created', 'colophon_session.expires'])
    this.#byDigest = lookUpBy(database, found, 'colophon_session.digest', sessionOf)
  }

  byDigest(digest: string): MaybePromise<FoundSession | null> {
    return this.#byDigest(digest)
  }

  async insert(
    { digest, userId, created, expires }: StoredSession,
    password: string | null = null,
  ): Promise<boolean> {
    const times = { created: created.getTime(), expires: expires.getTime() }
    const row = { digest, user_id: userId, ...times }
    return (await this.changes(this.#statements.insert(row, password))) > 0
  }

  async delete(digest: string): Promise<boolean> {
    return (await this.changes(this.#statements.delete({ digest }))) > 0
  }

  deleteOfUser(user: number, except: string | null = null): Promise<number> {
    const { deleteOfUser, deleteOthers } = this.#statements
    return this.changes(except === null ? deleteOfUser({ user }) : deleteOthers({ user, except }))
  }

  deleteExpired(now: Date): Promise<number> {
    return this.changes(this.#statements.deleteExpired({ now: now.getTime() }))
  }
}

function sessionOf(row: RowValues): FoundSession {
  const [created, expires] = behindUser(row)
  return { user: userOf(row), created: dateOf(created), expires: dateOf(expires) }
}

function statements(dialect: Dialect) {
  const deletion = queryBuilder(dialect).deleteFrom('colophon_session')
  return {
    insert: insertForUser(dialect, 'colophon_session', ['digest', 'created', 'expires']),
    delete: prepared<{ digest: string }>((given) => deletion.where('digest', '=', given('digest'))),
    deleteOfUser: prepared<{ user: number }>((given) =>
      deletion.where('user_id', '=', given('user')),
    ),
    deleteOthers: prepared<{ user: number; except: string }>((given) =>
      deletion.where('user_id', '=', given('user')).where('digest', '!=', given('except')),
    ),
    deleteExpired: prepared<{ now: number }>((given) =>
      deletion.where('expires', '<=', given('now')),
    ),
  }
}
