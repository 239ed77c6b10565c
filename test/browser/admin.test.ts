// The administration and an account's own pages in a real browser, from the first log-in to the audit trail.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startChromium } from '../../scripts/servers/chromium.ts'
import { accountEndpoints, accountUrls, adminEndpoints, adminUrls } from '../../src/admin.ts'
import { loginPages, loginUrls } from '../../src/browsable.ts'
import { SessionAuthentication, defineApi, defineUrls } from '../../src/index.ts'
import { type RunningServer, serve } from '../../src/node.ts'
import { type Accounts, defineAccounts } from '../../src/accounts.ts'
import { openSqlite } from '../../src/sqlite.ts'
import { CHEAP } from '../accounts/fixtures.ts'
import { notebook } from '../behaviour/fixtures.ts'
import { turned, unreadable, visitorOf } from './visitor.ts'

/** `SCREENSHOTS=docs/pictures` keeps what was seen. */
const pictures = process.env['SCREENSHOTS'] ?? null

let browser: Browser
beforeAll(async () => {
  browser = await startChromium()
  if (pictures !== null) mkdirSync(pictures, { recursive: true })
})
afterAll(() => browser.close())

let accounts: Accounts
let server: RunningServer
let folder: string
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'colophon-admin-'))
  const database = openSqlite({ path: join(folder, 'accounts.sqlite') })
  await database.migrate()
  const logger = notebook()
  accounts = defineAccounts({
    database,
    secretKey: 'a secret',
    passwordCost: CHEAP,
    manyTokens: true,
    logger,
  })
  await fill()
  const urls = defineUrls({ ...loginUrls, ...adminUrls, ...accountUrls })
  const api = defineApi({
    urls,
    accounts,
    logger,
    browsable: { title: 'Library' },
    authentication: [new SessionAuthentication(accounts)],
  })
  const app = api.serve([
    ...loginPages(api, { accounts }),
    ...adminEndpoints(api, { accounts }),
    ...accountEndpoints(api, { accounts }),
  ])
  server = await serve(app, { port: 0 })
  return async () => {
    await server.close()
    database.close()
    rmSync(folder, { recursive: true })
  }
})

const NAMES = ['alice', 'bob', 'carol', 'dave', 'erin', 'frank', 'grace', 'heidi']

async function fill(): Promise<void> {
  const { users, tokens } = accounts
  const password = 'northanger'
  await users.create({ username: 'root', password, isStaff: true, isSuperuser: true })
  await users.create({ username: 'jane', email: 'jane@example.com', password, isStaff: true })
  for (const username of NAMES) {
    const user = await users.create({ username, email: `${username}@example.com`, password })
    await tokens.issue(user, { name: 'laptop', scopes: ['read', 'write'] })
    await tokens.issue(user, { name: 'ci', expires: new Date('2031-01-01') })
  }
}

async function visitor({ script = true, as = 'jane' } = {}) {
  const { page, leave } = await visitorOf(browser, server.url, { javaScriptEnabled: script })
  await page.goto('/login/?next=/account/')
  await page.fill('[name=username]', as)
  await page.fill('[name=password]', 'northanger')
  await page.click('main button[type=submit]')
  await page.waitForURL('/account/')
  return { page, leave }
}

/** Opens what an action asks, and answers yes. */
async function act(page: Page, name: string, row = 'main'): Promise<void> {
  const action = page.locator(row).locator('.act').filter({ hasText: name }).first()
  await action.locator('summary').click()
  await turned(page, () => action.locator('button').click())
}

/** To what belongs to a record. */
const toRecords = (page: Page, name: string) =>
  turned(page, () => page.click(`.records a:text-is("${name}")`))

const row = (name: string): string => `tr:has-text("${name}")`
const trail = (): readonly string[] => {
  const { database } = accounts
  const sql = 'select actor, action, username from colophon_audit order by id'
  const rows = (database as ReturnType<typeof openSqlite>).read<Record<string, string>>({
    sql,
    parameters: [],
  })
  return rows.map(({ actor, action, username }) => `${actor} ${action} ${username}`)
}

