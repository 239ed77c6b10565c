import type { User } from '../../contract/credentials.ts'
import type { MaybePromise } from '../../contract/request.ts'
import type { Database, StoredToken, TokenStore } from '../../contract/storage.ts'
import { after } from '../../std/after.ts'
import { queryBuilder, slot, textOf } from './compile.ts'
import { recovered } from './recovered.ts'
import { USER_COLUMNS, behindUser, dateOf, userOf } from './user-row.ts'

type Owner = { readonly user: User; readonly created: Date }

/** Tokens in SQL, at most one for each user (K5). The statements are compiled here, once. */
export function createTokenStore(
  database: Pick<Database, 'dialect' | 'rows' | 'write'>,
): TokenStore {
  return new SqlTokens(database)
}

class SqlTokens implements TokenStore {
  readonly #database: Pick<Database, 'rows' | 'write'>
  readonly #byDigest: string
  readonly #ofUser: string
  readonly #insert: string
  readonly #update: string
  readonly #delete: string

  constructor(database: Pick<Database, 'dialect' | 'rows' | 'write'>) {
    this.#database = database
    const texts = compile(database.dialect)
    this.#byDigest = texts.byDigest
    this.#ofUser = texts.ofUser
    this.#insert = texts.insert
    this.#update = texts.update
    this.#delete = texts.delete
  }

  byDigest(digest: string): MaybePromise<Owner | null> {
    const found = this.#database.rows({ sql: this.#byDigest, parameters: [digest] })
    return found instanceof Promise
      ? found.then(({ values }) => ownerOf(values))
      : ownerOf(found.values)
  }

  ofUser(userId: number): MaybePromise<StoredToken | null> {
    return after(
      this.#database.rows({ sql: this.#ofUser, parameters: [userId] }),
      ({ values: [row] }) =>
        row === undefined
          ? null
          : { digest: row[0] as string, sealed: row[1] as string, created: dateOf(row[2]) },
    )
  }

  insert(userId: number, token: StoredToken): MaybePromise<boolean> {
    return recovered<boolean>(
      () => after(this.#write(this.#insert, userId, token), () => true),
      (error) =>
        after(this.ofUser(userId), (present) => {
          if (present === null) throw error
          return false
        }),
    )
  }

  replace(userId: number, token: StoredToken): MaybePromise<void> {
    return after(this.#write(this.#update, userId, token), ({ changes }) =>
      changes > 0 ? undefined : this.#insertOrReplace(userId, token),
    )
  }

  delete(userId: number): MaybePromise<boolean> {
    const written = this.#database.write({ sql: this.#delete, parameters: [userId] })
    return after(written, ({ changes }) => changes > 0)
  }

  /** Where another one was faster and inserted a token, that one is replaced. */
  #insertOrReplace(userId: number, token: StoredToken): MaybePromise<void> {
    return after(this.insert(userId, token), (inserted) =>
      inserted ? undefined : this.replace(userId, token),
    )
  }

  #write(sql: string, userId: number, { digest, sealed, created }: StoredToken) {
    return this.#database.write({ sql, parameters: [digest, sealed, created.getTime(), userId] })
  }
}

function ownerOf(values: readonly (readonly unknown[])[]): Owner | null {
  const row = values[0]
  return row === undefined ? null : { user: userOf(row), created: dateOf(behindUser(row)) }
}

function compile(dialect: Database['dialect']) {
  const builder = queryBuilder(dialect)
  const written = { digest: slot<string>(), sealed: slot<string>(), created: slot<number>() }
  return {
    byDigest: textOf(
      builder
        .selectFrom('colophon_token')
        .innerJoin('colophon_user', 'colophon_user.id', 'colophon_token.user_id')
        .select([...USER_COLUMNS, 'colophon_token.created'])
        .where('colophon_token.digest', '=', slot<string>()),
    ),
    ofUser: textOf(
      builder
        .selectFrom('colophon_token')
        .select(['digest', 'sealed', 'created'])
        .where('user_id', '=', slot<number>()),
    ),
    insert: textOf(
      builder.insertInto('colophon_token').values({ ...written, user_id: slot<number>() }),
    ),
    update: textOf(
      builder.updateTable('colophon_token').set(written).where('user_id', '=', slot<number>()),
    ),
    delete: textOf(builder.deleteFrom('colophon_token').where('user_id', '=', slot<number>())),
  }
}
