import type { User } from 'colophon'

/** Is this somebody with an account, and not one of those who stand for nobody? */
export function isUser(user: unknown): user is User {
  return (
    typeof user === 'object' &&
    user !== null &&
    'isAuthenticated' in user &&
    user.isAuthenticated === true
  )
}
