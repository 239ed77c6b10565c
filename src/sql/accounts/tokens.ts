import { sql } from 'kysely'
import type { TokenFacts } from '../../contract/credentials.ts'
import type { MaybePromise } from '../../contract/request.ts'
import type {
  FoundToken,
  NewToken,
  SealedKey,
  StoredToken,
  TokenStore,
} from '../../contract/account-stores.ts'
import type { Statement } from '../../contract/database.ts'
import { after } from '../../std/after.ts'
import type { Dialect } from '../dialect.ts'
import { type Given, PAGE, prepared, queryBuilder } from '../prepared.ts'
import { insertForUser } from './insert-for-user.ts'
import { type LookUp, lookUpBy } from './look-up.ts'
import { type AccountsPort, type RowValues, SqlStore } from './store.ts'
import { USER_COLUMNS, dateOf, userOf } from './user-row.ts'

/** Tokens in SQL, at most one of each name for a user (K5). The statements are compiled here, once. */
export function createTokenStore(database: AccountsPort): TokenStore {
  return new SqlTokens(database)
}

type ClearToken = FoundToken & { readonly clearKey: string }

class SqlTokens extends SqlStore implements TokenStore {
  readonly #statements: ReturnType<typeof statements>
  readonly #byDigest: LookUp<FoundToken>
  readonly #byClearKey: LookUp<ClearToken>

  constructor(database: AccountsPort) {
    super(database)
    this.#statements = statements(database.dialect)
    const found = findTokens(database.dialect)
    this.#byDigest = lookUpBy(database, found, 'colophon_token.digest', foundOf)
    const clear = found.select('colophon_token.clear_key')
    this.#byClearKey = lookUpBy(database, clear, 'colophon_token.clear_key', clearOf)
  }

  byDigest(digest: string): MaybePromise<FoundToken | null> {
    return this.#byDigest(digest)
  }

  byClearKey(key: string): MaybePromise<ClearToken | null> {
    return this.#byClearKey(key)
  }

