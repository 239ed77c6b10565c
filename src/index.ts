export type { ApiOptions, App, DescribedEndpoint, ServeOptions } from './api/app.ts'
export type { Endpoint, EndpointOptions, Group } from './api/types.ts'
export type * from './contract/request.ts'
export type * from './contract/service-facts.ts'
export type * from './contract/settings/cors.ts'
export type * from './contract/settings/plain.ts'
export type * from './contract/credentials.ts'
export type {
  Bytes,
  DoorReply,
  DoorRequest,
  Kernel,
  ContentType,
  Environ,
} from './contract/door.ts'
export type * from './contract/list-source.ts'
export type { EndpointFinding } from './api/findings.ts'
export type { Behaviour, Finding, Handler, InputFields, Logger } from './contract/kernel.ts'
export type * from './contract/pagination.ts'
export type {
  CheckedFile,
  CheckedService,
  ChoiceInfo,
  FieldInfo,
  FileStore,
  InputSerializer,
  Parse,
  ParseOptions,
  Serializer,
} from './contract/serializer.ts'
export type * from './contract/sessions.ts'
export type * from './contract/throttling.ts'
export type * from './contract/versioning.ts'
export type {
  Facts,
  Linker,
  LinkOptions,
  OpenLink,
  UrlFor,
  UrlForOptions,
  Reverse,
} from './types/reverse.ts'
export type {
  Address,
  Include,
  Resolution,
  Resolved,
  RouteTable,
  UrlTable,
} from './types/routes.ts'
export type { AllOf, AnyOf, RequestWith, ThisPermissionNeeds } from './types/scope.ts'
export type * from './types/standard-schema.ts'
export type { VersioningMarks } from './types/version-types.ts'
export * from './api/define-api.ts'
export * from './api/resource.ts'
export type * from './api/resource-types.ts'
export type { ActionName, ResourceName, StandardAction } from './types/resources.ts'
export { anonymousUser } from './api/built-in.ts'
export * from './authentication/basic.ts'
export * from './authentication/remote-user.ts'
export { Csrf, CSRF_FIELD } from './authentication/csrf/csrf.ts'
export type { CsrfSessions, IssuedToken } from './authentication/csrf/csrf.ts'
export { CsrfFailed, type CsrfReason, refuseForeign } from './authentication/foreign-origin.ts'
export type { LoginAccounts } from './authentication/session-login.ts'
export * from './authentication/session.ts'
export * from './authentication/token.ts'
export { directoryStore, type DirectoryStoreOptions } from './doors/directory-store.ts'
export * from './endpoints/api-root.ts'
export * from './endpoints/download.ts'
export { found, retrieve, type RetrieveSpec } from './endpoints/found.ts'
export type { Fetch, FetchOptions } from './doors/fetch.ts'
export { list, type ListSpec, type StyleFor, paginated } from './endpoints/list.ts'
export type * from './endpoints/list-names.ts'
export * from './endpoints/simple-metadata.ts'
export * from './endpoints/login/obtain-token.ts'
export * from './endpoints/login/session.ts'
export { create, destroy, partialUpdate, update } from './endpoints/writing.ts'
export type { CreateSpec, DestroySpec, PartialUpdateSpec, UpdateSpec } from './endpoints/writing.ts'
export * from './errors/api-errors.ts'
export * from './errors/configuration-error.ts'
export { type Detail, type DetailInput, ErrorDetail } from './errors/detail.ts'
export * from './filters/field-filter.ts'
export * from './filters/ordering-filter.ts'
export { SearchFilter, type SearchFilterOptions } from './filters/search-filter.ts'
export * from './messages/german.ts'
export type { Catalogue, MessageKey } from './messages/english.ts'
export type { PluralForms } from './messages/forms.ts'
export type { Messages } from './messages/message.ts'
export { numbersTemplate, previousNextTemplate } from './pagination/page-controls.ts'
export type { TemplateOption } from './pagination/page-controls.ts'
export { OffsetTooLarge } from './pagination/counted.ts'
export type { CountOptions, CountPolicy, DepthOptions } from './pagination/counted.ts'
export { type CursorOptions, CursorPagination } from './pagination/cursor.ts'
export * from './pagination/limit-offset.ts'
export * from './pagination/page-number.ts'
export * from './parsing/file.ts'
export { type FileTaker, type IncomingFile, toDirectory } from './parsing/files.ts'
export * from './parsing/form.ts'
export * from './parsing/json.ts'
export * from './parsing/multipart.ts'
export * from './permissions/builtin.ts'
export * from './permissions/composition.ts'
export { handleException } from './pipeline/exceptions.ts'
export * from './pages/html.ts'
export { JSONRenderer } from './rendering/json.ts'
export * from './rendering/static-html.ts'
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
export * from './serializers/derive.ts'
export type { FileOptions, ImageOptions, ImageType } from './serializers/fields/file.ts'
export { type Hyperlinks, hyperlinks } from './serializers/fields/hyperlink.ts'
export type { JSONValue } from './serializers/fields/json.ts'
export { checked, schemaSerializer } from './serializers/schemas.ts'
export type {
  CheckedSchemas,
  SchemaSerializer,
  SchemaSerializerOptions,
} from './serializers/schemas.ts'
export type { LinkTarget } from './serializers/links.ts'
export { Refused } from './serializers/refused.ts'
export { field, serializer } from './serializers/serializer.ts'
export type { DeclaredSerializer, SerializerOptions } from './serializers/serializer.ts'
export type { InputOf, OutputOf, PatchOf, RowOf } from './serializers/types.ts'
export * from './serializers/unique.ts'
export { configurationOf, readConfiguration } from './settings/configuration.ts'
export type { Configuration, ConfigurationSource } from './settings/configuration.ts'
export type { Ordering, OrderingKey, OrderingTerm } from './settings/ordering-terms.ts'
export type { ServiceSettings } from './settings/service.ts'
export type { FilterField, SearchField } from './settings/field-lookups.ts'
export * from './lists/array-source.ts'
export { contentTypeOf, type ImageSize, imageSizeOf, safeFileName } from './std/file-content.ts'
export { escapeHtml } from './std/text/escape-html.ts'
export * from './std/http/form.ts'
export { Query } from './std/http/query.ts'
export { type ResourceUrls, defineUrls, include, resourceUrls } from './links/address-table.ts'
export * from './throttling/concurrency.ts'
export { MemoryCounters, type MemoryCountersOptions } from './throttling/memory-counters.ts'
export * from './throttling/rate-throttles.ts'
export * from './versioning/accept-header.ts'
export { BaseVersioning, type VersioningOptions } from './versioning/base-versioning.ts'
export * from './versioning/by-version.ts'
export { firstOf } from './versioning/first-of.ts'
export * from './versioning/host-name.ts'
export * from './versioning/namespace.ts'
export * from './versioning/query-parameter.ts'
export * from './versioning/url-path.ts'
