import { ConfigurationError } from '../errors/configuration-error.ts'
import { type Segment, endsWithSlash } from './path-pattern.ts'

/**
 * Whether addresses may end in a format, `/items.json` for `/items/` (N5): `true` for any of lower-case
 * letters and digits, a list for these only. `required`: the path without a format is no address.
 */
export type FormatSuffixes =
  | boolean
  | readonly string[]
  | { readonly allowed?: readonly string[]; readonly required?: boolean }

export interface SuffixRule {
  readonly required: boolean
  /** The expected form of a format, for messages. */
  readonly expects: string
  admits(format: unknown): format is string
}

/** `null`: no suffixes. */
export function toSuffixRule(option: FormatSuffixes): SuffixRule | null {
  if (option === false) return null
  const { allowed = null, required = false } =
    option === true ? {} : 'length' in option ? { allowed: option } : option
  if (allowed) checkFormats(allowed)
  return {
    required,
    expects: allowed ? `one of ${allowed.join(', ')}` : 'lower-case letters and digits',
    admits: (format): format is string =>
      typeof format === 'string' && isFormat(format) && (allowed?.includes(format) ?? true),
  }
}

/** The path that a format is appended to: without its slash, except for the root (N5). */
export function stemOf(segments: readonly Segment[]): readonly Segment[] {
  return endsWithSlash(segments) ? segments.slice(0, -1) : segments
}

/** Takes the format off the segments of a path, and the slash that may follow it. */
export function splitSuffix(
  segments: readonly string[],
  rule: SuffixRule,
): { readonly stem: readonly string[]; readonly format: string } | null {
  const stem = segments.at(-1) === '' ? segments.slice(0, -1) : segments.slice()
  const last = stem.pop() ?? ''
  const dot = last.lastIndexOf('.')
  const format = last.slice(dot + 1)
  if (dot < 0 || !rule.admits(format)) return null
  stem.push(last.slice(0, dot))
  return { stem, format }
}

function checkFormats(allowed: readonly string[]): void {
  if (!allowed.length)
    throw new ConfigurationError('No format suffix is allowed. Name one, or switch suffixes off.')
  for (const format of allowed)
    if (!isFormat(format))
      throw new ConfigurationError(
        `The format suffix "${format}" cannot be used. Write lower-case letters and digits only, no dot.`,
      )
}

function isFormat(text: string): boolean {
  return /^[a-z0-9]+$/.test(text)
}