describe.each([true, false])('with a script: %s', (script) => {
  test('staff find a user, make a token, change its key, revoke it, and read who did what', async () => {
    const { page, leave } = await visitor({ script })
    await page.goto('/admin/users/')
    await page.fill('[type=search]', 'alice')
    await turned(page, () => page.click('.search button'))
    await turned(page, () => page.click('a:text-is("alice")'))
    await toRecords(page, 'Tokens')
    expect(await page.inputValue('#form-post [name=user]')).toBe('3')
    await page.fill('#form-post [name=name]', 'backup')
    await turned(page, () => page.click('#form-post button[type=submit]'))
    const first = await page.locator('#secret').innerText()
    expect((await accounts.tokens.verify(first))?.user.username).toBe('alice')
    expect(await page.locator('.secret').innerText()).toContain('shown once')
    await toRecords(page, 'Tokens')
    expect(await page.content()).not.toContain(first)
    const rotation = page.locator(row('backup')).locator('.act').filter({ hasText: 'New key' })
    await rotation.locator('summary').click()
    await rotation.locator('select').selectOption('3600')
    await turned(page, () => rotation.locator('button').click())
    const second = await page.locator('#secret').innerText()
    for (const key of [first, second]) expect(await accounts.tokens.verify(key)).not.toBeNull()
    await act(page, 'Revoke')
    expect(await page.locator('.done').innerText()).toBe('1 token is revoked.')
    expect(await accounts.tokens.verify(second)).toBeNull()
    await toRecords(page, 'Tokens')
    await page.locator(row('bob ')).first().locator('[type=checkbox]').check()
    await page.locator(row('carol')).first().locator('[type=checkbox]').check()
    await act(page, 'Revoke the chosen ones')
    expect(await page.locator('.done').innerText()).toBe('2 tokens are revoked.')
    await page.goto('/admin/audit/')
    expect(await page.locator('tbody tr').first().innerText()).toMatch(
      /\d\d:\d\d:\d\d\s+jane\s+token.revoked/,
    )
    expect(trail()).toEqual([
      'jane token.created alice',
      'jane token.changed alice',
      'jane token.created alice',
      'jane token.revoked alice',
      'jane token.revoked bob',
      'jane token.revoked carol',
    ])
    await leave()
  })

  test('staff end sessions, deactivate, and set a password', async () => {
    const { page, leave } = await visitor({ script })
    const alice = (await accounts.users.byUsername('alice'))!
    const cookies = [await accounts.sessions.start(alice), await accounts.sessions.start(alice)]
    await page.goto(`/admin/users/${alice.id}/`)
    await toRecords(page, 'Sessions')
    await act(page, 'End', 'tbody')
    expect(await page.locator('.done').innerText()).toBe('1 session has ended.')
    await toRecords(page, 'Sessions')
    await act(page, 'End all')
    for (const cookie of cookies) expect(await accounts.sessions.read(cookie)).toBeNull()
    await page.goto(`/admin/users/${alice.id}/`)
    await toRecords(page, 'Set a password')
    await page.fill('#form-post [name=password]', 'a new secret')
    await turned(page, () => page.click('#form-post button[type=submit]'))
    await page.waitForSelector('.done:has-text("The password is set")')
    expect(await page.content()).not.toContain('a new secret')
    expect(await accounts.users.authenticate('alice', 'a new secret')).not.toBeNull()
    await act(page, 'Deactivate')
    await page.waitForSelector('.loud:has-text("inactive")')
    expect((await accounts.users.byUsername('alice'))?.isActive).toBe(false)
    await page.goto('/admin/users/1/')
    await act(page, 'Deactivate')
    await page.waitForSelector('.status:has-text("403")')
    await leave()
  })

  test('a user makes a token, ends another session, and changes the password', async () => {
    const { page, leave } = await visitor({ script, as: 'alice' })
    const other = await visitor({ script, as: 'alice' })
    await toRecords(page, 'My tokens')
    await page.fill('#form-post [name=name]', 'phone')
    await turned(page, () => page.click('#form-post button[type=submit]'))
    const key = await page.locator('#secret').innerText()
    expect((await accounts.tokens.verify(key))?.name).toBe('phone')
    await toRecords(page, 'My tokens')
    expect(await page.content()).not.toContain(key)
    await act(page, 'Revoke', row('phone'))
    expect(await accounts.tokens.verify(key)).toBeNull()
    await page.goto('/account/sessions/')
    expect(await page.locator('.acts .act').count()).toBe(1)
    await act(page, 'End all others')
    expect((await other.page.reload())?.status()).toBe(403)
    await page.goto('/account/password/')
    await page.fill('[name=current]', 'wrong')
    await page.fill('[name=password]', 'brilliant')
    await turned(page, () => page.click('#form-post button[type=submit]'))
    await page.waitForSelector('.wrong:has-text("not your current password")')
    expect(await page.inputValue('[name=password]')).toBe('')
    await page.fill('[name=current]', 'northanger')
    await page.fill('[name=password]', 'brilliant')
    await turned(page, () => page.click('#form-post button[type=submit]'))
    await page.waitForSelector('.done:has-text("Your password is changed")')
    expect((await page.goto('/account/'))?.status()).toBe(200)
    await other.leave()
    await leave()
  })
})

