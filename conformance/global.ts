import { type Authenticator, type Configuration, configurationOf } from 'colophon'
import type { EntryConfig } from './data.ts'

/** What endpoints inherit (SERVICE §2), in the words of their entries. */
export const GLOBAL = {
  authentication_classes: ['SessionAuthentication', 'BasicAuthentication'],
  permission_classes: ['AllowAny'],
  throttle_classes: [],
  pagination_class: { style: 'PageNumberPagination' },
  versioning_class: null,
  renderer_classes: ['json', 'html'],
  parser_classes: ['json', 'form', 'multipart'],
} as const satisfies EntryConfig

/**
 * The same as an operator says it, with configuration keys. While one of the schemes does not exist
 * the key for schemes is left out: whoever inherits it waits.
 */
export function globalConfiguration(
  schemes: Readonly<Record<string, Authenticator>>,
): Configuration {
  const { authentication_classes: names } = GLOBAL
  return configurationOf({
    ...(names.every((name) => name in schemes) ? { DEFAULT_AUTHENTICATION_CLASSES: names } : {}),
    DEFAULT_PERMISSION_CLASSES: ['AllowAny'],
    DEFAULT_THROTTLE_CLASSES: [],
    DEFAULT_PAGINATION_CLASS: 'PageNumberPagination',
    PAGE_SIZE: 25,
    DEFAULT_VERSIONING_CLASS: null,
    DEFAULT_RENDERER_CLASSES: ['JSONRenderer', 'HTMLRenderer'],
    DEFAULT_PARSER_CLASSES: ['JSONParser', 'FormParser', 'MultiPartParser'],
    ALLOWED_HOSTS: ['*'],
  })
}
