// Pages as a browser has them: readable for everybody, without a script, an error or a request to elsewhere.
import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { KINDS, type Kind, logIn, visit } from '../../scripts/pictures/kinds.ts'
import { library } from '../../scripts/pictures/library.ts'
import { type RunningServer, serve } from '../../src/node.ts'
import { HOSTILE, hostilePaths, hostileService } from '../addons/pages/hostile.ts'
import { type Stage, openStage } from './stage.ts'
import { type Visitor, isAsWideAsTheWindow, turned, unreadable, visitorOf } from './visitor.ts'

type StorageState = Exclude<BrowserContextOptions['storageState'], string | undefined>

let stage: Stage
let server: RunningServer
/** In a narrow window, where the most is hidden. A browser has the most work with one that is new. */
let reader: Visitor
const narrow = { width: 375, height: 812 }
const loggedIn = new Map<string, StorageState>()
beforeAll(async () => {
  stage = await openStage()
  server = await stage.serve(library(stage.accounts))
  for (const name of ['jane', 'bob']) {
    const { page } = await visitorOf(stage.browser, server.url)
    await logIn(page, name)
    loggedIn.set(name, await page.context().storageState())
    await page.context().close()
  }
  const looks = { viewport: narrow, reducedMotion: 'reduce' } as const
  reader = await visitorOf(stage.browser, server.url, looks)
})
afterAll(() => stage.close())

/** At a kind of page, with the cookies of who it asks for, and no others. */
async function readerAt(kind: Kind): Promise<Page> {
  const { page } = reader
  await page.setViewportSize(narrow)
  await withCookies(page, loggedIn.get(kind.as ?? '')?.cookies)
  await visit(page, kind)
  return page
}

async function withCookies(page: Page, cookies: StorageState['cookies'] = []): Promise<void> {
  await page.context().clearCookies()
  await page.context().addCookies(cookies)
}

describe.each(Object.entries(KINDS))('%s', (_, kind) => {
  test('is readable for everybody, light and dark, and fits into any window', async () => {
    const before = reader.met.length
    const page = await readerAt(kind)
    expect(await unreadable(page)).toEqual([])
    for (const direction of ['ltr', 'rtl']) {
      await page.evaluate(`document.documentElement.dir = '${direction}'`)
      for (const width of [320, 2560]) {
        await page.setViewportSize({ width, height: 800 })
        expect([direction, width, await isAsWideAsTheWindow(page)]).toEqual([
          direction,
          width,
          true,
        ])
      }
    }
    expect(reader.met.slice(before)).toEqual([])
  })
})

test('code is written from left to right on a page that is not', async () => {
  const page = await readerAt(KINDS['list']!)
  await page.evaluate("document.documentElement.dir = 'rtl'")
  const code = page.locator('pre.json, .answer > header code, .headers dl')
  const directions = await code.evaluateAll((all) =>
    all.map((one) => getComputedStyle(one).direction),
  )
  expect(directions).toEqual(['ltr', 'ltr', 'ltr'])
})

describe.each([true, false])('script on: %s', (javaScriptEnabled) => {
  test('a visitor logs in, turns pages, searches, orders, compares, changes colours and logs out', async () => {
    const { page, leave } = await visitorOf(stage.browser, server.url, { javaScriptEnabled })
    await page.goto('/v2/books/')
    await turned(page, () => page.getByRole('link', { name: 'Log in' }).click())
    await page.getByLabel('User name').fill('jane')
    await page.getByLabel('Password').fill('wrong')
    await turned(page, () => page.getByRole('button', { name: 'Log in' }).click())
    expect(await page.getByRole('alert').isVisible()).toBe(true)
    await page.getByLabel('Password').fill('northanger')
    await turned(page, () => page.getByRole('button', { name: 'Log in' }).click())
    expect(new URL(page.url()).pathname).toBe('/v2/books/')
    await turned(page, () => page.getByRole('link', { name: 'Page 2', exact: true }).click())
    expect(new URL(page.url()).search).toBe('?page=2')
    await page.getByRole('searchbox').fill('Emma')
    await turned(page, () => page.getByRole('searchbox').press('Enter'))
    expect(new URL(page.url()).search).toContain('search=Emma')
    await turned(page, () => page.getByRole('link', { name: 'year, descending' }).click())
    expect(await page.locator('.json').innerText()).toContain('"Emma"')
    await page.getByText('Compare with').click()
    const older = page.locator('.editions details').getByRole('link', { name: 'v1' })
    await turned(page, () => older.click())
    expect(await page.locator('.compared').isVisible()).toBe(true)
    await page.locator('.theme summary').click()
    await turned(page, () => page.getByRole('link', { name: 'Dark' }).click())
    await page.goto('/')
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark')
    await page.getByText('jane', { exact: true }).click()
    await turned(page, () => page.getByRole('button', { name: 'Log out' }).click())
    await page.goto('/')
    expect(await page.getByRole('link', { name: 'Log in' }).isVisible()).toBe(true)
    await leave()
  })
})

