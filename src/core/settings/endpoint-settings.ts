import type { BrowsableSettings } from '../ports/settings/browsable.ts'
import type { CorsPolicy } from '../ports/settings/cors.ts'
import type { Wrapper } from '../ports/policies/observing.ts'
import type { Settings } from '../ports/settings/settings.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'
import type { Messages } from '../messages/message.ts'
import { messagesFromValue, messagesProblem } from '../messages/words.ts'
import { didYouMean } from '../std/text/nearest.ts'
import { isTimeZone } from '../std/time-zone.ts'
import { bothAround } from './around.ts'
import { corsFromValue, corsProblem } from './cors.ts'
import { type Registry, classFromValue, functionFromValue, writtenInCode } from './class-values.ts'
import {
  COUNT,
  type OptionRule,
  SIZE_OR_NULL,
  TEXT,
  TEXTS,
  TEXT_OR_NULL,
  isObject,
  isPlain,
  patternRule,
  membersProblem,
  oneOf,
  orNull,
  whole,
} from './options.ts'
import { GUESSES, RATES } from './rates.ts'
import { SERVICE_NAMES, serviceKey } from './service-keys.ts'
import { versionFactsFromValue } from '../versions/life.ts'
import { TOKEN } from '../std/http/header-value.ts'
import { existsSync, readdirSync, statSync } from 'node:fs'

interface SettingRule extends OptionRule {
  /** Combines the value of an inner layer with that of an outer one. @default the inner value replaces the outer one */
  readonly within?: (outer: unknown, inner: unknown) => unknown
  /** Makes the value from a configured one, by looking classes up. @default the configured value */
  readonly from?: (value: unknown, where: string, registry: Registry) => unknown
}

const CLASSES: SettingRule & { readonly default: readonly never[] } = {
  default: [],
  wants: 'a list of class names',
  reads: 'words',
  fits: (value) => Array.isArray(value) && value.every(isObject),
  from: (value, where, registry) =>
    Array.isArray(value) ? value.map((one) => classFromValue(one, where, registry)) : value,
}
const CLASS: SettingRule & { readonly default: null } = {
  default: null,
  wants: 'a class name or null',
  fits: (value) => value === null || isObject(value),
  from: classFromValue,
}
const FUNCTION: SettingRule = {
  wants: 'the name of a registered function',
  fits: (value) => typeof value === 'function',
  from: functionFromValue,
}
const OBSERVER: SettingRule = orNull({
  ...FUNCTION,
  wants: 'a function, or the name of a registered one',
})
const AROUND: SettingRule = {
  ...OBSERVER,
  within(outer, inner) {
    if (outer === null || inner === null) return inner
    return bothAround(outer as Wrapper, inner as Wrapper)
  },
}
/** The function is called without arguments. */
const FACTORY: SettingRule = orNull({ ...FUNCTION, wants: 'the name of a registered factory' })
const VERSIONS: SettingRule = {
  wants: 'a list of texts with at least one item, or null for no restriction',
  reads: 'words',
  fits: (value) =>
    value === null || (Array.isArray(value) && value.length > 0 && value.every(TEXT_OR_NULL.fits)),
}
const VERSION_FACTS: SettingRule = orNull({
  wants: 'an object with an object of facts for each version',
  fits: (value) => isPlain(value) && Object.values(value).every(isPlain),
  from: versionFactsFromValue,
})

/** Response headers that already have another meaning. */
const TAKEN =
  /^(?:allow|cache-control|connection|content-.+|date|deprecation|link|set-cookie|sunset|transfer-encoding|vary|www-authenticate|x-request-id)$/i

const HEADER = orNull({
  wants: 'the name of a response header such as "API-Version" that has no meaning yet',
  fits: (value) => typeof value === 'string' && TOKEN.test(value) && !TAKEN.test(value),
})
const MESSAGES: SettingRule = orNull({
  wants: 'an object of messages by language, a list of shipped languages',
  reads: 'words',
  fits: isPlain,
  from: messagesFromValue,
  problem: (value) => (value === null ? null : messagesProblem(value as Messages)),
})

const ZONE: SettingRule = {
  wants: 'the name of a time zone such as "Europe/Berlin"',
  fits: (value) => typeof value === 'function' || (typeof value === 'string' && isTimeZone(value)),
}

const SWITCH: SettingRule = { ...oneOf(true, false), wants: 'true or false' }
const PROXIES: SettingRule = {
  wants: 'a number of servers in front, null, or "peer"',
  fits: (value) =>
    value === null || value === 'peer' || (Number.isSafeInteger(value) && Number(value) >= 0),
}

const CORS: SettingRule = orNull({
  wants: 'a list of origins such as "https://app.example.com", an object with "origins"',
  reads: 'list',
  fits: isPlain,
  from: corsFromValue,
  problem: (value) => (value === null ? null : corsProblem(value as CorsPolicy)),
})

