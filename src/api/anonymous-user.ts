import type { AnonymousUser } from '../contract/credentials.ts'

const ANONYMOUS: AnonymousUser = Object.freeze({
  isAuthenticated: false,
  id: null,
  username: '',
  isActive: false,
  isStaff: false,
  isSuperuser: false,
})

/** Stands for a user that nobody named (A20). */
export function anonymousUser(): AnonymousUser {
  return ANONYMOUS
}
