import type { MaybePromise } from '../../contract/request.ts'
import type {
  FoundToken,
  NewToken,
  SealedKey,
  StoredToken,
  TokenStore,
} from '../../contract/storage.ts'
import { after } from '../../std/after.ts'
import { PAGE, queryBuilder, slot, textOf } from '../compile.ts'
import type { Dialect } from '../dialect.ts'
import type { SqlDatabase } from '../sql-database.ts'
import { type LookUp, lookUpBy } from './look-up.ts'
import { recovered } from '../../databases/pooled/recovered.ts'
import { slotAs, userWithHash } from './user-with-hash.ts'
import {
  FOUND_COLUMNS,
  STORED_COLUMNS,
  behindFound,
  foundOf,
  scopesText,
  storedOf,
} from './token-row.ts'

type Port = Pick<SqlDatabase, 'dialect' | 'rows' | 'write'>

/** Tokens in SQL, at most one of each name for a user (K5). The statements are compiled here, once. */
export function createTokenStore(database: Port): TokenStore {
  return new SqlTokens(database)
}

class SqlTokens implements TokenStore {
  readonly #database: Port
  readonly #texts: ReturnType<typeof compile>
  readonly #byDigest: LookUp
  readonly #byClearKey: LookUp

  constructor(database: Port) {
    this.#database = database
    this.#texts = compile(database.dialect)
    const found = findTokens(queryBuilder(database.dialect))
    this.#byDigest = lookUpBy(database, found, 'colophon_token.digest')
    const clear = found.select('colophon_token.clear_key')
    this.#byClearKey = lookUpBy(database, clear, 'colophon_token.clear_key')
  }

  byDigest(digest: string): MaybePromise<FoundToken | null> {
    const row = this.#byDigest(digest)
    return row instanceof Promise ? row.then(foundOrNull) : foundOrNull(row)
  }

  byClearKey(key: string): MaybePromise<(FoundToken & { readonly clearKey: string }) | null> {
    return after(this.#byClearKey(key), (row) =>
      row === null ? null : { ...foundOf(row), clearKey: behindFound(row) as string },
    )
  }

  ofUser(userId: number, name: string): MaybePromise<StoredToken | null> {
    return this.#first(this.#texts.ofUser, [userId, name], storedOf)
  }

  allOf(userId: number): MaybePromise<readonly StoredToken[]> {
    return this.#all(this.#texts.allOf, [userId], storedOf)
  }

  after(id: number): MaybePromise<readonly FoundToken[]> {
    return this.#all(this.#texts.after, [id], foundOf)
  }

  insert(userId: number, token: NewToken, password: string | null = null): MaybePromise<boolean> {
    const { digest, sealed, name, scopes, created, expires } = token
    const values = [
      digest,
      sealed,
      name,
      scopesText(scopes),
      created.getTime(),
      expires?.getTime() ?? null,
      userId,
    ]
    const { insert, insertWithHash } = this.#texts
    return recovered<boolean>(
      () =>
        password === null
          ? this.#change(insert, values)
          : this.#change(insertWithHash, [...values, password]),
      (error) =>
        after(this.ofUser(userId, name), (present) => {
          if (present === null) throw error
          return false
        }),
    )
  }

  replace(userId: number, token: NewToken): MaybePromise<boolean> {
    return after(
      this.rekey(userId, token.name, token, token.created),
      (done) => done || this.#insertOrReplace(userId, token),
    )
  }

