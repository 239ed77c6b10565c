import type { Kysely } from 'kysely'
import type { MaybePromise } from '../contract/request.ts'
import type { Rows, Statement } from '../contract/database.ts'
import type { SessionStore, TokenStore, UserStore } from '../contract/account-stores.ts'
import { createSessionStore } from '../sql/accounts/sessions.ts'
import { createTokenStore } from '../sql/accounts/tokens.ts'
import { createUserStore } from '../sql/accounts/users.ts'
import type { SqlDatabase } from '../sql/sql-database.ts'
import { type QueryConnection, createKysely } from './kysely.ts'

/** What every database has: the stores of accounts and typed queries, each made when it is first asked for. */
export abstract class AccountsDatabase {
  abstract readonly dialect: SqlDatabase['dialect']
  abstract rows(statement: Statement): MaybePromise<Rows>
  abstract write(statement: Statement): MaybePromise<{ readonly changes: number }>
  #users: UserStore | null = null
  #tokens: TokenStore | null = null
  #sessions: SessionStore | null = null
  #kysely: Kysely<unknown> | null = null

  get users(): UserStore {
    return (this.#users ??= createUserStore(this))
  }

  get tokens(): TokenStore {
    return (this.#tokens ??= createTokenStore(this))
  }

  get sessions(): SessionStore {
    return (this.#sessions ??= createSessionStore(this))
  }

  kysely<Tables>(): Kysely<Tables> {
    this.#kysely ??= createKysely(this.dialect.queryBuilder, () => this.queries())
    return this.#kysely as Kysely<Tables>
  }

  /** A connection for one typed query or transaction. */
  protected abstract queries(): QueryConnection
}
