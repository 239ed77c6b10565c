import { sql } from 'kysely'
import type {
  FoundToken,
  NewToken,
  SealedKey,
  StoredToken,
  TokenStore,
} from '../../contract/account-stores.ts'
import type { MaybePromise } from '../../contract/request.ts'
import { after } from '../../std/after.ts'
import { PAGE, prepared } from '../prepared.ts'
import { TOKEN_COLUMNS, USER_COLUMNS, lookUpBy, tokenOf, withUser } from './look-up.ts'
import { type AccountsPort, type RowValues, SqlStore } from './store.ts'

/** At most one of each name for a user (K5). */
export function createTokenStore(database: AccountsPort): TokenStore {
  return new SqlTokens(database)
}

/** How many columns of a token stand in front of those that a statement adds. */
const OWN = TOKEN_COLUMNS.length

const NULL = sql.lit(null)

class SqlTokens extends SqlStore implements TokenStore {
  readonly #found = this.builder
    .selectFrom('colophon_token')
    .innerJoin('colophon_user', 'colophon_user.id', 'colophon_token.user_id')
    .select([...USER_COLUMNS, ...TOKEN_COLUMNS])
  readonly #stored = this.builder
    .selectFrom('colophon_token')
    .select([...TOKEN_COLUMNS, 'colophon_token.sealed', 'colophon_token.clear_key'])
  readonly #changed = this.builder.updateTable('colophon_token')

  readonly byDigest = lookUpBy(this.database, this.#found, 'colophon_token.digest', foundOf)

  readonly byClearKey = lookUpBy(
    this.database,
    this.#found.select('colophon_token.clear_key'),
    'colophon_token.clear_key',
    withUser((row, at) => ({ ...tokenOf(row, at), clearKey: row[at + OWN] as string })),
  )

  readonly ofUser = this.first(storedOf, (user: number, name: string) =>
    this.#stored.where('user_id', '=', user).where('name', '=', name),
  )

  async byIds(ids: readonly number[]): Promise<readonly FoundToken[]> {
    if (ids.length === 0) return []
    const query = this.#found.where('colophon_token.id', 'in', ids).orderBy('colophon_token.id')
    return (await this.database.rows(query.compile())).values.map(foundOf)
  }

  readonly allOf = this.all(storedOf, (user: number) =>
    this.#stored.where('user_id', '=', user).orderBy('name'),
  )

  readonly after = this.all(foundOf, (id: number) =>
    this.#found.where('colophon_token.id', '>', id).orderBy('colophon_token.id').limit(PAGE),
  )

  async insert(user: number, token: NewToken, password: string | null = null): Promise<boolean> {
    const { digest, sealed, name } = token
    // Not `?.`: what is missing must not become all scopes.
    const scopes = token.scopes === null ? null : token.scopes.join(' ')
    const created = token.created.getTime()
    const expires = token.expires?.getTime() ?? null
    const row = { digest, sealed, name, scopes, created, expires }
    try {
      return await this.insertForUser('colophon_token', row, user, password)
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
    return this.#rekey(user, name, key.digest, key.sealed, created.getTime())
  }

  readonly #rekey = this.changing(
    (user: number, name: string, digest: string, sealed: string, created: number) =>
      this.#changed
        .set({ digest, sealed, clear_key: NULL, created, last_used: NULL })
        .where('user_id', '=', user)
        .where('name', '=', name),
  )

  rename(
    user: number,
    name: string,
    next: { readonly name: string; readonly expires: Date | null },
  ): Promise<boolean> {
    return this.#rename(user, name, next.name, next.expires?.getTime() ?? null)
  }

  readonly #rename = this.changing(
    (user: number, name: string, next: string, expires: number | null) =>
      this.#changed
        .set({ name: next, expires })
        .where('user_id', '=', user)
        .where('name', '=', name),
  )

  reseal(id: number, kept: string, { digest, sealed }: SealedKey): MaybePromise<boolean> {
    const statement = this.#resealing(id, kept, digest, sealed)
    return after(this.database.write(statement), ({ changes }) => changes > 0)
  }

  readonly #resealing = prepared((id: number, kept: string, digest: string, sealed: string) =>
    this.#changed
      .set({ digest, sealed, clear_key: NULL })
      .where('id', '=', id)
      .where(({ or, eb }) => or([eb('digest', '=', kept), eb('clear_key', '=', kept)])),
  )

  async used(ids: readonly number[], at: Date): Promise<void> {
    await this.changes(
      this.#changed.set({ last_used: at.getTime() }).where('id', 'in', ids).compile(),
    )
  }

  readonly delete = this.changing((user: number, name: string) =>
    this.builder.deleteFrom('colophon_token').where('user_id', '=', user).where('name', '=', name),
  )

  async deleteAll(ids: readonly number[]): Promise<readonly FoundToken[]> {
    const found = await this.byIds(ids)
    if (found.length === 0) return []
    const known = found.map(({ id }) => id)
    await this.changes(this.builder.deleteFrom('colophon_token').where('id', 'in', known).compile())
    return found
  }
}

const foundOf = withUser(tokenOf)

function storedOf(row: RowValues): StoredToken {
  return {
    ...tokenOf(row, 0),
    sealed: row[OWN] as string | null,
    clearKey: row[OWN + 1] as string | null,
  }
}
