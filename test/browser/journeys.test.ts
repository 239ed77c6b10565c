// What people do on pages, from one to the next, with a script and without one. Each page: test/browser/browsable.test.ts.
import { Secret, TOTP } from 'otpauth'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { fillForm, logIn } from '../../scripts/pictures/kinds.ts'
import { library } from '../../scripts/pictures/library.ts'
import { serve } from '../../src/node.ts'
import {
  loginPages,
  loginUrls,
  pagePolicy,
  reauthenticationPage,
  reauthenticationUrls,
} from '../../src/browsable.ts'
import { defineAccounts } from '../../src/accounts.ts'
import { factorEndpoints, factorUrls, secondFactors } from '../../src/factors.ts'
import { IsRecentlyAuthenticated, configurationOf, defineApi, defineUrls } from '../../src/index.ts'
import { CHEAP } from '../accounts/fixtures.ts'
import { migratedSqlite } from '../contract/temporary.ts'
import { type Stage, openStage } from './stage.ts'
import { turned, unreadable, visitorOf } from './visitor.ts'

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
afterAll(() => stage.close())

/** In a library of their own. */
async function visitor(javaScriptEnabled: boolean, as?: string): Promise<Page> {
  const server = await serve(library(stage.accounts), { port: 0 })
  const { page, leave } = await visitorOf(stage.browser, server.url, { javaScriptEnabled })
  onTestFinished(async () => {
    await leave()
    await server.close()
  })
  if (as !== undefined) await logIn(page, as)
  return page
}

/** Of the answers that are looked into. */
interface Shown {
  readonly url: string
  readonly results: readonly { readonly id: number }[]
}

const status = (page: Page, code: number) => page.waitForSelector(`h2.status:has-text("${code}")`)
const data = async (page: Page) =>
  JSON.parse((await page.textContent('pre.json')) ?? 'null') as Shown
const pathOf = (page: Page): string => new URL(page.url()).pathname

describe.each([true, false])('with a script: %s', (script) => {
  test('by a cursor to the next page and back, to another version and another format', async () => {
    const page = await visitor(script)
    await page.goto('/feed/')
    const first = await data(page)
    await turned(page, () => page.getByRole('link', { name: 'Next' }).click())
    expect((await data(page)).results[0]!.id).toBe(first.results.at(-1)!.id - 1)
    await turned(page, () => page.getByRole('link', { name: 'Previous' }).click())
    expect((await data(page)).results).toEqual(first.results)

    await page.goto('/v2/books/?page=2')
    expect(Object.keys((await data(page)).results[0]!)).toContain('published')
    const older = page.locator('nav.versions').getByRole('link', { name: 'v1' })
    await turned(page, () => older.click())
    expect([pathOf(page), new URL(page.url()).search]).toEqual(['/v1/books/', '?page=2'])
    expect(Object.keys((await data(page)).results[0]!)).toContain('year')

    await page.locator('.toolbar summary', { hasText: 'Formats' }).click()
    const asJson = page.waitForResponse((answer) => answer.url().includes('format=json'))
    await page.locator('.toolbar').getByRole('link', { name: 'json' }).click()
    expect((await asJson).headers()['content-type']).toBe('application/json')
    await page.goBack()
    expect(pathOf(page)).toBe('/v1/books/')
  })

  test('what is wrong is said, then a book is created, and its own page leads on', async () => {
    const page = await visitor(script, 'jane')
    await page.goto('/v2/books/')
    const wrong = { title: 'Sanditon', published: '17', author: '/v2/authors/1/' }
    await turned(page, () => fillForm(page, wrong))
    await status(page, 400)
    expect(await page.locator('#form-post .wrong .errors').allInnerTexts()).toHaveLength(2)
    expect(await page.inputValue('#form-post [name=title]')).toBe('Sanditon')
    await page.selectOption('#form-post [name=kind]', 'novel')
    await turned(page, () => fillForm(page, { published: '1817' }))
    await status(page, 201)
    if (script) expect(await page.evaluate('document.activeElement.tagName')).toBe('H1')
    const { url } = await data(page)
    await turned(page, () => page.click(`pre.json a[href="${url}"]`))
    expect(await data(page)).toMatchObject({ title: 'Sanditon', published: 1817 })
  })

  test('a file is chosen and sent, after another one was refused', async () => {
    const page = await visitor(script, 'jane')
    await page.goto('/scans/')
    const send = async (name: string, mimeType: string, text: string) => {
      const file = { name, mimeType, buffer: Buffer.from(text, 'latin1') }
      await page.setInputFiles('#form-post [name=file]', file)
      await page.fill('#form-post [name=title]', 'Page 1')
      await turned(page, () => page.click('#form-post button[type=submit]'))
    }
    await send('"><img src=x onerror=alert(1)>.html', 'text/html', '<script>alert(1)</script>')
    await status(page, 400)
    expect(await page.locator('.wrong .errors').innerText()).toMatch(/file/i)
    expect(await page.inputValue('#form-post [name=title]')).toBe('Page 1')
    await send('page.pdf', 'application/pdf', '%PDF-1.7\n')
    await status(page, 201)
    expect(await data(page)).toEqual({ title: 'Page 1', pages: 1, size: 9 })
  })
})

