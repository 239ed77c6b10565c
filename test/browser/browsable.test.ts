// Pages as a browser has them: readable for everybody, without a script, an error or a request to elsewhere.
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startChromium } from '../../scripts/servers/chromium.ts'
import { type RunningServer, serve } from '../../src/node.ts'
import { type Accounts, defineAccounts, openSqlite } from '../../src/sqlite.ts'
import { HOSTILE, hostilePaths, hostileService } from '../pages/hostile.ts'
import { library } from './library.ts'

/** `SCREENSHOTS=docs/pictures` keeps what was seen. */
const pictures = process.env['SCREENSHOTS'] ?? null

let folder: string
let browser: Browser
let accounts: Accounts
let server: RunningServer
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'colophon-pages-'))
  browser = await startChromium()
  const database = openSqlite({ path: join(folder, 'accounts.sqlite') })
  await database.migrate()
  accounts = defineAccounts({ database, secretKey: 'a secret' })
  await accounts.users.create({ username: 'jane', password: 'northanger' })
  server = await serve(library(accounts), { port: 0 })
  if (pictures !== null) mkdirSync(pictures, { recursive: true })
}, 300_000)
afterAll(async () => {
  await browser.close()
  await server.close()
  await accounts.database.close()
  rmSync(folder, { recursive: true })
})

/** What a visitor must never meet, as sentences. */
function watched(page: Page, origin: string): readonly string[] {
  const found: string[] = []
  page.on('console', (message) => {
    // Chromium counts every 4xx as an error.
    const isStatus = message.text().startsWith('Failed to load resource')
    if (message.type() === 'error' && !isStatus) found.push(message.text())
  })
  page.on('pageerror', (error) => found.push(String(error)))
  page.on('dialog', (dialog) => {
    found.push(`dialog ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== origin) found.push(`asks ${request.url()}`)
  })
  return found
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

async function inaccessible(page: Page): Promise<readonly string[]> {
  const { violations } = (await page.evaluate(`${axe}; axe.run()`)) as {
    readonly violations: readonly {
      readonly id: string
      readonly nodes: readonly { readonly target: unknown }[]
    }[]
  }
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => String(target)).join(' ')}`,
  )
}

const KINDS = {
  root: '/',
  list: '/v2/books/?page=3',
  filtered: '/v2/books/?search=Emma&ordering=-year&kind=novel',
  detail: '/v2/books/3/',
  compare: '/v2/books/3/?_view=compare-v1',
  options: '/v2/books/?_view=options',
  cursor: '/feed/',
  empty: '/v2/books/?search=nothing',
  refused: '/own/',
  missing: '/nowhere/',
  login: '/login/',
}

describe.each(['light', 'dark'] as const)('%s', (colorScheme) => {
  describe.each([375, 1440])('at %i px', (width) => {
    let context: BrowserContext
    beforeAll(async () => {
      const viewport = { width, height: width < 500 ? 812 : 900 }
      context = await browser.newContext({ viewport, colorScheme, reducedMotion: 'reduce' })
    })
    afterAll(() => context.close())

    test.each(Object.entries(KINDS))('%s', async (name, path) => {
      const page = await context.newPage()
      const found = watched(page, new URL(server.url).origin)
      await page.goto(new URL(path, server.url).href)
      if (pictures !== null)
        await page.screenshot({ path: join(pictures, `${name}-${colorScheme}-${width}.png`) })
      expect(await inaccessible(page)).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
      expect(found).toEqual([])
      await page.close()
    })
  })
})

test.each([320, 2560])('fits into %i px, and from right to left', async (width) => {
  const context = await browser.newContext({ viewport: { width, height: 800 } })
  const page = await context.newPage()
  for (const path of Object.values(KINDS)) {
    await page.goto(new URL(path, server.url).href)
    expect([
      path,
      await page.evaluate('document.documentElement.scrollWidth <= innerWidth'),
    ]).toEqual([path, true])
    await page.evaluate("document.documentElement.dir = 'rtl'")
    expect([
      path,
      await page.evaluate('document.documentElement.scrollWidth <= innerWidth'),
    ]).toEqual([path, true])
  }
  await context.close()
})

describe.each([true, false])('script on: %s', (javaScriptEnabled) => {
  test('a visitor logs in, turns pages, searches, orders, compares, changes colours and logs out', async () => {
    const context = await browser.newContext({ javaScriptEnabled })
    const page = await context.newPage()
    const found = watched(page, new URL(server.url).origin)
    await page.goto(new URL('/v2/books/', server.url).href)
    await page.getByRole('link', { name: 'Log in' }).click()
    await page.getByLabel('User name').fill('jane')
    await page.getByLabel('Password').fill('wrong')
    await page.getByRole('button', { name: 'Log in' }).click()
    expect(await page.getByRole('alert').isVisible()).toBe(true)
    await page.getByLabel('Password').fill('northanger')
    await page.getByRole('button', { name: 'Log in' }).click()
    expect(new URL(page.url()).pathname).toBe('/v2/books/')
    await page.getByRole('link', { name: 'Page 2', exact: true }).click()
    expect(new URL(page.url()).search).toBe('?page=2')
    await page.getByRole('searchbox').fill('Emma')
    await page.getByRole('searchbox').press('Enter')
    expect(new URL(page.url()).search).toContain('search=Emma')
    await page.getByRole('link', { name: 'year, descending' }).click()
    expect(await page.locator('.json').innerText()).toContain('"Emma"')
    await page.getByText('Compare with').click()
    await page.locator('.toolbar').getByRole('link', { name: 'v1' }).click()
    expect(await page.locator('.compared').isVisible()).toBe(true)
    await page.getByText('Theme').click()
    await page.getByRole('link', { name: 'Dark' }).click()
    await page.goto(new URL('/', server.url).href)
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark')
    await page.getByText('jane').click()
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.goto(new URL('/', server.url).href)
    expect(await page.getByRole('link', { name: 'Log in' }).isVisible()).toBe(true)
    expect(found).toEqual([])
    await context.close()
  })
})

test('nothing hostile runs, wherever it is shown', async () => {
  const context = await browser.newContext()
  const page = await context.newPage()
  for (const text of HOSTILE) {
    const hostile = await serve(hostileService(text), { port: 0 })
    const found = watched(page, new URL(hostile.url).origin)
    // The kinds of places: data, a list with its filters, an error.
    const [data, filtered, , , error] = hostilePaths(text)
    for (const path of [data!, filtered!, error!]) {
      await page.goto(new URL(path, hostile.url).href)
      // What waits for a hand or the focus gets both.
      await page.evaluate(
        "document.querySelectorAll('details').forEach((each) => { each.open = true }); document.querySelectorAll('*').forEach((each) => { each.focus?.(); each.dispatchEvent(new Event('mouseover')) })",
      )
      expect([text, path, await page.evaluate('typeof hurt')]).toEqual([text, path, 'undefined'])
    }
    expect(found).toEqual([])
    page.removeAllListeners()
    await hostile.close()
  }
  await context.close()
}, 300_000)

test('5 MB and 10,000 columns are shown while a person waits', async () => {
  const page = await browser.newPage()
  for (const path of ['/big/', '/wide/']) {
    const start = performance.now()
    await page.goto(new URL(path, server.url).href)
    expect(await page.locator('.notice').innerText()).toMatch(/long/)
    expect([path, performance.now() - start < 15_000]).toEqual([path, true])
  }
  await page.close()
}, 60_000)
