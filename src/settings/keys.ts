import type { Settings } from '../contract/settings.ts'
import type { Messages } from '../messages/message.ts'
import { messagesProblem } from '../messages/setting.ts'

/** How the value of a key is written in a file or in the environment. */
export type Kind =
  /** A list of class values. */
  | 'classes'
  /** A class value or `null`. */
  | 'class'
  /** The name of a registered factory (called without arguments), or `null`. */
  | 'factory'
  /** The name of a registered function. */
  | 'function'
  | 'text'
  | 'text-or-null'
  | 'texts-or-null'
  /** The name of a response header, or `null`. */
  | 'header-or-null'
  /** Facts by version, each an object, or `null`. */
  | 'version-facts'
  /** Replaced messages by language, or `null`. */
  | 'messages'
  /** A whole number of at least 1, or `null`. */
  | 'count-or-null'

export interface Key {
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
  if (!CHECKS[kind](value)) return `wants ${EXPECTATIONS[kind]}, and got ${show(value)}.`
  return kind === 'messages' && value !== null ? messagesProblem(value as Messages) : null
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''
const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null
const isFunction = (value: unknown): boolean => typeof value === 'function'
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 1

const isPlain = (value: unknown): value is object => isObject(value) && !Array.isArray(value)

/** Headers that say something else already. */
const TAKEN =
  /^(?:allow|cache-control|connection|content-.+|date|deprecation|link|set-cookie|sunset|transfer-encoding|vary|www-authenticate|x-request-id)$/i

const isHeaderOfOurs = (value: unknown): boolean =>
  typeof value === 'string' && /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(value) && !TAKEN.test(value)

const CHECKS: Readonly<Record<Kind, (value: unknown) => boolean>> = {
  classes: (value) => Array.isArray(value) && value.every(isObject),
  class: (value) => value === null || isObject(value),
  factory: (value) => value === null || isFunction(value),
  function: isFunction,
  text: isText,
  'text-or-null': (value) => value === null || isText(value),
  'texts-or-null': (value) =>
    value === null ||
    (Array.isArray(value) &&
      value.length > 0 &&
      value.every((item) => item === null || isText(item))),
  'header-or-null': (value) => value === null || isHeaderOfOurs(value),
  'version-facts': (value) =>
    value === null || (isPlain(value) && Object.values(value).every(isPlain)),
  messages: (value) => value === null || isPlain(value),
  'count-or-null': (value) => value === null || isCount(value),
}

/** What a key of this kind wants, for error messages. */
const EXPECTATIONS: Readonly<Record<Kind, string>> = {
  classes: 'a list of class names',
  class: 'a class name or null',
  factory: 'the name of a registered factory, or null',
  function: 'the name of a registered function',
  text: 'a text that is not empty',
  'text-or-null': 'a text that is not empty, or null',
  'texts-or-null': 'a list of texts with at least one item, or null for no restriction',
  'header-or-null':
    'the name of a response header such as "API-Version" that has no meaning yet, or null',
  'version-facts': 'an object with an object of facts for each version, or null',
  messages: 'an object of messages by language, a list of shipped languages, or null',
  'count-or-null': 'a whole number of at least 1, or null',
}
