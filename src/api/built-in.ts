import type { Accounts } from '../accounts/create-accounts.ts'
import { BasicAuthentication } from '../authentication/basic.ts'
import { RemoteUserAuthentication } from '../authentication/remote-user.ts'
import { SessionAuthentication } from '../authentication/session.ts'
import { TokenAuthentication } from '../authentication/token.ts'
import type { Settings } from '../contract/request.ts'
import type { SessionReader } from '../contract/sessions.ts'
import type { AnonymousUser } from '../contract/credentials.ts'
import { SimpleMetadata } from '../endpoints/simple-metadata.ts'
import { FieldFilter } from '../filters/field-filter.ts'
import { OrderingFilter } from '../filters/ordering-filter.ts'
import { SearchFilter } from '../filters/search-filter.ts'
import { numbersTemplate, previousNextTemplate } from '../pagination/page-controls.ts'
import { CursorPagination } from '../pagination/cursor.ts'
import { LimitOffsetPagination } from '../pagination/limit-offset.ts'
import { PageNumberPagination, StandardPaginator } from '../pagination/page-number.ts'
import { FileParser } from '../parsing/file.ts'
import { FormParser } from '../parsing/form.ts'
import { JSONParser } from '../parsing/json.ts'
import { MultiPartParser } from '../parsing/multipart.ts'
import {
  AllowAny,
  IsAdminUser,
  IsAuthenticated,
  IsAuthenticatedOrReadOnly,
  TokenHasScope,
} from '../permissions/builtin.ts'
import { handleException } from '../pipeline/exceptions.ts'
import { HTMLRenderer } from '../pages/html.ts'
import { JSONRenderer } from '../rendering/json.ts'
import { StaticHTMLRenderer } from '../rendering/static-html.ts'
import type { Registry } from '../settings/class-values.ts'
import type { Served } from './checks.ts'
import { ConcurrencyThrottle } from '../throttling/concurrency.ts'
import {
  AnonRateThrottle,
  ScopedRateThrottle,
  UserRateThrottle,
} from '../throttling/rate-throttles.ts'
import { AcceptHeaderVersioning } from '../versioning/accept-header.ts'
import { HostNameVersioning } from '../versioning/host-name.ts'
import { NamespaceVersioning } from '../versioning/namespace.ts'
import { QueryParameterVersioning } from '../versioning/query-parameter.ts'
import { URLPathVersioning } from '../versioning/url-path.ts'

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

/** What holds where no layer sets anything else, in an application without accounts (Y1). */
export const DEFAULTS: Settings = Object.freeze({
  authentication: [],
  permissions: [],
  throttles: [],
  throttleRates: { user: null, anon: null },
  throttleScope: null,
  numProxies: 'peer',
  ipv6Prefix: 64,
  onStoreError: 'local',
  rateLimitHeaders: false,
  credentialFailures: null,
  cors: null,
  versioning: null,
  defaultVersion: null,
  allowedVersions: null,
  versionParam: 'version',
  versions: null,
  versionHeader: null,
  pagination: null,
  pageSize: null,
  maxPageSize: null,
  maxOffset: null,
  filters: [],
  searchParam: 'search',
  orderingParam: 'ordering',
  strictQuery: false,
  queryParams: [],
  renderers: [new JSONRenderer(), new HTMLRenderer()],
  parsers: [new JSONParser(), new FormParser(), new MultiPartParser()],
  maxBodySize: 2_621_440,
  maxFileSize: null,
  maxFiles: 100,
  maxFields: 1000,
  metadata: new SimpleMetadata(),
  unauthenticatedUser: anonymousUser,
  unauthenticatedToken: null,
  exceptionHandler: handleException,
  nonFieldErrorsKey: 'non_field_errors',
  timeZone: 'UTC',
  urlFormatOverride: 'format',
  browsable: {},
  messages: null,
})

/** The same for an application that may have accounts: their users can log in (A1). */
export function defaultsFor(accounts: Accounts | null): Settings {
  if (accounts === null) return DEFAULTS
  const { users } = accounts
  // The order matters: the first scheme decides between 401 and 403 (A40).
  const authentication = [
    new SessionAuthentication({ sessions: sessionsLater(accounts) }),
    new BasicAuthentication({ users }),
  ]
  return Object.freeze({ ...DEFAULTS, authentication })
}

/** Asking for sessions is what makes their table, and most applications name schemes of their own. */
function sessionsLater(accounts: Accounts): SessionReader {
  return {
    get settings() {
      return accounts.sessions.settings
    },
    read: (cookie) => accounts.sessions.read(cookie),
    csrfSecret: (cookie) => accounts.sessions.csrfSecret(cookie),
    newCookie: () => accounts.sessions.newCookie(),
    csrfRefused: (refusal) => accounts.sessions.csrfRefused(refusal),
  }
}

/** Asks for sessions where an endpoint identifies by the default schemes. */
export function noteSessions(accounts: Accounts, served: readonly Served[]): void {
  if (served.some(({ provenance }) => provenance.authentication === 'defaults'))
    void accounts.sessions
}

/** Not as a copy, which would ask for each of them. */
export function servicesOf(accounts: Accounts | null): Registry['services'] {
  return (accounts ?? {}) as Registry['services']
}

/** What configuration keys may name, in the spelling of DRF. */
export const BUILT_IN: Registry['named'] = {
  AcceptHeaderVersioning,
  AllowAny,
  AnonRateThrottle,
  BasicAuthentication,
  ConcurrencyThrottle,
  CursorPagination,
  FieldFilter,
  FileParser,
  FormParser,
  HTMLRenderer,
  HostNameVersioning,
  IsAdminUser,
  IsAuthenticated,
  IsAuthenticatedOrReadOnly,
  JSONParser,
  JSONRenderer,
  LimitOffsetPagination,
  MultiPartParser,
  OrderingFilter,
  NamespaceVersioning,
  PageNumberPagination,
  QueryParameterVersioning,
  RemoteUserAuthentication,
  ScopedRateThrottle,
  SearchFilter,
  SessionAuthentication,
  SimpleMetadata,
  StandardPaginator,
  StaticHTMLRenderer,
  TokenAuthentication,
  TokenHasScope,
  URLPathVersioning,
  UserRateThrottle,
  [numbersTemplate.name]: numbersTemplate,
  [previousNextTemplate.name]: previousNextTemplate,
}
