import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { expect } from 'vitest'

/** Somebody at a browser of their own, without cookies. */
export interface Visitor {
  readonly page: Page
  /** Errors, refusals of the policy, dialogs and requests to elsewhere, as sentences. */
  readonly met: readonly string[]
  /** @throws AssertionError something of that was met */
  leave(): Promise<void>
}

/**
 * A visitor of one service, or of one after the other: what no page may do is noted whatever the test is about, and fails
 * it.
 */
export async function visitorOf(
  browser: Browser,
  url: string | (() => string),
  options: BrowserContextOptions = {},
): Promise<Visitor> {
  const home = typeof url === 'string' ? () => url : url
  const context = await browser.newContext({ baseURL: home(), ...options })
  const met: string[] = []
  context.on('console', (message) => {
    // Chromium counts every 4xx as an error.
    const isStatus = message.text().startsWith('Failed to load resource: the server responded')
    if (message.type() === 'error' && !isStatus) met.push(message.text())
  })
  context.on('weberror', (error) => met.push(String(error.error())))
  context.on('dialog', (dialog) => {
    met.push(`dialog ${dialog.message()}`)
    void dialog.dismiss()
  })
  context.on('request', (request) => {
    const { origin } = new URL(request.url())
    if (origin !== new URL(home()).origin) met.push(`asks ${request.url()}`)
  })
  await context.addInitScript(
    "addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => console.error('policy', violatedDirective, blockedURI))",
  )
  const page = await context.newPage()
  const leave = async (): Promise<void> => {
    await context.close()
    expect(met).toEqual([])
  }
  return { page, met, leave }
}

/**
 * Does what leads to another page, and waits until that is here as a whole: what is read next is never what was shown
 * before, nor half of a page. A script may have put the other page in the place of this one.
 */
export async function turned(page: Page, lead: () => Promise<unknown>): Promise<void> {
  await page.evaluate("document.body.dataset.before = ''")
  await lead()
  await page.waitForSelector('body:not([data-before])')
  await page.waitForLoadState()
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What axe-core finds on the page as it is: by all of its rules, or by one. */
async function inaccessible(page: Page, rule: string | null): Promise<readonly string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe)
  const options = { resultTypes: ['violations'], ...(rule !== null && { runOnly: [rule] }) }
  const { violations } = (await page.evaluate(`axe.run(${JSON.stringify(options)})`)) as {
    readonly violations: readonly {
      readonly id: string
      readonly nodes: readonly { readonly target: unknown }[]
    }[]
  }
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => String(target)).join(' ')}`,
  )
}

/** Colours may change slowly: in a frame after the one that was asked for they have begun to, and then they end. */
const SETTLED = `(async () => {
  for (const _ of [1, 2]) await new Promise(requestAnimationFrame)
  const roots = [...document.querySelectorAll('*')].flatMap(({ shadowRoot }) => shadowRoot ?? [])
  const moving = [document, ...roots].flatMap((root) => root.getAnimations())
  await Promise.allSettled(moving.map(({ finished }) => finished))
})()`

/** Nobody has to move a page sideways. */
export const isAsWideAsTheWindow = (page: Page): Promise<unknown> =>
  page.evaluate('document.documentElement.scrollWidth <= innerWidth')

/**
 * How a page can look. All rules count once: of them, other colours can only break the one about contrast; and no colour
 * makes a page wider, so that looks without rules are for pictures.
 */
const LOOKS = [
  { colorScheme: 'light', width: 375, rules: [null] },
  { colorScheme: 'light', width: 1440, rules: [] },
  { colorScheme: 'dark', width: 375, rules: [] },
  { colorScheme: 'dark', width: 1440, rules: ['color-contrast'] },
] as const

/** Of a page, light and dark, in a narrow window and a wide one: what somebody could not read, as sentences. */
export async function unreadable(
  page: Page,
  see?: (look: string) => Promise<unknown>,
): Promise<readonly string[]> {
  const found: string[] = []
  for (const { colorScheme, width, rules } of LOOKS) {
    if (see === undefined && rules.length === 0) continue
    const look = `${colorScheme}-${width}`
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.setViewportSize({ width, height: width < 500 ? 812 : 900 })
    if (!(await isAsWideAsTheWindow(page))) found.push(`${look} is wider than the window`)
    await page.evaluate(SETTLED)
    for (const rule of rules)
      found.push(...(await inaccessible(page, rule)).map((fault) => `${look} ${fault}`))
    await see?.(look)
  }
  return found
}
