/** The user name exists already; nothing was written. */
export class UsernameTaken extends Error {
  override readonly name = 'UsernameTaken'

  constructor(username: string) {
    super(`There is a user named "${username}" already.`)
  }
}

/** The database cannot be used as it is: locked, read-only, missing, or not migrated. The message says what to do. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable'
}
