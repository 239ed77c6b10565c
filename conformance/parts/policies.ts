import {
  AllowAny,
  IsAdminUser,
  IsAuthenticated,
  IsAuthenticatedOrReadOnly,
  type User,
} from 'colophon'
import type { Permission } from 'colophon/types'
import type { Request } from '../request.ts'
import type { Composers } from './composers.ts'
import { isUser } from './users.ts'

class IsReading implements Permission {
  hasPermission({ method }: Request): boolean {
    return ['GET', 'HEAD', 'OPTIONS'].includes(method)
  }
}

class IsWriting implements Permission {
  hasPermission({ method }: Request): boolean {
    return ['POST', 'PUT', 'PATCH', 'DELETE'].includes(method)
  }
}

/** Only users are shown anything, which says nothing of requests. */
class IsShownToUsers implements Permission {
  hasObjectPermission({ user }: Request): boolean {
    return isUser(user)
  }
}

/** Everybody may ask; what is shown has the id of who asks. */
class IsOwnRecord implements Permission<User> {
  hasObjectPermission({ user }: Request, target: User): boolean {
    return typeof user === 'object' && user !== null && 'id' in user && user.id === target.id
  }
}

/** The policies of SERVICE §3, by name: the built-in ones, and two that are made of others. */
export const policiesOf = ({
  allOf,
  anyOf,
  not,
}: Omit<Composers, 'firstOf'>): Readonly<Record<string, Permission>> => ({
  AllowAny: new AllowAny(),
  IsAuthenticated: new IsAuthenticated(),
  IsAdminUser: new IsAdminUser(),
  IsAuthenticatedOrReadOnly: new IsAuthenticatedOrReadOnly(),
  DenyAll: not(anyOf(new IsReading(), new IsWriting()), {
    code: 'nobody',
    message: 'Nobody may do this.',
  }),
  IsSelf: allOf(new IsShownToUsers(), new IsOwnRecord()),
})
