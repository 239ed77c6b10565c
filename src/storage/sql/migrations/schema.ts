import type { Generated } from 'kysely'

/** Since 1970; a text if the driver does not trust numbers of 64 bits. */
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
  /** Words with spaces between them. */
  roles: Generated<string>
  /** In lower case; the account may have confirmed another address than `email` before. */
  confirmed_email: Generated<string | null>
  links_epoch: Generated<string | null>
}

/** A table of which a user has any number of rows, each with its last use. */
interface OwnedTable {
  id: Generated<number>
  user_id: number
  created: Milliseconds
  last_used: Milliseconds | null
}

interface TokenTable extends OwnedTable {
  /** `null` while the key is kept in clear. */
  digest: string | null
  sealed: string | null
  /** A key in DRF's form, until its first use. */
  clear_key: string | null
  /** `''`: the token that every user has one of at most. */
  name: Generated<string>
  /** Words with spaces between them. */
  scopes: string | null
  expires: Milliseconds | null
}

interface SessionTable {
  digest: string
  user_id: number
  created: Milliseconds
  expires: Milliseconds
}

interface IdentityTable extends OwnedTable {
  issuer: string
  subject: string
}

interface FactorTable extends OwnedTable {
  kind: string
  name: string
  digest: string | null
  sealed: string | null
  step: number
  credential: string | null
}

interface FamilyTable extends OwnedTable {
  digest: string
  label: string
  /** Words with spaces between them. */
  scopes: string | null
  /** The number of times that its refresh token was used. */
  generation: number
  expires: Milliseconds
  ends: Milliseconds
}

/** It has no foreign keys, because the trail outlives its subjects. */
export interface AuditTable {
  id: Generated<number>
  at: Milliseconds
  actor_id: number | null
  /** `''`: no user. */
  actor: string
  system_user: string
  command: string
  action: string
  user_id: number
  username: string
  /** `null`: it is about no token. */
  token: string | null
  /** A JSON object. */
  details: string
  request_id: string | null
}

/** Colophon's own tables, beside those of the application. */
export interface Tables {
  colophon_user: UserTable
  colophon_token: TokenTable
  colophon_session: SessionTable
  colophon_identity: IdentityTable
  colophon_factor: FactorTable
  colophon_family: FamilyTable
  colophon_spent_link: { digest: string; expires: number }
  colophon_audit: AuditTable
}
