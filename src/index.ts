export type { Endpoint, EndpointOptions, Group } from './core/app/group.ts'
export type { Identity } from './core/ports/policies/authentication.ts'
export type { Reply } from './core/ports/representations.ts'
export type {
  Follower,
  Observer,
  RequestStep,
  SentAnswer,
  Wrapper,
} from './core/ports/policies/observing.ts'
export type { AskedStatement } from './core/std/asked-statement.ts'
export type { Incoming, ApiRequest } from './core/ports/request.ts'
export type { Settings } from './core/ports/settings/settings.ts'
export type { MaybePromise } from './core/std/after.ts'
export type { User, AnonymousUser, Token } from './core/ports/credentials.ts'
export type { Behaviour, Handler, Logger } from './core/ports/kernel.ts'
export type { FileStore } from './core/ports/serializer.ts'
export type { RequestWith } from './core/types/typed-settings.ts'
export * from './preset/define-api.ts'
export * from './resources/resource/resource.ts'
export type {
  ResourceOptions,
  Resource,
  ResourceSpec,
} from './resources/resource/resource-types.ts'
export { anonymousUser } from './preset/built-in.ts'
export * from './policies/authentication/basic.ts'
export * from './policies/authentication/remote-user.ts'
export { Csrf, CSRF_FIELD } from './policies/authentication/csrf/csrf.ts'
export { CsrfFailed, refuseForeign } from './policies/authentication/csrf/foreign-requests.ts'
export {
  type SessionAuthenticationOptions,
  SessionAuthentication,
} from './policies/authentication/session.ts'
export * from './policies/authentication/token.ts'
export { directoryStore, type DirectoryStoreOptions } from './core/parsing/files.ts'
export * from './resources/endpoints/action.ts'
export { type DownloadOptions, download, pathUnder } from './resources/endpoints/download.ts'
export { found, retrieve, type RetrieveSpec } from './resources/endpoints/retrieve.ts'
export type { FetchOptions } from './core/serving/fetch.ts'
export { list, type ListSpec, paginated } from './resources/endpoints/list.ts'
export * from './core/pipeline/metadata.ts'
export {
  type SessionEndpointOptions,
  loginSession,
  logoutSession,
  renewSession,
  showSession,
} from './accounts/login/session-endpoints.ts'
export * from './accounts/login/token-endpoints.ts'
export { create, destroy, partialUpdate, update } from './resources/endpoints/writing.ts'
export type {
  CreateSpec,
  DestroySpec,
  PartialUpdateSpec,
  UpdateSpec,
} from './resources/endpoints/writing.ts'
export * from './core/errors/api-errors.ts'
export * from './core/errors/configuration-error.ts'
export { type Detail, type DetailInput, ErrorDetail } from './core/errors/detail.ts'
export * from './policies/filters/field-filter.ts'
export * from './policies/filters/ordering-filter.ts'
export { SearchFilter, type SearchFilterOptions } from './policies/filters/search-filter.ts'
export * from './core/messages/german.ts'
export type { Catalogue, MessageKey } from './core/messages/english.ts'
export type { PluralForms } from './core/messages/forms.ts'
export type { Message, Messages } from './core/messages/message.ts'
export { defineMessages } from './core/errors/own-messages.ts'
export { numbersTemplate, previousNextTemplate } from './policies/pagination/page-controls.ts'
export type { TemplateOption } from './policies/pagination/page-controls.ts'
export { type CursorOptions, CursorPagination } from './policies/pagination/cursor.ts'
export * from './policies/pagination/limit-offset.ts'
export {
  type CountOptions,
  type DepthOptions,
  OffsetTooLarge,
  type PageNumberOptions,
  PageNumberPagination,
  StandardPaginator,
} from './policies/pagination/page-number.ts'
export * from './core/parsing/file.ts'
export { type FileTaker, type IncomingFile, toDirectory } from './core/parsing/files.ts'
export * from './core/parsing/form.ts'
export * from './core/parsing/json.ts'
export * from './core/parsing/multipart.ts'
export * from './policies/permissions/builtin.ts'
export * from './policies/permissions/composition.ts'
export { handleException } from './core/pipeline/exceptions.ts'
export * from './addons/pages/html.ts'
export { JSONRenderer } from './core/representations/json.ts'
export * from './core/representations/static-html.ts'
export { reply, type ReplyInit, withHeaders } from './core/replies/reply.ts'
export { converted } from './resources/serializers/conversion.ts'
export { extend, pick, omit, partial, many } from './resources/serializers/derive.ts'
export type { FileOptions, ImageOptions, ImageType } from './resources/serializers/fields/file.ts'
export { hyperlinks } from './resources/serializers/fields/hyperlink.ts'
export type { JSONValue } from './core/std/json/exact-json.ts'
export { checked, schemaSerializer } from './resources/serializers/schemas.ts'
export type { SchemaSerializer, SchemaSerializerOptions } from './resources/serializers/schemas.ts'
export { Refused } from './resources/serializers/refused.ts'
export { field, serializer } from './resources/serializers/serializer.ts'
export type { DeclaredSerializer, SerializerOptions } from './resources/serializers/serializer.ts'
export type { InputOf, OutputOf, PatchOf, RowOf } from './resources/serializers/types.ts'
export { type TogetherOptions, unique, uniqueTogether } from './resources/serializers/unique.ts'
export { configurationOf, readConfiguration } from './core/settings/configuration.ts'
export type { Configuration, ConfigurationSource } from './core/settings/configuration.ts'
export type { Ordering, OrderingKey, OrderingTerm } from './core/settings/ordering-terms.ts'
export type { FilterField, SearchField } from './core/settings/field-lookups.ts'
export {
  type ArraySource,
  type ArraySourceOptions,
  arraySource,
} from './resources/lists/array-source.ts'
export {
  contentTypeOf,
  type ImageSize,
  imageSizeOf,
  safeFileName,
} from './core/std/file-content.ts'
export { escapeHtml } from './core/std/text/escape-html.ts'
export * from './core/std/http/form.ts'
export { Query } from './core/std/http/query.ts'
export { type ResourceUrls, defineUrls, include, resourceUrls } from './core/urls/address-table.ts'
export * from './policies/throttling/concurrency.ts'
export {
  MemoryCounters,
  type MemoryCountersOptions,
} from './policies/throttling/memory-counters.ts'
export * from './policies/throttling/rate-throttles.ts'
export * from './policies/versioning/schemes.ts'
