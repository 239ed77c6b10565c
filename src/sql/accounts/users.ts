import type { Insertable, Updateable } from 'kysely'
import type { User } from '../../contract/credentials.ts'
import type { MaybePromise } from '../../contract/request.ts'
import type { NewUser, StoredUser, UserStore } from '../../contract/storage.ts'
import { UsernameTaken } from '../../errors/storage-errors.ts'
import { after } from '../../std/after.ts'
import { PAGE, queryBuilder, slot, textOf } from '../compile.ts'
import type { SqlDatabase } from '../sql-database.ts'
import { recovered } from '../../databases/pooled/recovered.ts'
import type { UserTable } from '../migrations/schema.ts'
import { USER_COLUMNS, behindUser, columnsOf, userOf } from './user-row.ts'

type Changes = Parameters<UserStore['update']>[1]

/** Users in SQL. What never varies is compiled here, once, and prepared by the driver. */
export function createUserStore(
  database: Pick<SqlDatabase, 'dialect' | 'rows' | 'write'>,
): UserStore {
  return new SqlUsers(database)
}

class SqlUsers implements UserStore {
  readonly #database: Pick<SqlDatabase, 'dialect' | 'rows' | 'write'>
  readonly #builder: ReturnType<typeof queryBuilder>
  readonly #byUsername: string
  readonly #byId: string
  readonly #insert: string
  readonly #rehash: string
  readonly #after: string
  readonly #count: string

  constructor(database: Pick<SqlDatabase, 'dialect' | 'rows' | 'write'>) {
    this.#database = database
    this.#builder = queryBuilder(database.dialect)
    const select = this.#builder.selectFrom('colophon_user').select([...USER_COLUMNS, 'password'])
    this.#byUsername = textOf(select.where('username', '=', slot<string>()))
    this.#byId = textOf(select.where('id', '=', slot<number>()))
    const columns = columnsOf(SLOTS) as unknown as Insertable<UserTable>
    this.#insert = textOf(this.#builder.insertInto('colophon_user').values(columns))
    this.#rehash = textOf(rehash(this.#builder))
    this.#after = textOf(select.where('id', '>', slot<number>()).orderBy('id').limit(PAGE))
    this.#count = textOf(
      this.#builder.selectFrom('colophon_user').select(({ fn }) => fn.countAll().as('users')),
    )
  }

  byUsername(username: string): MaybePromise<StoredUser | null> {
    return this.#find(this.#byUsername, username)
  }

  byId(id: number): MaybePromise<StoredUser | null> {
    return this.#find(this.#byId, id)
  }

  insert(user: NewUser): MaybePromise<User> {
    const statement = { sql: this.#insert, parameters: Object.values(columnsOf(user)) }
    const written = recovered(
      () => this.#database.write(statement),
      (error) => this.#refused(error, user.username, () => true),
    )
    return after(written, () => after(this.byUsername(user.username), (found) => found!.user))
  }

  update(id: number, changes: Changes): MaybePromise<boolean> {
    const columns = columnsOf(changes) as Updateable<UserTable>
    if (Object.keys(columns).length === 0) return after(this.byId(id), (found) => found !== null)
    const statement = this.#builder
      .updateTable('colophon_user')
      .set(columns)
      .where('id', '=', id)
      .compile()
    const written = recovered(
      () => this.#database.write(statement),
      (error) => this.#refused(error, changes.username, (user) => user.id !== id),
    )
    return after(written, (result) => result.changes > 0)
  }

  rehash(id: number, current: string, next: string): MaybePromise<boolean> {
    const written = this.#database.write({ sql: this.#rehash, parameters: [next, id, current] })
    return after(written, ({ changes }) => changes > 0)
  }

  after(id: number): MaybePromise<readonly User[]> {
    const found = this.#database.rows({ sql: this.#after, parameters: [id] })
    return after(found, ({ values }) => values.map(userOf))
  }

  count(): MaybePromise<number> {
    const found = this.#database.rows({ sql: this.#count, parameters: [] })
    return after(found, ({ values }) => Number(values[0]![0]))
  }

  #find(sql: string, value: string | number): MaybePromise<StoredUser | null> {
    return after(this.#database.rows({ sql, parameters: [value] }), ({ values: [row] }) =>
      row === undefined ? null : { user: userOf(row), password: behindUser(row) as string },
    )
  }

  #refused(
    error: unknown,
    username: string | undefined,
    isOther: (user: User) => boolean,
  ): MaybePromise<never> {
    if (username === undefined) throw error
    return after(this.byUsername(username), (found) => {
      throw found !== null && isOther(found.user) ? new UsernameTaken(username) : error
    })
  }
}

function rehash(builder: ReturnType<typeof queryBuilder>) {
  return builder
    .updateTable('colophon_user')
    .set({ password: slot<string>() })
    .where('id', '=', slot<number>())
    .where('password', '=', slot<string>())
}

const SLOTS: NewUser = {
  username: slot(),
  email: slot(),
  password: slot(),
  isActive: slot(),
  isStaff: slot(),
  isSuperuser: slot(),
  dateJoined: slot(),
}
