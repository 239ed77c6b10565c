import {
  AllowAny,
  IsAdminUser,
  IsAuthenticated,
  IsAuthenticatedOrReadOnly,
  type Permission,
  type User,
} from 'colophon'
import type { Request } from '../request.ts'
import { isUser } from './users.ts'

class DenyAll implements Permission {
  readonly code = 'nobody'
  readonly message = 'Nobody may do this.'

  hasPermission(): boolean {
    return false
  }
}

/** Everybody may ask; a user may be shown to that user only. */
class IsSelf implements Permission<User> {
  hasObjectPermission({ user }: Request, target: User): boolean {
    return isUser(user) && user.id === target.id
  }
}

/** The policies of SERVICE §3, by name. */
export const policies: Readonly<Record<string, Permission>> = {
  AllowAny: new AllowAny(),
  IsAuthenticated: new IsAuthenticated(),
  IsAdminUser: new IsAdminUser(),
  IsAuthenticatedOrReadOnly: new IsAuthenticatedOrReadOnly(),
  DenyAll: new DenyAll(),
  IsSelf: new IsSelf(),
}
