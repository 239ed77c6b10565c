import type { Requester } from '../../contract/credentials.ts'
import type { StoredUser, UserStore } from '../../contract/account-stores.ts'
import type { AccountEvents } from '../events.ts'
import { isCurrent } from './argon2.ts'
import type { PasswordHasher } from './password-hasher.ts'

/** With what hashes are renewed. */
interface Renewal {
  readonly store: Pick<UserStore, 'rehash'>
  readonly hasher: PasswordHasher
  readonly events: Pick<AccountEvents, 'error'>
}

/**
 * The hash that should be stored now. One that was made otherwise than new ones are, by Django or at
 * another cost, is replaced when its user logs in: only then the password is known. A failure to
 * replace it hinders no login.
 */
export async function renewHash(
  { user, password: encoded }: StoredUser,
  password: string,
  { store, hasher, events }: Renewal,
  requester?: Requester,
): Promise<string> {
  if (isCurrent(encoded, hasher.cost)) return encoded
  try {
    const next = await hasher.encode(password, requester)
    return (await store.rehash(user.id, encoded, next)) ? next : encoded
  } catch (error) {
    events.error('password.not_rehashed', error)
    return encoded
  }
}
