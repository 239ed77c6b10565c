// What the endpoints of this room are made from, and whom and what their requests are about.
import type { Accounts } from '../accounts/create-accounts.ts'
import type { Group } from '../api/types.ts'
import type { User } from '../contract/credentials.ts'
import type { QuerySource } from '../contract/list-source.ts'
import type { ApiRequest, Permission } from '../contract/request.ts'
import { found } from '../endpoints/found.ts'
import { NotFound, PermissionDenied, ValidationError } from '../errors/api-errors.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'
import { ErrorDetail } from '../errors/detail.ts'
import type { MessageKey } from '../messages/english.ts'
import type { ValuesFor } from '../messages/message.ts'
import { CursorPagination } from '../pagination/cursor.ts'
import * as field from '../serializers/fields/index.ts'
import { type AccountLists, accountLists } from '../sql/accounts/lists.ts'
import type { SqlDatabase } from '../sql/sql-database.ts'
import type { RequestWith, Scope } from '../types/scope.ts'
import type { accountUrls, adminUrls } from './urls.ts'

/** Rows of a page, at most and by default. */
export const PAGE_SIZE = 50

export interface Parts {
  readonly group: Group<Scope, typeof adminUrls & typeof accountUrls>
  readonly accounts: Accounts
  readonly lists: AccountLists
}

/** @throws ConfigurationError the database of the accounts speaks no SQL */
export function partsFor(
  name: string,
  api: object,
  accounts: Accounts,
  permissions: readonly Permission[],
): Parts {
  const { database } = accounts
  if (!('kysely' in database))
    throw new ConfigurationError(`${name}: the database of the accounts must speak SQL.`)
  // Without its sessions, the service is not to start.
  void accounts.sessions
  // The application has these addresses (`HasRoutes`), perhaps in a namespace, and others that do not matter here.
  const group = (api as Parts['group']).group({
    permissions,
    pagination: new CursorPagination({
      pageSize: PAGE_SIZE,
      pageSizeQueryParam: 'page_size',
      maxPageSize: PAGE_SIZE,
      ordering: '-id',
    }),
    versioning: null,
  })
  return { group, accounts, lists: accountLists(database as SqlDatabase) }
}

/** A request for something that has a number. */
export type Numbered = RequestWith<{ params: { readonly id: number } }>

/** The accounts in the hands of the user who asks. @throws PermissionDenied that is no user of the accounts */
export function inHandsOf({ user, id }: ApiRequest, accounts: Accounts): Accounts {
  const { id: own, username } = (user ?? {}) as Partial<User>
  if (typeof own !== 'number' || typeof username !== 'string') throw new PermissionDenied()
  return accounts.by({ user: { id: own, username }, requestId: id })
}

/** The account of the user who asks. @throws PermissionDenied that is no user of the accounts */
export async function ownOf({ user }: ApiRequest, { users }: Accounts): Promise<User> {
  const { id, username } = (user ?? {}) as Partial<User>
  const known = typeof id === 'number' ? await users.byId(id) : null
  // A user of another scheme may have the number of someone else here.
  if (known === null || known.username !== username) throw new PermissionDenied()
  return known
}

/** The user that the address names. @throws NotFound, and PermissionDenied where permissions have rules about users */
export async function userNamed(request: Numbered, { accounts, lists }: Parts): Promise<User> {
  const { id } = await found(request, oneOf(lists.users, 'id', request.params.id))
  return userOf(accounts, id)
}

/** @throws NotFound */
export async function userOf({ users }: Pick<Accounts, 'users'>, id: number): Promise<User> {
  const user = await users.byId(id)
  if (user === null) throw new NotFound()
  return user
}

export async function oneOf<Row, Field extends string>(
  source: QuerySource<Row, Field>,
  key: Field,
  value: unknown,
): Promise<Row | null> {
  const [row = null] = await source.where([{ field: key, operator: 'equals', value }]).slice(0, 1)
  return row
}

/** Milliseconds since 1970, which some drivers give as text. */
type Kept = number | string

/** A point in time in a column. */
export function moment<Column extends string>(
  column: Column,
): ReturnType<typeof field.computed<Readonly<Record<Column, Kept>>, string>> {
  const show = ({ [column]: at }: Readonly<Record<Column, Kept>>) => written(at)
  return field.computed(show, { schema: { type: 'string', format: 'date-time' } })
}

/** The same where there may be none. */
export function momentOrNull<Column extends string>(
  column: Column,
): ReturnType<typeof field.computed<Readonly<Record<Column, Kept | null>>, string | null>> {
  const show = ({ [column]: at }: Readonly<Record<Column, Kept | null>>) =>
    at === null ? null : written(at)
  return field.computed(show, { schema: { type: ['string', 'null'], format: 'date-time' } })
}

function written(at: Kept): string {
  return new Date(Number(at)).toISOString()
}

export const readOnly: { readonly readOnly: true } = { readOnly: true }

/** An input that is wrong in one field. */
export function invalid<Key extends MessageKey>(
  name: string,
  key: Key,
  ...values: ValuesFor<Key>
): ValidationError {
  return new ValidationError({ [name]: [ErrorDetail.of(key, ...values)] })
}