const BROWSABLE: SettingRule = {
  wants: 'an object with "title", "logo", "accent" or "templates"',
  fits: isPlain,
  problem: (value) => browsableProblem(value as BrowsableSettings),
}

const PERMIT = ['hasPermission', 'hasObjectPermission']

interface Key extends SettingRule {
  readonly key: Uppercase<string>
  /** The operations that tell a policy from other objects: it has one of them. */
  readonly can?: readonly string[]
}

/** Settings whose defaults are parts that this folder does not know. */
type OfPreset = 'renderers' | 'parsers' | 'metadata' | 'unauthenticatedUser' | 'exceptionHandler'

/**
 * The document's configuration keys and our options, one to one. The law: a key that names classes
 * loses `DEFAULT_` and `_CLASS(ES)` or `_BACKENDS`; camelCase the rest; plural for lists.
 */
export const KEYS: {
  readonly [K in keyof Settings]: Key &
    (K extends OfPreset ? unknown : { readonly default: Settings[K] })
} = {
  authentication: { key: 'DEFAULT_AUTHENTICATION_CLASSES', ...CLASSES, can: ['authenticate'] },
  permissions: { key: 'DEFAULT_PERMISSION_CLASSES', ...CLASSES, can: PERMIT },
  throttles: { key: 'DEFAULT_THROTTLE_CLASSES', ...CLASSES, can: ['limits', 'admit'] },
  throttleRates: { key: 'DEFAULT_THROTTLE_RATES', default: { user: null, anon: null }, ...RATES },
  throttleScope: { key: 'THROTTLE_SCOPE', default: null, ...TEXT_OR_NULL },
  numProxies: { key: 'NUM_PROXIES', default: 'peer', ...PROXIES },
  ipv6Prefix: {
    key: 'IPV6_PREFIX',
    default: 64,
    ...whole('a whole number from 32 to 128', 32, 128),
  },
  onStoreError: { key: 'ON_STORE_ERROR', default: 'local', ...oneOf('allow', 'deny', 'local') },
  rateLimitHeaders: { key: 'RATE_LIMIT_HEADERS', default: true, ...SWITCH },
  challengeAll: { key: 'CHALLENGE_ALL', default: false, ...SWITCH },
  credentialFailures: { key: 'CREDENTIAL_FAILURES', default: null, ...GUESSES },
  cors: { key: 'CORS', default: null, ...CORS },
  versioning: { key: 'DEFAULT_VERSIONING_CLASS', ...CLASS, can: ['determineVersion'] },
  defaultVersion: { key: 'DEFAULT_VERSION', default: null, ...TEXT_OR_NULL },
  allowedVersions: { key: 'ALLOWED_VERSIONS', default: null, ...VERSIONS },
  versionParam: { key: 'VERSION_PARAM', default: 'version', ...TEXT },
  versions: { key: 'VERSIONS', default: null, ...VERSION_FACTS },
  versionHeader: { key: 'VERSION_HEADER', default: null, ...HEADER },
  pagination: { key: 'DEFAULT_PAGINATION_CLASS', ...CLASS, can: ['paginate'] },
  pageSize: { key: 'PAGE_SIZE', default: null, ...orNull(COUNT) },
  maxPageSize: { key: 'MAX_PAGE_SIZE', default: null, ...orNull(COUNT) },
  maxOffset: { key: 'MAX_OFFSET', default: null, ...SIZE_OR_NULL },
  filters: { key: 'DEFAULT_FILTER_BACKENDS', ...CLASSES, can: ['filter'] },
  searchParam: { key: 'SEARCH_PARAM', default: 'search', ...TEXT },
  orderingParam: { key: 'ORDERING_PARAM', default: 'ordering', ...TEXT },
  strictQuery: { key: 'STRICT_QUERY', default: false, ...SWITCH },
  strictBody: { key: 'STRICT_BODY', default: false, ...SWITCH },
  queryParams: { key: 'QUERY_PARAMS', default: [], ...TEXTS, reads: 'words' },
  renderers: { key: 'DEFAULT_RENDERER_CLASSES', ...CLASSES, can: ['render'] },
  parsers: { key: 'DEFAULT_PARSER_CLASSES', ...CLASSES, can: ['parse'] },
  maxBodySize: {
    key: 'DATA_UPLOAD_MAX_MEMORY_SIZE',
    default: 2_621_440,
    ...whole('a number of bytes', 0),
  },
  maxFileSize: { key: 'MAX_FILE_SIZE', default: null, ...orNull(whole('a number of bytes', 0)) },
  maxFiles: { key: 'DATA_UPLOAD_MAX_NUMBER_FILES', default: 100, ...whole('a whole number', 0) },
  maxFields: { key: 'DATA_UPLOAD_MAX_NUMBER_FIELDS', default: 1000, ...whole('a whole number', 0) },
  metadata: { key: 'DEFAULT_METADATA_CLASS', ...CLASS, can: ['describe'] },
  unauthenticatedUser: { key: 'UNAUTHENTICATED_USER', ...FACTORY },
  unauthenticatedToken: { key: 'UNAUTHENTICATED_TOKEN', default: null, ...FACTORY },
  exceptionHandler: { key: 'EXCEPTION_HANDLER', ...FUNCTION },
  around: { key: 'AROUND', default: null, ...AROUND },
  observe: { key: 'OBSERVE', default: null, ...OBSERVER },
  nonFieldErrorsKey: { key: 'NON_FIELD_ERRORS_KEY', default: 'non_field_errors', ...TEXT },
  reads: { key: 'READS', default: 'primary', ...oneOf('primary', 'replica') },
  timeZone: { key: 'TIME_ZONE', default: 'UTC', ...ZONE },
  urlFormatOverride: { key: 'URL_FORMAT_OVERRIDE', default: 'format', ...TEXT_OR_NULL },
  browsable: { key: 'BROWSABLE', default: {}, ...BROWSABLE },
  messages: { key: 'MESSAGES', default: null, ...MESSAGES },
}