describe('without a script', () => {
  test('nothing typed is lost where the session ends: going back has it all', async () => {
    const page = await visitor(false, 'jane')
    await page.goto('/v2/books/')
    await page.selectOption('#form-post [name=kind]', 'gothic')
    const { users, sessions } = stage.accounts
    await sessions.endAllOf((await users.byUsername('jane'))!)
    const kept = { title: 'Kept', published: '1794', author: '/v2/authors/4/' }
    await turned(page, () => fillForm(page, kept))
    await status(page, 403)
    await page.goBack()
    expect(await page.inputValue('#form-post [name=title]')).toBe('Kept')
    expect(await page.inputValue('#form-post [name=kind]')).toBe('gothic')
  })
})

const SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'
const codeOf = (secret: string) => new TOTP({ secret: Secret.fromBase32(secret) }).generate()

/** A service that asks for second factors, with someone who has one. */
async function careful() {
  const accounts = defineAccounts({
    database: await migratedSqlite(),
    secretKey: 'a secret',
    passwordCost: CHEAP,
  })
  const factors = secondFactors({ accounts, issuer: 'Library' })
  const api = defineApi({
    urls: defineUrls({ ...loginUrls, ...reauthenticationUrls, ...factorUrls, home: '/' }),
    accounts,
  })
  const home = api
    .group(pagePolicy({ accounts }))
    .endpoint('home', { permissions: [new IsRecentlyAuthenticated({ within: '1h' })] })
    .get(({ user }) => `<title>Home</title><h1>Hello ${user.username}</h1>`)
  const pages = [
    ...loginPages(api, { accounts, factors }),
    reauthenticationPage(api, { accounts, factors }),
    ...factorEndpoints(api, { accounts, factors }),
  ]
  const app = api.serve([...pages, home], { configuration: configurationOf() })
  const ada = await accounts.users.create({ username: 'ada', password: 'engine no 2' })
  const codes = await accounts.factors.confirm(
    ada,
    await accounts.factors.begin(ada, 'phone', SECRET),
    1,
  )
  return { accounts, app, ada, codes: codes! }
}

test.each([true, false])('a second factor, with a script: %s', async (javaScriptEnabled) => {
  const { accounts, app, ada, codes } = await careful()
  const server = await stage.serve(app)
  const { page, leave } = await visitorOf(stage.browser, server.url, { javaScriptEnabled })
  const press = () => turned(page, () => page.click('form button[type=submit]'))
  await page.goto('/')
  await page.fill('[name=username]', 'ada')
  await page.fill('[name=password]', 'engine no 2')
  await press()
  expect(pathOf(page)).toBe('/login/code/')
  if (javaScriptEnabled) expect(await unreadable(page)).toEqual([])
  await page.fill('[name=code]', '000000')
  await press()
  expect(await page.getByRole('alert').innerText()).toContain('does not fit')
  if (javaScriptEnabled) expect(await unreadable(page)).toEqual([])
  await page.fill('[name=code]', codes[0]!)
  await page.getByRole('checkbox').check()
  await press()
  expect(await page.innerText('h1')).toBe('Hello ada')
  // The device is known now: it stands for a code at a log-in, and for no proof where a session is too old.
  await accounts.database.write({ sql: 'update colophon_session set created = 0', parameters: [] })
  await page.goto('/')
  expect(pathOf(page)).toBe('/login/again/')
  if (javaScriptEnabled) expect(await unreadable(page)).toEqual([])
  expect(await page.inputValue('[name=username]')).toBe('ada')
  await page.fill('[name=password]', 'engine no 2')
  await press()
  expect(pathOf(page)).toBe('/login/code/')
  await page.fill('[name=code]', codeOf(SECRET))
  await press()
  expect(await page.innerText('h1')).toBe('Hello ada')
  expect((await accounts.factors.of(ada)).map(({ kind }) => kind)).toContain('device')
  // Another app is added, on the pages of the api.
  const post = () => turned(page, () => page.click('#form-post button[type=submit]'))
  await page.goto('/account/factors/app/')
  if (javaScriptEnabled) expect(await unreadable(page)).toEqual([])
  await page.fill('#form-post [name=name]', 'tablet')
  await post()
  const { secret } = (await data(page)) as unknown as { secret: string }
  await page.goto('/account/factors/confirm/')
  if (javaScriptEnabled) expect(await unreadable(page)).toEqual([])
  await page.fill('#form-post [name=code]', codeOf(secret))
  await post()
  expect((await accounts.factors.apps(ada)).map(({ name }) => name)).toEqual(['phone', 'tablet'])
  await leave()
})
