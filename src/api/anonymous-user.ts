import type { AnonymousUser } from '../contract/credentials.ts'

const ANONYMOUS: AnonymousUser = Object.freeze({
  isAuthenticated: false,
  id: null,
  username: '',
  isActive: false,
  isStaff: false,
  isSuperuser: false,
})

/** The user of requests for which no scheme names one (A20). */
export function anonymousUser(): AnonymousUser {
  return ANONYMOUS
}
