// Apis, groups, and policies of their own.
import {
  AnonRateThrottle,
  CursorPagination,
  IsAdminUser,
  IsAuthenticated,
  NamespaceVersioning,
  PageNumberPagination,
  ScopedRateThrottle,
  TokenAuthentication,
  BasicAuthentication,
  SessionAuthentication,
  URLPathVersioning,
  AcceptHeaderVersioning,
  firstOf,
  HostNameVersioning,
  QueryParameterVersioning,
  SearchFilter,
  OrderingFilter,
  FieldFilter,
  allOf,
  anyOf,
  defineApi,
  not,
} from 'colophon'
import type { Authenticator, Permission } from 'colophon/types'
import { accounts, tokens } from './database.ts'
import { urls, versionedUrls } from './urls.ts'
export interface Machine {
  readonly serial: string
}
export class Badge implements Authenticator<Machine, null> {
  authenticate() {
    return { user: { serial: 'x' }, auth: null }
  }
}
export const badge = { authenticate: () => ({ user: { serial: 'y' }, auth: 7 }) }
export class IsMember implements Permission {
  hasPermission() {
    return true
  }
}
export const policy = {
  permissions: [allOf(new IsAuthenticated(), not(new IsAdminUser()))],
  throttles: [new AnonRateThrottle({ rate: '5/min' })],
}
export const api = defineApi({
  urls,
  authentication: [new TokenAuthentication({ tokens }), new Badge(), badge],
  permissions: [anyOf(new IsAuthenticated(), new IsMember())],
  pagination: new PageNumberPagination(),
  pageSize: 10,
  filters: [new SearchFilter(), new OrderingFilter(), new FieldFilter()],
})
export const members = api.group({
  permissions: [new IsAuthenticated()],
  throttles: [new ScopedRateThrottle()],
})
export const basic = api.group({
  authentication: [
    new BasicAuthentication({ users: accounts.users }),
    new SessionAuthentication({ sessions: accounts.sessions }),
  ],
})
export const admins = members.group({
  permissions: [new IsAuthenticated(), new IsAdminUser()],
  pagination: new CursorPagination({ ordering: '-id' }),
})
export const withAccounts = defineApi({ urls, accounts })
export const versioned = defineApi({
  urls: versionedUrls,
  versioning: new URLPathVersioning(),
  allowedVersions: ['v1', 'v2'],
  defaultVersion: 'v1',
})
export const accept = defineApi({
  urls,
  versioning: new AcceptHeaderVersioning(),
  allowedVersions: ['v1', 'v2'],
})
export const spaces = defineApi({
  urls,
  versioning: new NamespaceVersioning(),
  allowedVersions: ['v1', 'v2'],
})
export const several = defineApi({
  urls,
  versioning: firstOf([
    new AcceptHeaderVersioning(),
    new HostNameVersioning(),
    new QueryParameterVersioning(),
  ]),
  allowedVersions: ['v1', 'v2'],
  unauthenticatedToken: null,
})
