// Each form is checked in one pass over the text, so that the time grows with its length only.
import { ErrorDetail } from '../../../core/errors/detail.ts'
import { attempt } from '../../../core/std/attempt.ts'
import { formatAddress, parseIp } from '../../../core/std/http/network.ts'
import type { FieldOptions } from '../declaration.ts'
import { withLimits } from '../describe-fields.ts'
import type { SchemaPlace } from '../../../core/ports/settings/settings.ts'
import type { JSONSchema } from '../../../core/types/documents.ts'
import { type FieldKind, type FieldParts, kind } from '../field-of.ts'
import { Refused, refused, Unshowable } from '../refused.ts'

interface TextOptions extends FieldOptions<string> {
  /** In characters, in the count of people and databases. @default no limit */
  readonly minLength?: number
  readonly maxLength?: number
  /**
   * Found somewhere in the text: anchor it to match all of it. Texts beyond `maxLength` are not looked at,
   * so give one: the time of many expressions grows with the square of the length.
   */
  readonly pattern?: RegExp
  /** Whether it may be empty. @default false */
  readonly allowBlank?: boolean
  /** White space around it is left out. @default true */
  readonly trim?: boolean
  /** A password or the like: pages do not show it while it is typed, nor again; OPTIONS calls it `password`. Make it `writeOnly`, too. @default false */
  readonly secret?: boolean
}

/**
 * A text. Strings are taken, and numbers as text; NUL and halves of surrogate pairs are not (E29).
 *
 * @example field.text({ maxLength: 200 })
 */
export const text: FieldKind<TextOptions, string> = kind('string', (options: TextOptions) => ({
  ...textParts(options),
  type: options.secret ? 'password' : options.pattern ? 'regex' : 'string',
  schema: textSchema(options, options.secret ? { format: 'password' } : {}),
}))

/**
 * An email address: `name@host`, with a host that has a dot, or `localhost`. At most 320 characters.
 *
 * @example field.email({ required: false })
 */
export const email: FieldKind<TextOptions, string> = kind('email', (options: TextOptions) => ({
  ...textParts(options, [ErrorDetail.of('invalid.email'), isEmail]),
  schema: textSchema({ maxLength: LONGEST_EMAIL, ...options }, { format: 'email' }),
}))

interface UrlOptions extends TextOptions {
  /** @default ['http', 'https', 'ftp', 'ftps'] */
  readonly schemes?: readonly string[]
}

/**
 * An absolute URL with a host, kept as it was sent. At most 2,048 characters.
 *
 * @example field.url({ schemes: ['https'] })
 */
export const url: FieldKind<UrlOptions, string> = kind('url', (options: UrlOptions) => {
  const { schemes = ['http', 'https', 'ftp', 'ftps'] } = options
  return {
    ...textParts(options, [ErrorDetail.of('invalid.url'), (address) => isUrl(address, schemes)]),
    schema: textSchema({ maxLength: LONGEST_URL, ...options }, { format: 'uri' }),
  }
})

/**
 * A slug: letters, digits, `-` and `_` of ASCII.
 *
 * @example field.slug({ maxLength: 50 })
 */
export const slug: FieldKind<TextOptions, string> = kind('slug', (options: TextOptions) => ({
  ...textParts(options, [ErrorDetail.of('invalid.slug'), (read) => SLUG.test(read)]),
  schema: textSchema({ pattern: SLUG, ...options }),
}))

const SLUG = /^[A-Za-z0-9_-]+$/

/**
 * A UUID, with or without hyphens, braces or `urn:uuid:`. It becomes lower case with hyphens.
 *
 * @example field.uuid({ readOnly: true })
 */
export const uuid: FieldKind<FieldOptions<string>, string> = kind('string', () => ({
  isLine: true,
  show: (value) => (typeof value === 'string' ? value : textIn(value)),
  read: (value) => (typeof value === 'string' ? uuidIn(value) : null) ?? NO_UUID,
  normalForm: uuidIn,
  schema: () => ({ type: 'string', format: 'uuid' }),
}))

interface IpOptions extends FieldOptions<string> {
  /** @default both; IPv4 within IPv6 (`::ffff:10.0.0.1`) becomes IPv4 */
  readonly version?: 4 | 6
}

/**
 * An internet address in its normal form (RFC 5952): lower case, zeros left out. A zone (`fe80::1%eth0`) means
 * something on one machine only and is refused.
 *
 * @example field.ip({ version: 4 })
 */
export const ip: FieldKind<IpOptions, string> = kind('string', ({ version }: IpOptions) => ({
  own: ['version'],
  isLine: true,
  show: (value) => (typeof value === 'string' ? value : textIn(value)),
  read(value) {
    const sent = typeof value === 'string' && value.length <= LONGEST_IP ? value.trim() : ''
    return normalAddress(sent, version) ?? NO_IP[version ?? 'any']
  },
  schema: () => ({ type: 'string', ...(version && { format: `ipv${version}` }) }),
}))

const LONGEST_IP = 100
const NO_IP = { 4: refused('invalid.ipv4'), 6: refused('invalid.ipv6'), any: refused('invalid.ip') }

function normalAddress(sent: string, version: 4 | 6 | undefined): string | null {
  const address = sent.includes('%') ? null : parseIp(sent)
  const written = sent.includes(':') ? 6 : 4
  if (address === null || (version !== undefined && version !== written)) return null
  const normal = formatAddress(address)
  return version === 6 && !normal.includes(':') ? `::ffff:${normal}` : normal
}

/** A condition on a text, and the complaint if it is not met. */
type Rule = readonly [complaint: ErrorDetail, isRight: (text: string) => boolean]