  rekey(
    userId: number,
    name: string,
    { digest, sealed }: SealedKey,
    created: Date,
  ): MaybePromise<boolean> {
    return this.#change(this.#texts.rekey, [
      digest,
      sealed,
      null,
      created.getTime(),
      null,
      userId,
      name,
    ])
  }

  reseal(id: number, kept: string, { digest, sealed }: SealedKey): MaybePromise<boolean> {
    return this.#change(this.#texts.reseal, [digest, sealed, null, id, kept, kept])
  }

  used(ids: readonly number[], at: Date): MaybePromise<void> {
    const builder = queryBuilder(this.#database.dialect)
    const statement = builder
      .updateTable('colophon_token')
      .set({ last_used: at.getTime() })
      .where('id', 'in', ids)
      .compile()
    return after(this.#database.write(statement), () => undefined)
  }

  delete(userId: number, name: string): MaybePromise<boolean> {
    return this.#change(this.#texts.delete, [userId, name])
  }

  /** Where another one was faster and inserted a token, that one is replaced. */
  #insertOrReplace(userId: number, token: NewToken): MaybePromise<boolean> {
    return after(this.insert(userId, token), (inserted) =>
      inserted ? false : this.replace(userId, token),
    )
  }

  #first<T>(sql: string, parameters: readonly unknown[], read: Read<T>): MaybePromise<T | null> {
    return after(this.#database.rows({ sql, parameters }), ({ values }) => firstOf(values, read))
  }

  #all<T>(sql: string, parameters: readonly unknown[], read: Read<T>): MaybePromise<T[]> {
    return after(this.#database.rows({ sql, parameters }), ({ values }) => values.map(read))
  }

  #change(sql: string, parameters: readonly unknown[]): MaybePromise<boolean> {
    return after(this.#database.write({ sql, parameters }), ({ changes }) => changes > 0)
  }
}

type Row = readonly unknown[]
type Read<T> = (row: Row) => T

function firstOf<T>(values: readonly Row[], read: Read<T>): T | null {
  const row = values[0]
  return row === undefined ? null : read(row)
}

function foundOrNull(row: Row | null): FoundToken | null {
  return row === null ? null : foundOf(row)
}

/** Tokens with their owners. */
function findTokens(builder: ReturnType<typeof queryBuilder>) {
  return builder
    .selectFrom('colophon_token')
    .innerJoin('colophon_user', 'colophon_user.id', 'colophon_token.user_id')
    .select(FOUND_COLUMNS)
}

/** Columns of a new token that are given as they are. */
const GIVEN = ['digest', 'sealed', 'name', 'scopes', 'created', 'expires'] as const

function compile(dialect: Dialect) {
  const builder = queryBuilder(dialect)
  const insertion = builder.insertInto('colophon_token')
  const found = findTokens(builder)
  const stored = builder
    .selectFrom('colophon_token')
    .select(STORED_COLUMNS)
    .where('user_id', '=', slot<number>())
  const key = { digest: slot<string>(), sealed: slot<string>() }
  return {
    ofUser: textOf(stored.where('name', '=', slot<string>())),
    allOf: textOf(stored.orderBy('name')),
    after: textOf(
      found
        .where('colophon_token.id', '>', slot<number>())
        .orderBy('colophon_token.id')
        .limit(PAGE),
    ),
    insert: textOf(
      insertion.values({
        ...key,
        name: slot<string>(),
        scopes: slot<string>(),
        created: slot<number>(),
        expires: slot<number>(),
        user_id: slot<number>(),
      }),
    ),
    insertWithHash: textOf(
      insertion
        .columns([...GIVEN, 'user_id'])
        .expression(userWithHash(dialect).select([...GIVEN.map(slotAs), 'id as user_id'])),
    ),
    rekey: textOf(
      builder
        .updateTable('colophon_token')
        .set({ ...key, clear_key: slot(), created: slot<number>(), last_used: slot() })
        .where('user_id', '=', slot<number>())
        .where('name', '=', slot<string>()),
    ),
    reseal: textOf(
      builder
        .updateTable('colophon_token')
        .set({ ...key, clear_key: slot() })
        .where('id', '=', slot<number>())
        .where(({ or, eb }) =>
          or([eb('digest', '=', slot<string>()), eb('clear_key', '=', slot<string>())]),
        ),
    ),
    delete: textOf(
      builder
        .deleteFrom('colophon_token')
        .where('user_id', '=', slot<number>())
        .where('name', '=', slot<string>()),
    ),
  }
}
