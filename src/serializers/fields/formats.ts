// Texts with a form of their own. Each form is looked for in one pass over the text, however it was made.
import { ErrorDetail } from '../../errors/detail.ts'
import type { Chosen, Field, FieldOptions } from '../declaration.ts'
import { refused } from '../refused.ts'
import { fieldOf } from './field-of.ts'
import { type TextOptions, textOf } from './text.ts'

/**
 * An email address: `name@host`, with a host that has a dot, or `localhost`. At most 320 characters.
 *
 * @example field.email({ required: false })
 */
export function email<const O = unknown>(
  options?: Chosen<O, TextOptions>,
): Field<string, string, string, O> {
  const complaint = ErrorDetail.of('invalid.email')
  return textOf<O>(
    { type: 'email', checks: [(text) => (isEmail(text) ? null : complaint)] },
    options,
  )
}

/** RFC 5321 §4.5.3.1: 64 characters before the sign, 255 after it. */
const LONGEST_EMAIL = 320
const LOCAL_PART = /^[-!#$%&'*+/=?^_`{|}~\w\u0080-\uffff]+$/
const HOST_LABEL = /^[a-z\d\u00a1-\uffff](?:[-a-z\d\u00a1-\uffff]{0,61}[a-z\d\u00a1-\uffff])?$/i

function isEmail(text: string): boolean {
  if (text.length > LONGEST_EMAIL) return false
  const sign = text.lastIndexOf('@')
  const local = text.slice(0, sign)
  const host = text.slice(sign + 1)
  return sign > 0 && local.split('.').every((part) => LOCAL_PART.test(part)) && isHost(host)
}

function isHost(host: string): boolean {
  const labels = host.split('.')
  if (labels.length === 1) return host.toLowerCase() === 'localhost'
  return labels.every((label) => HOST_LABEL.test(label)) && !/^\d+$/.test(labels.at(-1)!)
}

/** What an address may be. */
export interface UrlOptions extends TextOptions {
  /** @default ['http', 'https', 'ftp', 'ftps'] */
  readonly schemes?: readonly string[]
}

/**
 * An absolute URL with a host, kept as it was sent. At most 2,048 characters.
 *
 * @example field.url({ schemes: ['https'] })
 */
export function url<const O = unknown>(
  options?: Chosen<O, UrlOptions>,
): Field<string, string, string, O> {
  const { schemes = ['http', 'https', 'ftp', 'ftps'] } = (options ?? {}) as UrlOptions
  const complaint = ErrorDetail.of('invalid.url')
  const check = (text: string): ErrorDetail | null => (isUrl(text, schemes) ? null : complaint)
  return textOf<O>({ type: 'url', checks: [check] }, options)
}

const LONGEST_URL = 2048
const ABSOLUTE = /^([a-z][a-z\d+.-]*):\/\/[^/?#\s\\][^\s\\]*$/i

function isUrl(text: string, schemes: readonly string[]): boolean {
  if (text.length > LONGEST_URL) return false
  const scheme = ABSOLUTE.exec(text)?.[1]?.toLowerCase()
  return scheme !== undefined && schemes.includes(scheme) && URL.canParse(text)
}

/**
 * A slug: letters, digits, `-` and `_` of ASCII.
 *
 * @example field.slug({ maxLength: 50 })
 */
export function slug<const O = unknown>(
  options?: Chosen<O, TextOptions>,
): Field<string, string, string, O> {
  const complaint = ErrorDetail.of('invalid.slug')
  const check = (text: string): ErrorDetail | null => (/^[\w-]+$/.test(text) ? null : complaint)
  return textOf<O>({ type: 'slug', checks: [check] }, options)
}

/**
 * A UUID, with or without hyphens, braces or `urn:uuid:`. It becomes lower case with hyphens.
 *
 * @example field.uuid({ readOnly: true })
 */
export function uuid<const O = unknown>(
  options?: Chosen<O, FieldOptions<string>>,
): Field<string, string, string, O> {
  return fieldOf<string, string, string, O>({ type: 'string', read: readUuid }, options)
}

const NO_UUID = refused('invalid.uuid')
const LONGEST_UUID = 50
const UUID = /^([\da-f]{8})-?([\da-f]{4})-?([\da-f]{4})-?([\da-f]{4})-?([\da-f]{12})$/

function readUuid(value: unknown): string | typeof NO_UUID {
  if (typeof value !== 'string' || value.length > LONGEST_UUID) return NO_UUID
  const text = value
    .trim()
    .toLowerCase()
    .replace(/^urn:uuid:/, '')
    .replace(/^\{(.*)\}$/, '$1')
  return UUID.exec(text)?.slice(1).join('-') ?? NO_UUID
}
