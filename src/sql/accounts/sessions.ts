import type { MaybePromise } from '../../contract/request.ts'
import type { Database, FoundSession, SessionStore, StoredSession } from '../../contract/storage.ts'
import { after } from '../../std/after.ts'
import { queryBuilder, slot, textOf } from '../compile.ts'
import type { Dialect } from '../dialect.ts'
import type { SqlDatabase } from '../sql-database.ts'
import { type LookUp, lookUpBy } from './look-up.ts'
import { slotAs, userWithHash } from './user-with-hash.ts'
import { USER_COLUMNS, dateOf, userOf } from './user-row.ts'

type Writable = Pick<Database, 'write'>

/** Sessions in SQL, any number for each user. The statements are compiled here, once. */
export function createSessionStore(
  database: Pick<SqlDatabase, 'dialect' | 'rows' | 'write'>,
): SessionStore {
  return new SqlSessions(database)
}

class SqlSessions implements SessionStore {
  readonly #database: Writable
  readonly #texts: ReturnType<typeof compile>
  readonly #byDigest: LookUp

  constructor(database: Pick<SqlDatabase, 'dialect' | 'rows' | 'write'>) {
    this.#database = database
    this.#texts = compile(database.dialect)
    const found = findSessions(database.dialect)
    this.#byDigest = lookUpBy(database, found, 'colophon_session.digest')
  }

  byDigest(digest: string): MaybePromise<FoundSession | null> {
    const row = this.#byDigest(digest)
    return row instanceof Promise ? row.then(sessionOf) : sessionOf(row)
  }

  insert(
    { digest, userId, created, expires }: StoredSession,
    password: string | null = null,
  ): MaybePromise<boolean> {
    const values = [digest, created.getTime(), expires.getTime(), userId]
    const written =
      password === null
        ? this.#write(this.#texts.insert, ...values)
        : this.#write(this.#texts.insertWithHash, ...values, password)
    return after(written, (changes) => changes > 0)
  }

  delete(digest: string): MaybePromise<boolean> {
    return after(this.#write(this.#texts.delete, digest), (changes) => changes > 0)
  }

  deleteOfUser(userId: number, except: string | null = null): MaybePromise<number> {
    return except === null
      ? this.#write(this.#texts.deleteOfUser, userId)
      : this.#write(this.#texts.deleteOthers, userId, except)
  }

  deleteExpired(now: Date): MaybePromise<number> {
    return this.#write(this.#texts.deleteExpired, now.getTime())
  }

  #write(sql: string, ...parameters: readonly unknown[]): MaybePromise<number> {
    return after(this.#database.write({ sql, parameters }), ({ changes }) => changes)
  }
}

function sessionOf(row: readonly unknown[] | null): FoundSession | null {
  if (row === null) return null
  const [created, expires] = row.slice(USER_COLUMNS.length)
  return { user: userOf(row), created: dateOf(created), expires: dateOf(expires) }
}

/** Sessions with their users. */
function findSessions(dialect: Dialect) {
  return queryBuilder(dialect)
    .selectFrom('colophon_session')
    .innerJoin('colophon_user', 'colophon_user.id', 'colophon_session.user_id')
    .select([...USER_COLUMNS, 'colophon_session.created', 'colophon_session.expires'])
}

function compile(dialect: Dialect) {
  const builder = queryBuilder(dialect)
  const deletion = builder.deleteFrom('colophon_session')
  const ofUser = deletion.where('user_id', '=', slot<number>())
  const insertion = builder.insertInto('colophon_session')
  const columns = ['digest', 'created', 'expires', 'user_id'] as const
  return {
    insert: textOf(
      insertion.values({ digest: slot(), created: slot(), expires: slot(), user_id: slot() }),
    ),
    insertWithHash: textOf(
      insertion
        .columns(columns)
        .expression(
          userWithHash(dialect).select([
            slotAs('digest'),
            slotAs('created'),
            slotAs('expires'),
            'id as user_id',
          ]),
        ),
    ),
    delete: textOf(deletion.where('digest', '=', slot<string>())),
    deleteOfUser: textOf(ofUser),
    deleteOthers: textOf(ofUser.where('digest', '!=', slot<string>())),
    deleteExpired: textOf(deletion.where('expires', '<=', slot<number>())),
  }
}
