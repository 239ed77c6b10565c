import type { Renderer } from '../ports/representations.ts'
import { sha256 } from '../secrets/digest.ts'

interface PageSources {
  /**
   * `none`: the page loads nothing beyond its own text; `self`: it loads scripts, styles, pictures and data of this service.
   */
  readonly loads: 'none' | 'self'
  /** The style sheet in the page's text, by `styleHash`. */
  readonly style?: string
  /** The script in the page's text, by `styleHash`; it may send requests to this service. */
  readonly script?: string | null
  /** Does the page have scripts and style sheets in files of this service, and pictures in these files? @default false */
  readonly files?: boolean
  /** Does it show pictures of this service? @default false */
  readonly pictures?: boolean
  /** A target of forms outside of this service, as a source of CSP. */
  readonly formsTo?: string | null
}

/**
 * The value of `Content-Security-Policy` for a page: nothing smuggled in runs, no page frames it, its forms stay here, its
 * links mean what they say.
 *
 * @example contentPolicy({ loads: 'none', style: styleHash(css) })
 */
export function contentPolicy({
  loads,
  style,
  files = false,
  script = files ? "'self'" : null,
  pictures = false,
  formsTo = null,
}: PageSources): string {
  const own = files || loads === 'self' ? "'self' " : ''
  const shown = [...(files || pictures ? ["'self'"] : []), ...(files ? ['data:'] : [])]
  const directives = [
    `default-src '${loads}'`,
    ...(style === undefined ? [] : [`style-src ${own}${style}`]),
    ...(script === null ? [] : [`script-src ${script}`, "connect-src 'self'"]),
    ...(shown.length === 0 ? [] : [`img-src ${shown.join(' ')}`]),
    `form-action 'self'${formsTo === null ? '' : ` ${formsTo}`}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ]
  return directives.join('; ')
}

/**
 * The source that admits a `<style>` or a `<script>` with exactly this text.
 *
 * @example styleHash('p { margin: 0 }') // "'sha256-…'"
 */
export function styleHash(text: string): string {
  return `'sha256-${sha256(text, 'base64')}'`
}

/**
 * Headers that keep foreign content out of the page, keep it out of frames, close its window to others, and hide its address
 * from other sites.
 */
export function pageHeaders({ contentSecurityPolicy }: Renderer): Readonly<Record<string, string>> {
  return {
    'Content-Security-Policy': contentSecurityPolicy ?? OWN_SOURCES,
    'X-Frame-Options': 'DENY',
    // Without any referrer, browsers would not send the origin of a form either (I17).
    'Referrer-Policy': 'same-origin',
    'Cross-Origin-Opener-Policy': 'same-origin',
  }
}

const OWN_SOURCES = contentPolicy({ loads: 'self' })
