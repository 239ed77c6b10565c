import type { User } from '../../contract/credentials.ts'
import type { NewUser } from '../../contract/account-stores.ts'
import type { RowValues } from './store.ts'

/** What a user is read from, in this order; statements add their own columns behind. */
export const USER_COLUMNS = [
  'colophon_user.id',
  'colophon_user.username',
  'colophon_user.email',
  'colophon_user.is_active',
  'colophon_user.is_staff',
  'colophon_user.is_superuser',
  'colophon_user.date_joined',
  'colophon_user.last_login',
] as const

/**
 * A user from the first values of a row. Drivers disagree about truth (1 or true) and about integers
 * of 64 bits (number or text), so both are normalised.
 */
export function userOf(row: RowValues): User {
  return {
    isAuthenticated: true,
    id: Number(row[0]),
    username: row[1] as string,
    email: row[2] as string,
    isActive: Boolean(row[3]),
    isStaff: Boolean(row[4]),
    isSuperuser: Boolean(row[5]),
    dateJoined: dateOf(row[6]),
    lastLogin: row[7] === null ? null : dateOf(row[7]),
  }
}

/** The values behind the columns of the user. */
export function behindUser(row: RowValues): RowValues {
  return row.slice(USER_COLUMNS.length)
}

/** A point in time from milliseconds, however the driver hands them over. */
export function dateOf(milliseconds: unknown): Date {
  return new Date(Number(milliseconds))
}

export type UserChanges = Partial<NewUser & { readonly lastLogin: Date | null }>

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
export function columnsOf(changes: UserChanges): Record<string, unknown> {
  const members = (Object.keys(COLUMNS) as (keyof UserChanges)[]).filter(
    (member) => changes[member] !== undefined,
  )
  return Object.fromEntries(members.map((member) => [COLUMNS[member], toValue(changes[member])]))
}

function toValue(value: unknown): unknown {
  return value instanceof Date ? value.getTime() : value
}
