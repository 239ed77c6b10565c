import type { Insertable, Updateable } from 'kysely'
import type { User } from '../../contract/credentials.ts'
import type { NewUser, StoredUser, UserStore } from '../../contract/account-stores.ts'
import { UsernameTaken } from '../../errors/storage-errors.ts'
import type { Dialect } from '../dialect.ts'
import type { UserTable } from '../migrations/schema.ts'
import { PAGE, prepared, queryBuilder } from '../prepared.ts'
import { type AccountsPort, type RowValues, SqlStore } from './store.ts'
import { USER_COLUMNS, type UserChanges, behindUser, columnsOf, userOf } from './user-row.ts'

/** Users in SQL. What never varies is compiled here, once, and prepared by the driver. */
export function createUserStore(database: AccountsPort): UserStore {
  return new SqlUsers(database)
}

class SqlUsers extends SqlStore implements UserStore {
  readonly #statements: ReturnType<typeof statements>

  constructor(database: AccountsPort) {
    super(database)
    this.#statements = statements(database.dialect)
  }

  byUsername(username: string): Promise<StoredUser | null> {
    return this.first(this.#statements.byUsername({ username }), storedOf)
  }

  byId(id: number): Promise<StoredUser | null> {
    return this.first(this.#statements.byId({ id }), storedOf)
  }

  async insert(user: NewUser): Promise<User> {
    try {
      await this.changes(this.#statements.insert(columnsOf(user)))
    } catch (error) {
      throw await this.#refusal(error, user.username, () => true)
    }
    return (await this.byUsername(user.username))!.user
  }

  async update(id: number, changes: UserChanges): Promise<boolean> {
    const columns = columnsOf(changes)
    if (Object.keys(columns).length === 0) return (await this.byId(id)) !== null
    try {
      return (await this.changes(this.#statements.update(id, columns))) > 0
    } catch (error) {
      throw await this.#refusal(error, changes.username, (user) => user.id !== id)
    }
  }

  async rehash(id: number, current: string, next: string): Promise<boolean> {
    return (await this.changes(this.#statements.rehash({ id, current, next }))) > 0
  }

  after(id: number): Promise<readonly User[]> {
    return this.all(this.#statements.after({ id }), userOf)
  }

  async count(): Promise<number> {
    return (await this.first(this.#statements.count({}), ([users]) => Number(users)))!
  }

  /**
   * Why a row was refused. Asking afterwards needs no error codes of any one database, and no look before
   * the leap, which could be overtaken.
   */
  async #refusal(
    error: unknown,
    username: string | undefined,
    isOther: (user: User) => boolean,
  ): Promise<unknown> {
    if (username === undefined) return error
    const found = await this.byUsername(username)
    return found !== null && isOther(found.user) ? new UsernameTaken(username) : error
  }
}

function storedOf(row: RowValues): StoredUser {
  const [password] = behindUser(row)
  return { user: userOf(row), password: password as string }
}

/** Columns of a new user; its number comes from the database, and there was no login yet. */
const INSERTED = [
  'username',
  'email',
  'password',
  'is_active',
  'is_staff',
  'is_superuser',
  'date_joined',
]

function statements(dialect: Dialect) {
  const builder = queryBuilder(dialect)
  const users = builder.selectFrom('colophon_user')
  const stored = users.select([...USER_COLUMNS, 'password'])
  const changed = builder.updateTable('colophon_user')
  return {
    byUsername: prepared<{ username: string }>((given) =>
      stored.where('username', '=', given('username')),
    ),
    byId: prepared<{ id: number }>((given) => stored.where('id', '=', given('id'))),
    insert: prepared<Record<string, unknown>>((given) => {
      const values = Object.fromEntries(INSERTED.map((column) => [column, given(column)]))
      return builder.insertInto('colophon_user').values(values as unknown as Insertable<UserTable>)
    }),
    update: (id: number, columns: Updateable<UserTable>) =>
      changed.set(columns).where('id', '=', id).compile(),
    rehash: prepared<{ id: number; current: string; next: string }>((given) =>
      changed
        .set({ password: given('next') })
        .where('id', '=', given('id'))
        .where('password', '=', given('current')),
    ),
    after: prepared<{ id: number }>((given) =>
      stored.where('id', '>', given('id')).orderBy('id').limit(PAGE),
    ),
    count: prepared<object>(() => users.select(({ fn }) => fn.countAll().as('users'))),
  }
}
