import type { Renderer } from '../contract/rendering.ts'
import { contentPolicy } from '../std/http/content-security-policy.ts'
import { addMissing } from './sent-headers.ts'

/** Is this what browsers show as a page? By the value of `Content-Type`. */
export function isPage(contentType: string): boolean {
  return PAGE.test(contentType)
}

const PAGE = /^(?:text\/html|application\/xhtml\+xml)\b/i

/**
 * What every page says to the browser that shows it: load nothing but what the page is made of, let no
 * other page frame it or hold on to its window, and tell other sites nothing of its address. What the
 * handler has said itself stays.
 */
export function addPageHeaders(sent: string[], { contentSecurityPolicy }: Renderer): void {
  addMissing(sent, 'Content-Security-Policy', contentSecurityPolicy ?? OWN_SOURCES)
  addMissing(sent, 'X-Frame-Options', 'DENY')
  // Without any referrer, browsers would not say the origin of a form either (I17).
  addMissing(sent, 'Referrer-Policy', 'same-origin')
  addMissing(sent, 'Cross-Origin-Opener-Policy', 'same-origin')
}

const OWN_SOURCES = contentPolicy({ loads: 'self' })
