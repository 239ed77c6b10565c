// Types for authors of policies, list sources, fields or stores.
export type * from './core/ports/metadata.ts'
export type * from './core/ports/parsing.ts'
export type { Authenticator, ActedFor } from './core/ports/policies/authentication.ts'
export type * from './core/ports/policies/filters.ts'
export type * from './core/ports/policies/permissions.ts'
export type { RenderContext, Renderer, Accepted } from './core/ports/representations.ts'
export type { SchemaPlace, OperationPlace } from './core/ports/settings/settings.ts'
export type * from './core/ports/service-facts.ts'
export type * from './core/ports/settings/cors.ts'
export type * from './core/ports/settings/plain.ts'
export type {
  TokenFacts,
  TokenVerifier,
  Requester,
  PasswordVerifier,
  RemoteUserBackend,
  TokenIssuer,
} from './core/ports/credentials.ts'
export type {
  Bytes,
  PlainReply,
  PlainRequest,
  Kernel,
  ContentType,
  Environ,
} from './core/ports/http-adapter.ts'
export type * from './core/ports/list-source.ts'
export type { Finding } from './core/ports/kernel.ts'
export type * from './core/ports/policies/pagination.ts'
export type {
  CheckedFile,
  CheckedService,
  ChoiceInfo,
  FieldInfo,
  InputSerializer,
  Parse,
  ParseOptions,
  Serializer,
} from './core/ports/serializer.ts'
export type * from './core/ports/sessions.ts'
export type * from './core/ports/policies/throttling.ts'
export type * from './core/ports/policies/versioning.ts'
export type {
  Facts,
  Linker,
  LinkOptions,
  OpenLink,
  UrlFor,
  UrlForOptions,
  Reverse,
} from './core/types/reverse.ts'
export type {
  Address,
  Include,
  Resolution,
  Resolved,
  RouteTable,
  UrlTable,
} from './core/types/routes.ts'
export type { AllOf, AnyOf, ThisPermissionNeeds } from './core/types/typed-settings.ts'
export type * from './core/types/standard-schema.ts'
export type { VersioningMarks } from './core/types/version-types.ts'
export type { AnswersAction } from './resources/endpoints/action.ts'
export type { ActionName, ResourceName, StandardAction } from './core/types/resources.ts'
export type { BaseApp, BaseOptions, DescribedEndpoint } from './core/app/app.ts'
export type { EndpointFinding } from './core/app/served-endpoints.ts'
export type {
  Inferring,
  KnownByVersion,
  StandardEndpoints,
  EndpointsOf,
  AnyResource,
  ParentRow,
  ParentKey,
  Fitting,
} from './resources/resource/resource-types.ts'
export type { CsrfSessions, IssuedToken } from './policies/authentication/csrf/csrf.ts'
export type { CsrfReason } from './policies/authentication/csrf/foreign-requests.ts'
export type { LoggedIn, LoginAccounts } from './accounts/login/session-login.ts'
export type { ActsAs } from './policies/authentication/session.ts'
export type { SizedContent, DownloadSource } from './resources/endpoints/download.ts'
export type { Fetch } from './core/serving/fetch.ts'
export type { StyleFor } from './resources/endpoints/list.ts'
export type {
  NamesOf,
  NamesBy,
  NamedColumn,
  FilteredColumn,
  SearchedColumn,
  OrderedColumn,
  OrderingOf,
  FilteredFields,
} from './resources/endpoints/list-names.ts'
export type { CountPolicy } from './policies/pagination/page-number.ts'
export type {
  AnyField,
  AnyFieldOptions,
  Field,
  FieldOptions,
  Fields,
  ReadContext,
  Validator,
} from './resources/serializers/declaration.ts'
export type { Conversion, Converted } from './resources/serializers/conversion.ts'
export type { OwnKeys, OwnMessages, OwnValues, Sentences } from './core/errors/own-messages.ts'
export type { Extended, AllOptional, ManySerializer } from './resources/serializers/derive.ts'
export type { Hyperlinks } from './resources/serializers/fields/hyperlink.ts'
export type { CheckedSchemas } from './resources/serializers/schemas.ts'
export type { LinkTarget } from './resources/serializers/links.ts'
export type { KeyedRows, RowsToCompare } from './resources/serializers/unique.ts'
export type { ServiceSettings } from './core/settings/service-keys.ts'
export type { KeyedArraySource } from './resources/lists/array-source.ts'