function textParts(
  options: TextOptions,
  ...form: readonly Rule[]
): FieldParts<string, string, string> {
  const { trim = true, allowBlank = false } = options
  const rules = [...rulesOf(options), ...form]
  return {
    own: ['minLength', 'maxLength', 'pattern', 'allowBlank', 'trim', 'secret', 'schemes'],
    keepsBlank: allowBlank,
    takesDigits: true,
    show: showText,
    read(value) {
      if (typeof value !== 'string' && typeof value !== 'bigint' && !Number.isFinite(value))
        return NOT_A_TEXT
      const read = trim ? String(value).trim() : String(value)
      if (read === '') return allowBlank ? read : BLANK
      const broken = rules.filter(([, isRight]) => !isRight(read))
      return broken.length === 0 ? read : new Refused(broken.map(([complaint]) => complaint))
    },
  }
}

function textSchema(
  { minLength, maxLength, pattern, allowBlank }: TextOptions,
  form: JSONSchema = {},
): (place: SchemaPlace) => JSONSchema {
  const source = pattern && sharedSource(pattern)
  const shortest = allowBlank ? minLength : Math.max(minLength ?? 0, 1)
  const limits = { minLength: shortest, maxLength, pattern: allowBlank ? undefined : source }
  return (place) => withLimits(place, { type: 'string', ...form }, limits)
}

/** Expressions of JSON Schema have the flag `u`: one that means something else with it alone is left out. */
function sharedSource({ source, flags, unicodeSets }: RegExp): string | undefined {
  const isOther = !/^[dguvy]*$/.test(flags) || (unicodeSets && /--|&&/.test(source))
  if (isOther) return undefined
  return attempt(SyntaxError, () => new RegExp(source, 'u').source) ?? undefined
}

/** Numbers are shown in the text form in which they are read. `keeps`: most values are texts. */
const showText = Object.assign(
  (value: unknown): string => (typeof value === 'string' ? value : textIn(value)),
  { keeps: 'string' as const },
)

function textIn(value: unknown): string {
  if (Number.isFinite(value) || typeof value === 'bigint' || typeof value === 'boolean')
    return String(value)
  throw new Unshowable('A row holds something that is no text.')
}

const NOT_A_TEXT = refused('invalid.text')
const BLANK = refused('blank')

/** E29, and what the options ask for; every rule that is broken is reported (E28). */
function rulesOf({ minLength = 0, maxLength = Infinity, pattern }: TextOptions): readonly Rule[] {
  // With `g` and `y`, an expression remembers its position, so a copy is made without them.
  const copy = pattern && new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, ''))
  return [
    [ErrorDetail.of('null_characters_not_allowed'), (read) => !read.includes('\0')],
    [ErrorDetail.of('surrogate_characters_not_allowed'), (read) => read.isWellFormed()],
    [ErrorDetail.of('max_length', { count: maxLength }), (read) => !isLonger(read, maxLength)],
    [ErrorDetail.of('min_length', { count: minLength }), (read) => isLonger(read, minLength - 1)],
    [
      ErrorDetail.of('invalid.pattern'),
      (read) => copy === undefined || isLonger(read, maxLength) || copy.test(read),
    ],
  ]
}

/** A character takes one or two places, so most texts need no counting. */
function isLonger(read: string, limit: number): boolean {
  if (read.length <= limit) return false
  if (read.length > 2 * limit) return true
  let count = 0
  for (let at = 0; at < read.length; at += read.codePointAt(at)! > 0xffff ? 2 : 1) count++
  return count > limit
}

/** RFC 5321 §4.5.3.1: 64 characters before the sign, 255 after it. */
const LONGEST_EMAIL = 320
const LOCAL_PART = /^[-!#$%&'*+/=?^_`{|}~\w\u0080-\uffff]+$/
const HOST_LABEL = /^[a-z\d\u00a1-\uffff](?:[-a-z\d\u00a1-\uffff]{0,61}[a-z\d\u00a1-\uffff])?$/i

function isEmail(address: string): boolean {
  if (address.length > LONGEST_EMAIL) return false
  const sign = address.lastIndexOf('@')
  const local = address.slice(0, sign)
  const host = address.slice(sign + 1)
  return sign > 0 && local.split('.').every((part) => LOCAL_PART.test(part)) && isHost(host)
}

function isHost(host: string): boolean {
  const labels = host.split('.')
  if (labels.length === 1) return host.toLowerCase() === 'localhost'
  return labels.every((label) => HOST_LABEL.test(label)) && !/^\d+$/.test(labels.at(-1)!)
}

const LONGEST_URL = 2048
const ABSOLUTE = /^([a-z][a-z\d+.-]*):\/\/[^/?#\s\\][^\s\\]*$/i

function isUrl(address: string, schemes: readonly string[]): boolean {
  if (address.length > LONGEST_URL) return false
  const scheme = ABSOLUTE.exec(address)?.[1]?.toLowerCase()
  return scheme !== undefined && schemes.includes(scheme) && URL.canParse(address)
}

const NO_UUID = refused('invalid.uuid')
const LONGEST_UUID = 50
const UUID = /^([\da-f]{8})-?([\da-f]{4})-?([\da-f]{4})-?([\da-f]{4})-?([\da-f]{12})$/

function uuidIn(sent: string): string | null {
  if (sent.length > LONGEST_UUID) return null
  const hex = sent
    .trim()
    .toLowerCase()
    .replace(/^urn:uuid:/, '')
    .replace(/^\{(.*)\}$/, '$1')
  return UUID.exec(hex)?.slice(1).join('-') ?? null
}
