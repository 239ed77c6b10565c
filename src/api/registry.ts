import { BasicAuthentication } from '../authentication/basic.ts'
import { RemoteUserAuthentication } from '../authentication/remote-user.ts'
import { SessionAuthentication } from '../authentication/session.ts'
import { TokenAuthentication } from '../authentication/token.ts'
import { SimpleMetadata } from '../endpoints/metadata.ts'
import { FieldFilter } from '../filters/field-filter.ts'
import { OrderingFilter } from '../filters/ordering-filter.ts'
import { SearchFilter } from '../filters/search-filter.ts'
import { numbersTemplate, previousNextTemplate } from '../pagination/controls-template.ts'
import { CursorPagination } from '../pagination/cursor.ts'
import { LimitOffsetPagination } from '../pagination/limit-offset.ts'
import { PageNumberPagination, StandardPaginator } from '../pagination/page-number.ts'
import { FormParser } from '../parsing/form.ts'
import { JSONParser } from '../parsing/json.ts'
import { MultiPartParser } from '../parsing/multipart.ts'
import {
  AllowAny,
  IsAdminUser,
  IsAuthenticated,
  IsAuthenticatedOrReadOnly,
} from '../permissions/builtin.ts'
import { TokenHasScope } from '../permissions/token-has-scope.ts'
import { HTMLRenderer } from '../rendering/html.ts'
import { JSONRenderer } from '../rendering/json.ts'
import { StaticHTMLRenderer } from '../rendering/static-html.ts'
import { type Registry, type Services, register } from '../settings/class-values.ts'
import { AcceptHeaderVersioning } from '../versioning/accept-header.ts'
import { HostNameVersioning } from '../versioning/host-name.ts'
import { NamespaceVersioning } from '../versioning/namespace.ts'
import { QueryParameterVersioning } from '../versioning/query-parameter.ts'
import { URLPathVersioning } from '../versioning/url-path.ts'

const BUILT_IN = {
  AcceptHeaderVersioning,
  AllowAny,
  BasicAuthentication,
  CursorPagination,
  FieldFilter,
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
  SearchFilter,
  SessionAuthentication,
  SimpleMetadata,
  StandardPaginator,
  StaticHTMLRenderer,
  TokenAuthentication,
  TokenHasScope,
  URLPathVersioning,
  [numbersTemplate.name]: numbersTemplate,
  [previousNextTemplate.name]: previousNextTemplate,
}

/** Names that configuration keys may use: ours as the document spells them, then the application's own. */
export function createRegistry(
  classes: Readonly<Record<string, unknown>>,
  services: Services,
): Registry {
  const entries = Object.entries({ ...BUILT_IN, ...classes })
  return Object.fromEntries(entries.map(([name, value]) => [name, register(name, value, services)]))
}