export const SETTING_NAMES: readonly (keyof Settings)[] = Object.keys(KEYS) as (keyof Settings)[]

/** The values of settings that no layer sets. */
export const SETTING_DEFAULTS: Omit<Settings, OfPreset> = Object.fromEntries(
  Object.entries(KEYS).flatMap(([name, key]) => ('default' in key ? [[name, key.default]] : [])),
) as never

/** The problem with a value whose classes have been looked up, as the end of a sentence; `null`: none. */
export function problemOf(
  setting: keyof Settings,
  value: unknown,
  show: (value: unknown) => string,
): string | null {
  const { wants, fits, problem, from } = KEYS[setting]
  if (fits(value)) return problem?.(value) ?? null
  const isOfClasses = from === CLASSES.from || from === CLASS.from
  const hint = isOfClasses ? writtenInCode(value, from === CLASSES.from) : ''
  return `must be ${wants}, but is ${show(value)}.${hint}`
}

/** Keys that every layer may have; the others are keys of the whole service. */
export const LAYER_KEYS: ReadonlyMap<string, keyof Settings> = new Map(
  SETTING_NAMES.map((name) => [KEYS[name].key, name]),
)
const KNOWN: readonly string[] = [...LAYER_KEYS.keys(), ...SERVICE_NAMES.map(serviceKey)]

/** @throws ConfigurationError there is no such key; it names the nearest one */
export function knownKey(key: string, shown: string = key): string {
  if (KNOWN.includes(key)) return key
  const withStart = `DEFAULT_${key}`
  const hint = didYouMean(KNOWN.includes(withStart) ? withStart : key, KNOWN, (near) => near)
  throw new ConfigurationError(`There is no configuration key ${shown}.${hint}`)
}

/** Checks the name of a setting in code. */
export function knownSetting(layer: string, name: string): keyof Settings {
  if (Object.hasOwn(KEYS, name)) return name as keyof Settings
  const hint = didYouMean(name, SETTING_NAMES)
  throw new ConfigurationError(`${layer}: there is no setting "${name}".${hint}`)
}

/** The templates that pages are made of; a folder of the application may have its own. */
const TEMPLATES = [
  'layout',
  'page',
  'response',
  'records',
  'action',
  'toolbar',
  'filters',
  'compare',
  'metadata',
  'value',
  'actions',
  'forms',
  'login',
  'console',
] as const

/** The option `template` of a style chooses the templates of page controls; they are drawn with these if they exist. */
const CONTROLS = ['numbers', 'previous-and-next']

const MEMBERS: { readonly [K in keyof BrowsableSettings]-?: OptionRule } = {
  title: TEXT,
  logo: patternRule(
    'the path of a picture that this service serves, such as "/logo.svg"',
    /^\/(?![/\\])[\x21-\x7e]*$/,
  ),
  accent: patternRule('a colour such as "#3451d1"', /^#[0-9a-f]{6}$/i),
  templates: TEXT,
}

/** The problem, as the end of a sentence; `null`: none. */
function browsableProblem(value: BrowsableSettings): string | null {
  const problem = membersProblem(value, MEMBERS)
  return problem ?? (value.templates === undefined ? null : folderProblem(value.templates))
}

function folderProblem(folder: string): string | null {
  if (!existsSync(folder) || !statSync(folder).isDirectory())
    return `wants "templates" to be a folder, and ${JSON.stringify(folder)} is none. Create it, or give its absolute path.`
  const known: readonly string[] = [...TEMPLATES, ...CONTROLS]
  const found = readdirSync(folder).filter((file) => file.endsWith('.eta'))
  const stranger = found.map((file) => file.slice(0, -4)).find((name) => !known.includes(name))
  if (stranger === undefined) return null
  return `has a folder of templates with ${stranger}.eta, which no page uses.${didYouMean(stranger, known)}`
}
