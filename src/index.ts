export type { Api, AppOf } from './api/define-api.ts'
export type { ApiOptions, App, DescribedEndpoint, ServeOptions } from './api/app.ts'
export type { Endpoint, EndpointOptions, Group } from './api/types.ts'
export type {
  Authenticator,
  FilterBackend,
  Paginator,
  Parser,
  Permission,
  Accepted,
  RenderContext,
  Renderer,
  ApiRequest,
  Facts,
  Incoming,
  MaybePromise,
  Metadata,
  Settings,
  Throttle,
  VersioningFacts,
  VersioningScheme,
} from './contract/request.ts'
export type { Identity, Opinion, Refusal, Admission } from './contract/decisions.ts'
export type {
  ServiceFacts,
  RemoteUserHeader,
  RemoteUserSource,
  Seals,
} from './contract/service-facts.ts'
export type {
  AnonymousUser,
  PasswordVerifier,
  Requester,
  RemoteUserBackend,
  Token,
  TokenFacts,
  TokenIssuer,
  TokenVerifier,
  User,
} from './contract/credentials.ts'
export type { DoorReply, DoorRequest, Kernel, ContentType, Environ } from './contract/door.ts'
export type {
  ListFields,
  Window,
  ListSource,
  Position,
  PositionValue,
  QuerySource,
  SeekRequest,
  SeekableSource,
  SortKey,
  Stretch,
} from './contract/list-source.ts'
export type { Behaviour, Handler, InputFields, Logger } from './contract/kernel.ts'
export type {
  ControlsData,
  ControlsTemplate,
  CountedPage,
  KnownList,
  LinkedPage,
  ListView,
  Page,
  PageControls,
  PageLink,
  PaginatorImplementation,
} from './contract/pagination.ts'
export type { Bytes, Reply } from './contract/reply.ts'
export type {
  CheckedService,
  ChoiceInfo,
  FieldInfo,
  InputSerializer,
  Parse,
  ParseOptions,
  Serializer,
} from './contract/serializer.ts'
export type {
  CsrfRefusal,
  Session,
  SessionKeeper,
  SessionReader,
  SessionSettings,
} from './contract/sessions.ts'
export type { RowStore } from './contract/resource-store.ts'
export type { LinkForm, Lookup, PlainReverse, VersionFacts } from './contract/versioning.ts'
export type { Linker, LinkOptions, UrlFor, UrlForOptions, Reverse } from './types/reverse.ts'
export type {
  Address,
  Include,
  Resolution,
  Resolved,
  RouteTable,
  UrlTable,
} from './types/routes.ts'
export type { VersioningMarks } from './types/version-types.ts'
export { defineApi } from './api/define-api.ts'
export { resource } from './api/resource.ts'
export type { ResourceAction, ResourceSpec } from './api/resource-types.ts'
export type { ActionName, ResourceName, StandardAction } from './types/resources.ts'
export { anonymousUser } from './api/anonymous-user.ts'
export { BasicAuthentication, type BasicAuthenticationOptions } from './authentication/basic.ts'
export {
  RemoteUserAuthentication,
  type RemoteUserAuthenticationOptions,
} from './authentication/remote-user.ts'
export {
  Csrf,
  CSRF_FIELD,
  type CsrfSessions,
  type IssuedToken,
} from './authentication/csrf/csrf.ts'
export { CsrfFailed, type CsrfReason } from './authentication/csrf/csrf-failed.ts'
export { refuseForeign } from './authentication/csrf/origin.ts'
export type { LoginAccounts } from './authentication/session-login.ts'
export {
  SessionAuthentication,
  type SessionAuthenticationOptions,
} from './authentication/session.ts'
export { TokenAuthentication, type TokenAuthenticationOptions } from './authentication/token.ts'
export { apiRoot } from './endpoints/api-root.ts'
export { type CreateSpec, create } from './endpoints/create.ts'
export { type DestroySpec, destroy } from './endpoints/destroy.ts'
export { found } from './endpoints/found.ts'
export type { Fetch, FetchOptions } from './doors/fetch.ts'
export { list, type ListSpec, paginated } from './endpoints/list.ts'
export type { FilteredFields, OrderingOf } from './endpoints/list-fields.ts'
export { SimpleMetadata } from './endpoints/metadata.ts'
export { obtainToken, type ObtainTokenOptions } from './endpoints/login/obtain-token.ts'
export { retrieve, type RetrieveSpec } from './endpoints/retrieve.ts'
export {
  loginSession,
  logoutSession,
  type SessionEndpointOptions,
  showSession,
} from './endpoints/login/session.ts'
export {
  type PartialUpdateSpec,
  type UpdateSpec,
  partialUpdate,
  update,
} from './endpoints/update.ts'
export {
  ApiError,
  AuthenticationFailed,
  ChangedMeanwhile,
  Conflict,
  Gone,
  InvalidPosition,
  MethodNotAllowed,
  NotAcceptable,
  NotAuthenticated,
  NotFound,
  ParseError,
  PayloadTooLarge,
  PermissionDenied,
  ServiceUnavailable,
  Throttled,
  UnsupportedMediaType,
  ValidationError,
} from './errors/api-errors.ts'
export { ConfigurationError, NoReverseMatch } from './errors/configuration-error.ts'
export { type Detail, type DetailInput, ErrorDetail } from './errors/detail.ts'
export { unfitValue } from './errors/unfit-value.ts'
export { FieldFilter, type FieldFilterOptions } from './filters/field-filter.ts'
export { OrderingFilter } from './filters/ordering-filter.ts'
export { SearchFilter, type SearchFilterOptions } from './filters/search-filter.ts'
export { german } from './messages/german.ts'
export type { Catalogue, MessageKey, Messages, PluralForms } from './messages/message.ts'
export {
  numbersTemplate,
  previousNextTemplate,
  type TemplateOption,
} from './pagination/controls-template.ts'
export type { CountOptions, CountPolicy } from './pagination/counting.ts'
export { CursorPagination, type CursorOptions } from './pagination/cursor.ts'
export { LimitOffsetPagination, type LimitOffsetOptions } from './pagination/limit-offset.ts'
export { type DepthOptions, OffsetTooLarge } from './pagination/max-offset.ts'
export {
  PageNumberPagination,
  type PageNumberOptions,
  StandardPaginator,
} from './pagination/page-number.ts'
export { FormParser } from './parsing/form.ts'
export { JSONParser } from './parsing/json.ts'
export { MultiPartParser } from './parsing/multipart.ts'
export {
  AllowAny,
  IsAdminUser,
  IsAuthenticated,
  IsAuthenticatedOrReadOnly,
} from './permissions/builtin.ts'
export { allOf, anyOf, not, type NotOptions } from './permissions/composition.ts'
export { TokenHasScope, type TokenHasScopeOptions } from './permissions/token-has-scope.ts'
export { handleException } from './pipeline/exceptions.ts'
export { HTMLRenderer } from './rendering/html.ts'
export { JSONRenderer } from './rendering/json.ts'
export { StaticHTMLRenderer } from './rendering/static-html.ts'
export { reply, type ReplyInit } from './replies/reply.ts'
export type {
  AnyField,
  AnyFieldOptions,
  Field,
  FieldFacts,
  FieldOptions,
  Fields,
  ReadContext,
  Validator,
} from './serializers/declaration.ts'
export {
  type AllOptional,
  extend,
  type Extended,
  type ManySerializer,
  many,
  omit,
  partial,
  pick,
} from './serializers/derive.ts'
export { field } from './serializers/field.ts'
export { type Hyperlinks, hyperlinks } from './serializers/fields/hyperlink.ts'
export type { JSONValue } from './serializers/fields/json.ts'
export type { StandardIssue, StandardResult, StandardSchema } from './serializers/fields/schema.ts'
export type { LinkTarget } from './serializers/links.ts'
export { Refused } from './serializers/refused.ts'
export {
  type DeclaredSerializer,
  serializer,
  type SerializerOptions,
} from './serializers/serializer.ts'
export type { InputOf, OutputOf, PatchOf, RowOf } from './serializers/types.ts'
export { type KeyedRows, unique } from './serializers/unique.ts'
export {
  type Configuration,
  type ConfigurationSource,
  configurationOf,
  readConfiguration,
} from './settings/configuration.ts'
export type { Ordering, OrderingKey, OrderingTerm } from './settings/ordering.ts'
export type { ServiceSettings } from './settings/service.ts'
export type { FilterField, SearchField } from './settings/lookups.ts'
export {
  type ArraySource,
  type ArraySourceOptions,
  type KeyedArraySource,
  arraySource,
} from './lists/array-source.ts'
export { escapeHtml } from './std/text/escape-html.ts'
export { Form, type FormValue, type UploadedFile } from './std/http/form.ts'
export { Query } from './std/http/query.ts'
export { type ResourceUrls, defineUrls, include, resourceUrls } from './links/address-table.ts'
export { AcceptHeaderVersioning } from './versioning/accept-header.ts'
export { BaseVersioning, type VersioningOptions } from './versioning/base-versioning.ts'
export { byVersion } from './versioning/by-version.ts'
export { firstOf } from './versioning/first-of.ts'
export { HostNameVersioning, type HostNameVersioningOptions } from './versioning/host-name.ts'
export { NamespaceVersioning } from './versioning/namespace.ts'
export { QueryParameterVersioning } from './versioning/query-parameter.ts'
export { URLPathVersioning } from './versioning/url-path.ts'
