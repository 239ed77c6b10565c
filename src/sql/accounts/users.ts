import { sql } from 'kysely'
import type { User } from '../../contract/credentials.ts'
import type { NewUser, UserStore } from '../../contract/account-stores.ts'
import { UsernameTaken } from '../../errors/storage-errors.ts'
import { PAGE } from '../prepared.ts'
import { USER_COLUMNS, userOf, withUser } from './look-up.ts'
import { type AccountsPort, SqlStore } from './store.ts'

export function createUserStore(database: AccountsPort): UserStore {
  return new SqlUsers(database)
}

type UserChanges = Parameters<UserStore['update']>[1]

class SqlUsers extends SqlStore implements UserStore {
  readonly #users = this.builder.selectFrom('colophon_user')
  readonly #stored = this.#users.select([...USER_COLUMNS, 'password'])
  readonly #changed = this.builder.updateTable('colophon_user')

  readonly byUsername = this.first(storedOf, (username: string) =>
    this.#stored.where('username', '=', username),
  )

  readonly byId = this.first(storedOf, (id: number) => this.#stored.where('id', '=', id))

  async locked(ids: readonly number[]): Promise<readonly User[]> {
    if (ids.length === 0) return []
    const query = this.#users.select(USER_COLUMNS).where('id', 'in', ids).orderBy('id')
    const locked = this.database.dialect.locked(query, 'update')
    return (await this.database.rows(locked.compile())).values.map(userOf)
  }

  async hasOtherStaff(id: number): Promise<boolean> {
    return (await this.#otherStaff(id)) !== null
  }

  readonly #otherStaff = this.first(userOf, (id: number) =>
    this.#users
      .select(USER_COLUMNS)
      .where('is_active', '=', sql.lit(true))
      .where('is_staff', '=', sql.lit(true))
      .where('id', '!=', id)
      .limit(sql.lit(1)),
  )

  readonly after = this.all(userOf, (id: number) =>
    this.#stored.where('id', '>', id).orderBy('id').limit(PAGE),
  )

  async insert(user: NewUser): Promise<User> {
    const insertion = this.builder.insertInto('colophon_user').values(columnsOf(user) as never)
    try {
      await this.changes(insertion.compile())
    } catch (error) {
      throw await this.#refusal(error, user.username, () => true)
    }
    return (await this.byUsername(user.username))!.user
  }

  async update(id: number, changes: UserChanges): Promise<boolean> {
    const columns = columnsOf(changes)
    if (Object.keys(columns).length === 0) return (await this.byId(id)) !== null
    try {
      const statement = this.#changed.set(columns).where('id', '=', id).compile()
      return (await this.changes(statement)) > 0
    } catch (error) {
      throw await this.#refusal(error, changes.username, (user) => user.id !== id)
    }
  }

  readonly rehash = this.changing((id: number, current: string, next: string) =>
    this.#changed.set({ password: next }).where('id', '=', id).where('password', '=', current),
  )

  async count(): Promise<number> {
    const counting = this.#users.select(({ fn }) => fn.countAll().as('users')).compile()
    return Number((await this.database.rows(counting)).values[0]![0])
  }

  /** Afterwards: that needs no database's error codes, and a look before could be overtaken. */
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

const storedOf = withUser((row, at) => ({ password: row[at] as string }))

const COLUMNS = {
  username: 'username',
  email: 'email',
  password: 'password',
  isActive: 'is_active',
  isStaff: 'is_staff',
  isSuperuser: 'is_superuser',
  dateJoined: 'date_joined',
  lastLogin: 'last_login',
} as const satisfies Record<keyof UserChanges, string>

/** Columns with their values, always in the same order; what `changes` leaves out is left out. */
function columnsOf(changes: UserChanges): Record<string, unknown> {
  const columns = Object.entries(COLUMNS).map(([member, column]) => {
    const value = changes[member as keyof UserChanges]
    return [column, value instanceof Date ? value.getTime() : value] as const
  })
  return Object.fromEntries(columns.filter(([, value]) => value !== undefined))
}
