import {
  AllowAny,
  IsAdminUser,
  IsAuthenticated,
  IsAuthenticatedOrReadOnly,
  type Permission,
} from 'colophon'

class DenyAll implements Permission {
  readonly code = 'nobody'
  readonly message = 'Nobody may do this.'

  hasPermission(): boolean {
    return false
  }
}

/** The policies of SERVICE §3, by name. */
export const policies: Readonly<Record<string, Permission>> = {
  AllowAny: new AllowAny(),
  IsAuthenticated: new IsAuthenticated(),
  IsAdminUser: new IsAdminUser(),
  IsAuthenticatedOrReadOnly: new IsAuthenticatedOrReadOnly(),
  DenyAll: new DenyAll(),
}
