import type { SessionStore, StoredSession } from '../../contract/account-stores.ts'
import { prepared } from '../prepared.ts'
import { USER_COLUMNS, dateOf, lookUpBy, withUser } from './look-up.ts'
import { type AccountsPort, SqlStore } from './store.ts'

export function createSessionStore(database: AccountsPort): SessionStore {
  return new SqlSessions(database)
}

class SqlSessions extends SqlStore implements SessionStore {
  readonly #deletion = this.builder.deleteFrom('colophon_session')
  readonly #deletionFor = prepared((user: number) => this.#deletion.where('user_id', '=', user))
  readonly #deletionBut = prepared((user: number, kept: string) =>
    this.#deletion.where('user_id', '=', user).where('digest', '!=', kept),
  )
  readonly #deletionUntil = prepared((now: number) => this.#deletion.where('expires', '<=', now))

  readonly byDigest = lookUpBy(
    this.database,
    this.builder
      .selectFrom('colophon_session')
      .innerJoin('colophon_user', 'colophon_user.id', 'colophon_session.user_id')
      .select([...USER_COLUMNS, 'colophon_session.created', 'colophon_session.expires']),
    'colophon_session.digest',
    sessionOf,
  )

  insert(session: StoredSession, password: string | null = null): Promise<boolean> {
    const { digest, userId, created, expires } = session
    const row = { digest, created: created.getTime(), expires: expires.getTime() }
    return this.insertForUser('colophon_session', row, userId, password)
  }

  readonly delete = this.changing((digest: string) => this.#deletion.where('digest', '=', digest))

  deleteOfUser(user: number, kept: string | null = null): Promise<number> {
    return this.changes(kept === null ? this.#deletionFor(user) : this.#deletionBut(user, kept))
  }

  deleteExpired(now: Date): Promise<number> {
    return this.changes(this.#deletionUntil(now.getTime()))
  }
}

const sessionOf = withUser((row, at) => ({
  created: dateOf(row[at]),
  expires: dateOf(row[at + 1]),
}))
