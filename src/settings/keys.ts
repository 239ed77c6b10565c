import type { Settings } from '../contract/request.ts'
import type { Messages } from '../messages/message.ts'
import { messagesProblem } from '../messages/setting.ts'
import { type OptionRule, TEXT, TEXT_OR_NULL } from './options.ts'

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null
const isPlain = (value: unknown): value is object => isObject(value) && !Array.isArray(value)

/** Response headers that have another meaning. */
const TAKEN =
  /^(?:allow|cache-control|connection|content-.+|date|deprecation|link|set-cookie|sunset|transfer-encoding|vary|www-authenticate|x-request-id)$/i

export type Kind =
  | 'classes'
  | 'class'
  | 'factory'
  | 'function'
  | 'text'
  | 'text-or-null'
  | 'texts-or-null'
  | 'header-or-null'
  | 'version-facts'
  | 'messages'
  | 'count-or-null'

/** What the value of a key may be, once classes are looked up. */
const KINDS: Readonly<Record<Kind, OptionRule>> = {
  classes: {
    wants: 'a list of class names',
    fits: (value) => Array.isArray(value) && value.every(isObject),
  },
  class: {
    wants: 'a class name or null',
    fits: (value) => value === null || isObject(value),
  },
  /** Called without arguments. */
  factory: {
    wants: 'the name of a registered factory, or null',
    fits: (value) => value === null || typeof value === 'function',
  },
  function: {
    wants: 'the name of a registered function',
    fits: (value) => typeof value === 'function',
  },
  text: TEXT,
  'text-or-null': TEXT_OR_NULL,
  'texts-or-null': {
    wants: 'a list of texts with at least one item, or null for no restriction',
    fits: (value) =>
      value === null ||
      (Array.isArray(value) && value.length > 0 && value.every((one) => TEXT_OR_NULL.fits(one))),
  },
  'header-or-null': {
    wants: 'the name of a response header such as "API-Version" that has no meaning yet, or null',
    fits: (value) =>
      value === null ||
      (typeof value === 'string' &&
        /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(value) &&
        !TAKEN.test(value)),
  },
  'version-facts': {
    wants: 'an object with an object of facts for each version, or null',
    fits: (value) => value === null || (isPlain(value) && Object.values(value).every(isPlain)),
  },
  messages: {
    wants: 'an object of messages by language, a list of shipped languages, or null',
    fits: (value) => value === null || isPlain(value),
  },
  'count-or-null': {
    wants: 'a whole number of at least 1, or null',
    fits: (value) => value === null || (Number.isSafeInteger(value) && (value as number) >= 1),
  },
}

interface Key {
  readonly key: Uppercase<string>
  readonly kind: Kind
}

/**
 * The document's configuration keys and our options, one to one. The law: a key that names classes
 * loses `DEFAULT_` and `_CLASS(ES)` or `_BACKENDS`; camelCase the rest; plural for lists.
 */
export const KEYS: { readonly [K in keyof Settings]: Key } = {
  authentication: { key: 'DEFAULT_AUTHENTICATION_CLASSES', kind: 'classes' },
  permissions: { key: 'DEFAULT_PERMISSION_CLASSES', kind: 'classes' },
  throttles: { key: 'DEFAULT_THROTTLE_CLASSES', kind: 'classes' },
  versioning: { key: 'DEFAULT_VERSIONING_CLASS', kind: 'class' },
  defaultVersion: { key: 'DEFAULT_VERSION', kind: 'text-or-null' },
  allowedVersions: { key: 'ALLOWED_VERSIONS', kind: 'texts-or-null' },
  versionParam: { key: 'VERSION_PARAM', kind: 'text' },
  versions: { key: 'VERSIONS', kind: 'version-facts' },
  versionHeader: { key: 'VERSION_HEADER', kind: 'header-or-null' },
  pagination: { key: 'DEFAULT_PAGINATION_CLASS', kind: 'class' },
  pageSize: { key: 'PAGE_SIZE', kind: 'count-or-null' },
  maxPageSize: { key: 'MAX_PAGE_SIZE', kind: 'count-or-null' },
  filters: { key: 'DEFAULT_FILTER_BACKENDS', kind: 'classes' },
  searchParam: { key: 'SEARCH_PARAM', kind: 'text' },
  orderingParam: { key: 'ORDERING_PARAM', kind: 'text' },
  renderers: { key: 'DEFAULT_RENDERER_CLASSES', kind: 'classes' },
  parsers: { key: 'DEFAULT_PARSER_CLASSES', kind: 'classes' },
  metadata: { key: 'DEFAULT_METADATA_CLASS', kind: 'class' },
  unauthenticatedUser: { key: 'UNAUTHENTICATED_USER', kind: 'factory' },
  unauthenticatedToken: { key: 'UNAUTHENTICATED_TOKEN', kind: 'factory' },
  exceptionHandler: { key: 'EXCEPTION_HANDLER', kind: 'function' },
  nonFieldErrorsKey: { key: 'NON_FIELD_ERRORS_KEY', kind: 'text' },
  urlFormatOverride: { key: 'URL_FORMAT_OVERRIDE', kind: 'text-or-null' },
  messages: { key: 'MESSAGES', kind: 'messages' },
}

/** The option names of all settings, in the order of the table. */
export const SETTING_NAMES: readonly (keyof Settings)[] = Object.keys(KEYS) as (keyof Settings)[]

/** What is wrong with a value once classes are looked up, as the end of a sentence; `null`: nothing. */
export function problemOf(
  kind: Kind,
  value: unknown,
  show: (value: unknown) => string,
): string | null {
  const { wants, fits } = KINDS[kind]
  if (!fits(value)) return `wants ${wants}, and got ${show(value)}.`
  return kind === 'messages' && value !== null ? messagesProblem(value as Messages) : null
}
