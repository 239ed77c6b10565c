import { ErrorDetail } from '../../errors/detail.ts'
import type { Chosen, Field, FieldFacts, FieldOptions } from '../declaration.ts'
import { Refused, refused } from '../refused.ts'
import { fieldOf } from './field-of.ts'

/** What a text may be. */
export interface TextOptions extends FieldOptions<string> {
  /** In characters, as people and databases count. @default no limit */
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
}

/**
 * A text. Strings are taken, and numbers as text; NUL and halves of surrogate pairs are not (E29).
 *
 * @example field.text({ maxLength: 200 })
 */
export function text<const O = unknown>(
  options?: Chosen<O, TextOptions>,
): Field<string, string, string, O> {
  return textOf<O>({ type: options?.pattern ? 'regex' : 'string', checks: [] }, options)
}

/** Finds fault with a text; `null`: none. */
export type TextCheck = (text: string) => ErrorDetail | null

/** A text with a form of its own, such as an email address. */
export function textOf<O>(
  { type, checks }: { readonly type: string; readonly checks: readonly TextCheck[] },
  options: (O & TextOptions) | undefined,
): Field<string, string, string, O> {
  const given: TextOptions = options ?? {}
  const rules = [...unfitCharacters, ...lengthChecks(given), ...patternChecks(given), ...checks]
  return fieldOf<string, string, string, O>(
    {
      type,
      read: (value) => readText(value, given, rules),
      keepsBlank: given.allowBlank ?? false,
      takesDigits: true,
      facts: () => factsOf(given),
    },
    options,
  )
}

const WRITTEN: ReadonlySet<string> = new Set(['string', 'bigint'])
const NOT_A_TEXT = refused('invalid.text')
const BLANK = refused('blank')

/** E29, and every rule that is broken (E28). */
function readText(
  value: unknown,
  { trim = true, allowBlank = false }: TextOptions,
  rules: readonly TextCheck[],
): string | Refused {
  if (typeof value === 'number' ? !Number.isFinite(value) : !WRITTEN.has(typeof value))
    return NOT_A_TEXT
  const read = trim ? String(value).trim() : String(value)
  if (read === '') return allowBlank ? read : BLANK
  const complaints = rules.map((rule) => rule(read)).filter((complaint) => complaint !== null)
  return complaints.length === 0 ? read : new Refused(complaints)
}

const NUL = ErrorDetail.of('null_characters_not_allowed')
const SURROGATE = ErrorDetail.of('surrogate_characters_not_allowed')

const unfitCharacters: readonly TextCheck[] = [
  (read) => (read.includes('\0') ? NUL : null),
  (read) => (read.isWellFormed() ? null : SURROGATE),
]

function lengthChecks({ minLength, maxLength }: TextOptions): TextCheck[] {
  const checks: TextCheck[] = []
  if (maxLength !== undefined) {
    const complaint = ErrorDetail.of('max_length', { count: maxLength })
    checks.push((read) => (isLonger(read, maxLength) ? complaint : null))
  }
  if (minLength !== undefined) {
    const complaint = ErrorDetail.of('min_length', { count: minLength })
    checks.push((read) => (isLonger(read, minLength - 1) ? null : complaint))
  }
  return checks
}

/** A character takes one or two places, so most texts need no counting. */
function isLonger(read: string, limit: number): boolean {
  if (read.length <= limit) return false
  return read.length > 2 * limit || [...read].length > limit
}

const NO_MATCH = ErrorDetail.of('invalid.pattern')

/** `g` and `y` make an expression remember where it was: a copy without them does not. */
function patternChecks({ pattern, maxLength = Infinity }: TextOptions): TextCheck[] {
  if (pattern === undefined) return []
  const expression = new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, ''))
  return [(read) => (isLonger(read, maxLength) || expression.test(read) ? null : NO_MATCH)]
}

function factsOf({ minLength, maxLength }: TextOptions): FieldFacts {
  return {
    ...(minLength === undefined ? {} : { min_length: minLength }),
    ...(maxLength === undefined ? {} : { max_length: maxLength }),
  }
}
