import type { Generated } from 'kysely'

/** Milliseconds since 1970; a text where the driver does not trust numbers with 64 bits. */
type Milliseconds = number

/** A row of `colophon_user`. */
export interface UserTable {
  id: Generated<number>
  username: string
  email: string
  password: string
  is_active: boolean
  is_staff: boolean
  is_superuser: boolean
  date_joined: Milliseconds
  last_login: Milliseconds | null
}

/** A row of `colophon_token`. */
export interface TokenTable {
  digest: string
  sealed: string
  user_id: number
  created: Milliseconds
}

/** The tables that Colophon keeps, beside those of the application. */
export interface Tables {
  colophon_user: UserTable
  colophon_token: TokenTable
}
