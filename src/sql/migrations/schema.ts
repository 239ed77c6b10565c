import type { Generated } from 'kysely'

/** Since 1970; a text where the driver does not trust numbers with 64 bits. */
type Milliseconds = number

interface UserTable {
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

interface TokenTable {
  id: Generated<number>
  /** `null` while the key is kept in clear. */
  digest: string | null
  sealed: string | null
  /** A key in DRF's form, until its first use. */
  clear_key: string | null
  user_id: number
  /** `''`: the token that every user has one of at most. */
  name: Generated<string>
  /** Words with spaces between them. */
  scopes: string | null
  created: Milliseconds
  expires: Milliseconds | null
  last_used: Milliseconds | null
}

interface SessionTable {
  digest: string
  user_id: number
  created: Milliseconds
  expires: Milliseconds
}

/** The tables that Colophon keeps, beside those of the application. */
export interface Tables {
  colophon_user: UserTable
  colophon_token: TokenTable
  colophon_session: SessionTable
}