const KINDS = {
  users: '/admin/users/',
  user: '/admin/users/3/',
  factors: '/admin/users/3/factors/',
  tokens: '/admin/tokens/',
  'set-password': '/admin/users/3/password/',
  audit: '/admin/audit/',
  account: '/account/',
  'own-tokens': '/account/tokens/',
  'own-sessions': '/account/sessions/',
  'own-password': '/account/password/',
}

/** Those that the documentation has. */
const KEPT: ReadonlySet<string> = new Set(['user', 'tokens', 'key', 'audit', 'own-sessions'])

/** A browser makes pictures smaller than those it takes. */
async function keep(png: Buffer, name: string): Promise<void> {
  const page = await browser.newPage()
  const url = await page.evaluate<string>(`(async () => {
    const picture = await createImageBitmap(
      await (await fetch('data:image/png;base64,${png.toString('base64')}')).blob(),
    )
    const canvas = document.createElement('canvas')
    Object.assign(canvas, { width: picture.width, height: picture.height })
    canvas.getContext('2d').drawImage(picture, 0, 0)
    return canvas.toDataURL('image/webp', 0.7)
  })()`)
  await page.close()
  writeFileSync(join(pictures!, name), Buffer.from(url.slice(url.indexOf(',') + 1), 'base64'))
}

test('every page can be read by everyone, at 375 and 1440 px, light and dark', async () => {
  const { page, leave } = await visitor()
  const jane = (await accounts.users.byUsername('jane'))!
  await accounts.tokens.issue(jane, { name: 'reports', scopes: ['read'] })
  const alice = (await accounts.users.byUsername('alice'))!
  const mine = accounts.by({ user: jane })
  await mine.tokens.rotate(alice, 'ci', { overlap: 3_600_000 })
  await mine.users.update(alice, { isActive: false })
  await mine.users.update(alice, { isActive: true })
  const see = async (name: string): Promise<void> => {
    const take = async (look: string) => keep(await page.screenshot(), `admin-${name}-${look}.webp`)
    const isTaken = pictures !== null && KEPT.has(name)
    const found = await unreadable(page, isTaken ? take : undefined)
    expect([name, ...found]).toEqual([name])
  }
  for (const [name, path] of Object.entries(KINDS)) {
    await page.goto(path)
    await see(name)
  }
  await page.goto('/admin/tokens/')
  await page.locator('tbody .act summary').first().click()
  await see('rotate')
  await page.goto('/admin/tokens/?user=3')
  await page.fill('#form-post [name=name]', 'backup')
  await turned(page, () => page.click('#form-post button[type=submit]'))
  await page.waitForSelector('#secret')
  await see('key')
  await leave()
})