  ofUser(user: number, name: string): Promise<StoredToken | null> {
    return this.first(this.#statements.ofUser({ user, name }), storedOf)
  }

  allOf(user: number): Promise<readonly StoredToken[]> {
    return this.all(this.#statements.allOf({ user }), storedOf)
  }

  after(id: number): Promise<readonly FoundToken[]> {
    return this.all(this.#statements.after({ id }), foundOf)
  }

  async insert(user: number, token: NewToken, password: string | null = null): Promise<boolean> {
    const { digest, sealed, name, scopes, created, expires } = token
    const row = {
      digest,
      sealed,
      name,
      scopes: scopes?.join(' ') ?? null,
      created: created.getTime(),
      expires: expires?.getTime() ?? null,
      user_id: user,
    }
    try {
      return await this.#change(this.#statements.insert(row, password))
    } catch (error) {
      // The reason is looked up afterwards: that needs no error codes of any one database.
      if ((await this.ofUser(user, name)) === null) throw error
      return false
    }
  }

  async replace(user: number, token: NewToken): Promise<boolean> {
    if (await this.rekey(user, token.name, token, token.created)) return true
    if (await this.insert(user, token)) return false
    // Another request has inserted a token meanwhile: that one is replaced.
    return this.replace(user, token)
  }

  rekey(user: number, name: string, key: SealedKey, created: Date): Promise<boolean> {
    const { digest, sealed } = key
    const statement = { user, name, digest, sealed, created: created.getTime() }
    return this.#change(this.#statements.rekey(statement))
  }

  reseal(id: number, kept: string, { digest, sealed }: SealedKey): MaybePromise<boolean> {
    const statement = this.#statements.reseal({ id, kept, digest, sealed })
    return after(this.database.write(statement), ({ changes }) => changes > 0)
  }

  async used(ids: readonly number[], at: Date): Promise<void> {
    await this.changes(this.#statements.used(ids, at.getTime()))
  }

  delete(user: number, name: string): Promise<boolean> {
    return this.#change(this.#statements.delete({ user, name }))
  }

  async #change(statement: Statement): Promise<boolean> {
    return (await this.changes(statement)) > 0
  }
}

/** What a token is read from, in this order; statements add their own columns in front and behind. */
const TOKEN_COLUMNS = [
  'colophon_token.id',
  'colophon_token.name',
  'colophon_token.scopes',
  'colophon_token.created',
  'colophon_token.expires',
  'colophon_token.last_used',
] as const

const USER = USER_COLUMNS.length
const TOKEN = TOKEN_COLUMNS.length

function tokenOf(row: RowValues, at: number): TokenFacts & { readonly id: number } {
  return {
    id: Number(row[at]),
    name: row[at + 1] as string,
    scopes: scopesOf(row[at + 2] as string | null),
    created: dateOf(row[at + 3]),
    expires: row[at + 4] === null ? null : dateOf(row[at + 4]),
    lastUsed: row[at + 5] === null ? null : dateOf(row[at + 5]),
  }
}

/** Scopes hold no spaces. */
function scopesOf(text: string | null): readonly string[] | null {
  return text === null ? null : text.split(' ').filter((scope) => scope !== '')
}

/** Tokens with their owners. */
function findTokens(dialect: Dialect) {
  return queryBuilder(dialect)
    .selectFrom('colophon_token')
    .innerJoin('colophon_user', 'colophon_user.id', 'colophon_token.user_id')
    .select([...USER_COLUMNS, ...TOKEN_COLUMNS])
}

function foundOf(row: RowValues): FoundToken {
  return { ...tokenOf(row, USER), user: userOf(row) }
}

function clearOf(row: RowValues): ClearToken {
  return { ...foundOf(row), clearKey: row[USER + TOKEN] as string }
}

function storedOf(row: RowValues): StoredToken {
  return {
    ...tokenOf(row, 0),
    sealed: row[TOKEN] as string | null,
    clearKey: row[TOKEN + 1] as string | null,
  }
}

const NULL = sql.lit(null)

interface Named {
  readonly user: number
  readonly name: string
}

function statements(dialect: Dialect) {
  const builder = queryBuilder(dialect)
  const changed = builder.updateTable('colophon_token')
  const resealed = (given: Given<SealedKey>) =>
    changed.set({ digest: given('digest'), sealed: given('sealed'), clear_key: NULL })
  const stored = builder
    .selectFrom('colophon_token')
    .select([...TOKEN_COLUMNS, 'colophon_token.sealed', 'colophon_token.clear_key'])
  return {
    ofUser: prepared<Named>((given) =>
      stored.where('user_id', '=', given('user')).where('name', '=', given('name')),
    ),
    allOf: prepared<{ user: number }>((given) =>
      stored.where('user_id', '=', given('user')).orderBy('name'),
    ),
    after: prepared<{ id: number }>((given) =>
      findTokens(dialect)
        .where('colophon_token.id', '>', given('id'))
        .orderBy('colophon_token.id')
        .limit(PAGE),
    ),
    insert: insertForUser(dialect, 'colophon_token', [
      'digest',
      'sealed',
      'name',
      'scopes',
      'created',
      'expires',
    ]),
    rekey: prepared<Named & SealedKey & { readonly created: number }>((given) =>
      resealed(given)
        .set({ created: given('created'), last_used: NULL })
        .where('user_id', '=', given('user'))
        .where('name', '=', given('name')),
    ),
    reseal: prepared<SealedKey & { readonly id: number; readonly kept: string }>((given) =>
      resealed(given)
        .where('id', '=', given('id'))
        .where(({ or, eb }) =>
          or([eb('digest', '=', given('kept')), eb('clear_key', '=', given('kept'))]),
        ),
    ),
    used: (ids: readonly number[], at: number) =>
      changed.set({ last_used: at }).where('id', 'in', ids).compile(),
    delete: prepared<Named>((given) =>
      builder
        .deleteFrom('colophon_token')
        .where('user_id', '=', given('user'))
        .where('name', '=', given('name')),
    ),
  }
}
