import { sha256 } from '../crypto/digest.ts'

interface PageSources {
  /** `none`: nothing but what stands in it; `self`: scripts, styles, pictures and data of this service. */
  readonly loads: 'none' | 'self'
  /** The style sheet that stands in it, by `styleHash`. */
  readonly style?: string
  /** The script that stands in it, by `styleHash`; it may ask this service. */
  readonly script?: string | null
  /** Does it show pictures of this service? @default false */
  readonly pictures?: boolean
  /** Where its forms lead besides this service, as a source of CSP. */
  readonly formsTo?: string | null
}

/** Nothing smuggled in runs, no page frames it, its forms stay here, its links mean what they say. */
export function contentPolicy({
  loads,
  style,
  script = null,
  pictures = false,
  formsTo = null,
}: PageSources): string {
  const own = loads === 'self' ? "'self' " : ''
  const directives = [
    `default-src '${loads}'`,
    ...(style === undefined ? [] : [`style-src ${own}${style}`]),
    ...(script === null ? [] : [`script-src ${script}`, "connect-src 'self'"]),
    ...(pictures ? ["img-src 'self'"] : []),
    `form-action 'self'${formsTo === null ? '' : ` ${formsTo}`}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ]
  return directives.join('; ')
}

/** What admits a `<style>` or a `<script>` with exactly this text, and no other. */
export function styleHash(text: string): string {
  return `'sha256-${sha256(text, 'base64')}'`
}