/** What can only harm where nothing stands in front of it: an address, or a name. */
const ALONE = /^(?:\W*(?:j\W*a\W*v\W*a\W*|vb)script:|data:|https?:|\W?https?:|__proto__$)/i
const [alone = [], others = []] = [true, false].map((is) =>
  HOSTILE.filter((text) => ALONE.test(text) === is),
)
/** One text that holds several: the first that is not escaped runs, whatever the others do. */
const joined = Array.from({ length: 6 }, (_, part) =>
  others.filter((__, at) => at % 6 === part).join('|'),
)

describe('nothing hostile runs, wherever it is shown', () => {
  test('all of the corpus is looked at', () => {
    expect(HOSTILE.length).toBeGreaterThanOrEqual(60)
    expect(alone.length).toBeGreaterThan(9)
    expect([...alone, ...joined.flatMap((text) => text.split('|'))].toSorted()).toEqual(
      HOSTILE.toSorted(),
    )
  })

  let hostile: RunningServer
  let visitor: Visitor | undefined
  afterAll(() => visitor?.leave())

  test.each([...alone, ...joined])('%j', async (text) => {
    hostile = await serve(hostileService(text), { port: 0 })
    visitor ??= await visitorOf(stage.browser, () => hostile.url)
    const { page, met } = visitor
    const before = met.length
    await withCookies(page)
    const isUnhurt = async (place: string) => {
      await page.evaluate(TOUCH)
      expect([place, await page.evaluate('typeof hurt')]).toEqual([place, 'undefined'])
    }
    // Each place that something is shown in is on one of them. All of them are read in test/addons/pages/escaping.test.ts.
    const [, filtered, , , , , , , acted, , , compared] = hostilePaths(text)
    for (const path of [filtered!, acted!, compared!, '/form/']) {
      await page.goto(hostile.url + path)
      await isUnhurt(path)
    }
    await page.evaluate(FILL, text)
    await page.click('#form-post button[type=submit]')
    await page.waitForSelector('.write .errors')
    await isUnhurt('errors of a form')
    expect(met.slice(before)).toEqual([])
    await hostile.close()
  })
})

/** What waits for a hand or the focus gets both. */
const TOUCH = `
for (const each of document.querySelectorAll('details')) each.open = true
for (const each of document.querySelectorAll('body *')) {
  if (each.tabIndex >= 0) each.focus()
  for (const kind of ['mouseover', 'pointerenter', 'toggle']) each.dispatchEvent(new Event(kind))
}`

/** Runs in the page. */
const FILL = (text: string): void => {
  // Of what is opened in turns, the form.
  document.querySelector('#form-post')!.closest('details')!.open = true
  for (const input of document.querySelectorAll<HTMLTextAreaElement>(
    '#form-post input[type=text], #form-post textarea',
  ))
    input.value = text
}

test('5 MB and 10,000 columns are shown', async () => {
  const { page, leave } = await visitorOf(stage.browser, server.url)
  for (const path of ['/big/', '/wide/']) {
    await page.goto(path)
    expect(await page.locator('.notice').innerText()).toMatch(/long/)
  }
  await leave()
})
