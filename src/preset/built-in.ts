import type { Accounts } from '../accounts/create-accounts.ts'
import { BasicAuthentication } from '../policies/authentication/basic.ts'
import { RemoteUserAuthentication } from '../policies/authentication/remote-user.ts'
import { SessionAuthentication } from '../policies/authentication/session.ts'
import { TokenAuthentication } from '../policies/authentication/token.ts'
import type { Settings } from '../core/ports/settings/settings.ts'
import type { SessionReader } from '../core/ports/sessions.ts'
import type { AnonymousUser } from '../core/ports/credentials.ts'
import { SimpleMetadata } from '../core/pipeline/metadata.ts'
import { FieldFilter } from '../policies/filters/field-filter.ts'
import { OrderingFilter } from '../policies/filters/ordering-filter.ts'
import { SearchFilter } from '../policies/filters/search-filter.ts'
import { numbersTemplate, previousNextTemplate } from '../policies/pagination/page-controls.ts'
import { CursorPagination } from '../policies/pagination/cursor.ts'
import { LimitOffsetPagination } from '../policies/pagination/limit-offset.ts'
import { PageNumberPagination, StandardPaginator } from '../policies/pagination/page-number.ts'
import { FileParser } from '../core/parsing/file.ts'
import { FormParser } from '../core/parsing/form.ts'
import { JSONParser } from '../core/parsing/json.ts'
import { MultiPartParser } from '../core/parsing/multipart.ts'
import {
  AllowAny,
  IsAdminUser,
  IsAuthenticated,
  IsAuthenticatedOrReadOnly,
  IsRecentlyAuthenticated,
  TokenHasScope,
} from '../policies/permissions/builtin.ts'
import { handleException } from '../core/pipeline/exceptions.ts'
import { countersFor } from './counter-store.ts'
import { fileOf } from '../storage/sqlite/address.ts'
import { HTMLRenderer } from '../addons/pages/html.ts'
import { JSONRenderer } from '../core/representations/json.ts'
import { StaticHTMLRenderer } from '../core/representations/static-html.ts'
import type { Registry } from '../core/settings/class-values.ts'
import { SETTING_DEFAULTS } from '../core/settings/endpoint-settings.ts'
import type { BaseApp } from '../core/app/app.ts'
import type { Preset } from '../core/app/preset.ts'
import { sealsFor } from '../core/secrets/secret-key.ts'
import type { Configuration } from '../core/settings/configuration.ts'
import { ConcurrencyThrottle } from '../policies/throttling/concurrency.ts'
import {
  AnonRateThrottle,
  ScopedRateThrottle,
  TokenRateThrottle,
  UserRateThrottle,
} from '../policies/throttling/rate-throttles.ts'
import {
  AcceptHeaderVersioning,
  HostNameVersioning,
  NamespaceVersioning,
  QueryParameterVersioning,
  URLPathVersioning,
} from '../policies/versioning/schemes.ts'

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

/** The defaults of an application without accounts (Y1). */
export const DEFAULTS: Settings = Object.freeze({
  ...SETTING_DEFAULTS,
  renderers: [new JSONRenderer(), new HTMLRenderer()],
  parsers: [new JSONParser(), new FormParser(), new MultiPartParser()],
  metadata: new SimpleMetadata(),
  unauthenticatedUser: anonymousUser,
  exceptionHandler: handleException,
})

/** The defaults of an application that may have accounts, whose users can log in (A1). */
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

/** Asks for sessions where an endpoint identifies by the default schemes: then their table is made. */
export function noteSessions(accounts: Accounts | null, app: BaseApp): void {
  if (app.describe().some(({ provenance }) => provenance.authentication === 'defaults'))
    void accounts?.sessions
}

/** The parts of an application that names none of its own. */
export function presetFor(accounts: Accounts | null, configuration: Configuration): Preset {
  const path = fileOf(configuration.service.databaseUrl, configuration.folder)
  // The object itself, because a copy would read each service.
  const services = (accounts ?? {}) as Registry['services']
  return {
    defaults: defaultsFor(accounts),
    registry: { named: BUILT_IN, services },
    seals: sealsFor(configuration, accounts?.seals ?? null, { path }),
    countersFor,
  }
}

/** The names that configuration keys may have, in the spelling of DRF. */
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
  IsRecentlyAuthenticated,
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
  TokenRateThrottle,
  URLPathVersioning,
  UserRateThrottle,
  [numbersTemplate.name]: numbersTemplate,
  [previousNextTemplate.name]: previousNextTemplate,
}
