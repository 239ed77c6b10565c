// The console as a browser has it: a token typed once, calls of each version, and nothing from elsewhere.
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { logIn } from '../../scripts/pictures/kinds.ts'
import { PASSWORD } from '../../scripts/pictures/people.ts'
import { loginPages, loginUrls } from '../../src/browsable.ts'
import {
  AcceptHeaderVersioning,
  type ApiRequest,
  BasicAuthentication,
  HostNameVersioning,
  IsAuthenticated,
  QueryParameterVersioning,
  SessionAuthentication,
  TokenAuthentication,
  URLPathVersioning,
  configurationOf,
  create,
  defineApi,
  defineUrls,
  field,
  serializer,
} from '../../src/index.ts'
import { type RunningServer, serve } from '../../src/node.ts'
import { apiConsole, consoleUrls } from '../../src/openapi.ts'
import type { Accounts } from '../../src/sqlite.ts'
import { HOSTILE } from '../pages/hostile.ts'
import { type Stage, openStage } from './stage.ts'
import { inaccessible, isAsWideAsTheWindow, visitorOf } from './visitor.ts'

let stage: Stage
let server: RunningServer
let key: string
beforeAll(async () => {
  stage = await openStage()
  key = await stage.tokenOf('jane')
  server = await stage.serve(library(stage.accounts))
}, 300_000)
afterAll(() => stage.close())

const book = serializer({ title: field.text({ maxLength: 20 }) })

function library(accounts: Accounts) {
  const api = defineApi({
    urls: defineUrls({
      ...loginUrls,
      ...consoleUrls,
      'by-path': '/:version<v1|v2>/path/',
      'by-accept': '/accept/',
      'by-query': '/query/',
      own: '/own/',
    }),
    accounts,
    authentication: [
      new SessionAuthentication(accounts),
      new TokenAuthentication(accounts),
      new BasicAuthentication(accounts),
    ],
    allowedVersions: ['v1', 'v2'],
    browsable: { title: 'Library API' },
    logger: { error: console.error },
  })
  const shown = ({ version, user }: ApiRequest) => ({
    version,
    user: (user as { username?: string } | null)?.username || null,
  })
  return api.serve(
    [
      ...loginPages(api, { accounts }),
      ...apiConsole(api, { title: 'Library', description: 'What the library **lends**.' }),
      api.endpoint('by-path', { versioning: new URLPathVersioning() }).get(shown),
      api.endpoint('by-accept', { versioning: new AcceptHeaderVersioning() }).get(shown),
      api.endpoint('by-query', { versioning: new QueryParameterVersioning() }).get(shown),
      api
        .endpoint('own', { versioning: null, permissions: [new IsAuthenticated()] })
        .get(shown)
        .post(create({ serializer: book, save: (input) => input })),
    ],
    { configuration: configurationOf() },
  )
}

const operationOf = (page: Page, method: string, path: string): Locator =>
  page.locator(`.opblock-${method}`).filter({ has: page.locator(`[data-path="${path}"]`) })

/** What an operation answers, as the console shows it: status and body. */
async function called(page: Page, method: string, path: string): Promise<readonly unknown[]> {
  const operation = operationOf(page, method, path)
  if ((await operation.locator('.opblock-body').count()) === 0)
    await operation.locator('.opblock-summary-control').click()
  const answered = page.waitForResponse(
    (answer) => answer.request().method() === method.toUpperCase(),
  )
  await operation.getByRole('button', { name: 'Execute' }).click()
  await answered
  const live = operation.locator('.live-responses-table')
  const body = await live.locator('.highlight-code code').first().innerText()
  const status = await live.locator('.response-col_status').last().innerText()
  return [Number.parseInt(status, 10), JSON.parse(body)]
}

async function use(page: Page, secret: string): Promise<void> {
  await page.getByLabel('Token').fill(secret)
  await page.getByRole('button', { name: 'Use' }).click()
}

test('open, type a token once, call, switch the version, call, forget', async () => {
  const { page, leave } = await visitorOf(stage.browser, server.url)
  await page.goto('/console/')
  expect(await called(page, 'get', '/v2/path/')).toEqual([200, { version: 'v2', user: null }])
  expect((await called(page, 'get', '/own/'))[0]).toBe(403)
  await use(page, key)
  expect(await called(page, 'get', '/v2/path/')).toEqual([200, { version: 'v2', user: 'jane' }])
  await page.getByRole('link', { name: 'v1' }).click()
  expect(await called(page, 'get', '/v1/path/')).toEqual([200, { version: 'v1', user: 'jane' }])
  expect(await page.evaluate('location.href')).not.toContain(key)
  expect(await page.evaluate('JSON.stringify(localStorage) + document.cookie')).not.toContain(key)
  await page.getByRole('button', { name: 'Forget' }).click()
  expect(await page.evaluate('sessionStorage.length')).toBe(0)
  expect(await called(page, 'get', '/v1/path/')).toEqual([200, { version: 'v1', user: null }])
  await leave()
})

test('each call has the version where its endpoint wants it', async () => {
  const { page, leave } = await visitorOf(stage.browser, server.url)
  for (const version of ['v1', 'v2']) {
    await page.goto(`/console/?version=${version}`)
    for (const path of [`/${version}/path/`, '/accept/', '/query/'])
      expect([path, ...(await called(page, 'get', path))]).toEqual([
        path,
        200,
        { version, user: null },
      ])
  }
  await leave()
})

test('a version in the host is tried at that host', async () => {
  const versioning = new HostNameVersioning({ hostnameRegex: /^(v\d)\.localhost$/ })
  const api = defineApi({
    urls: { ...consoleUrls, here: '/here/' },
    versioning,
    allowedVersions: ['v1', 'v2'],
  })
  const here = api.endpoint('here').get(({ version }) => ({ version }))
  const configuration = configurationOf({ ALLOWED_HOSTS: ['.localhost'] })
  const hosts = await serve(api.serve([...apiConsole(api), here], { configuration }), { port: 0 })
  const { port } = new URL(hosts.url)
  for (const version of ['v1', 'v2']) {
    const context = await stage.browser.newContext()
    const page = await context.newPage()
    await page.goto(`http://localhost:${port}/console/?version=${version}`)
    expect(await called(page, 'get', '/here/')).toEqual([200, { version }])
    expect(new URL(page.url()).host).toBe(`${version}.localhost:${port}`)
    await context.close()
  }
  await hosts.close()
})

test('a name and a password are typed once, too', async () => {
  const { page, leave } = await visitorOf(stage.browser, server.url)
  await page.goto('/console/')
  await page.getByLabel('Scheme').selectOption('Basic')
  await page.getByLabel('User name').fill('jane')
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Use' }).click()
  await page.reload()
  expect(await called(page, 'get', '/own/')).toEqual([200, { version: null, user: 'jane' }])
  await leave()
})

test('who has logged in calls by the session, until a token counts in its place', async () => {
  const { page, leave } = await visitorOf(stage.browser, server.url)
  await logIn(page, 'jane')
  await page.goto('/console/')
  expect(await page.getByText('Calls are sent with your session.').isVisible()).toBe(true)
  expect((await called(page, 'post', '/own/'))[0]).toBe(201)
  await use(page, 'wrong')
  expect((await called(page, 'get', '/own/'))[0]).toBe(403)
  await leave()
})

test('the padlock of an operation leads to the form', async () => {
  const { page, leave } = await visitorOf(stage.browser, server.url)
  await page.goto('/console/')
  await operationOf(page, 'get', '/own/').locator('.authorization__btn').click()
  expect(await page.evaluate('document.activeElement.id')).toBe('secret')
  await leave()
})

describe.each(['light', 'dark'] as const)('%s', (colorScheme) => {
  test.each([375, 1440])('fits into %i px, and everybody can read it', async (width) => {
    const viewport = { width, height: 900 }
    const { page, leave } = await visitorOf(stage.browser, server.url, { viewport, colorScheme })
    await page.goto('/console/')
    await called(page, 'get', '/v2/path/')
    expect(await isAsWideAsTheWindow(page)).toBe(true)
    await leave()
    // What looks into the shadow for rules adds styles of its own.
    const looks = { viewport, colorScheme, bypassCSP: true }
    const reader = await visitorOf(stage.browser, server.url, looks)
    await reader.page.goto('/console/')
    await reader.page.locator('.opblock').first().waitFor()
    expect(await inaccessible(reader.page)).toEqual([])
    await reader.leave()
  })
})

test('nothing hostile in a document runs', async () => {
  expect(HOSTILE.length).toBeGreaterThanOrEqual(60)
  const groups = Array.from({ length: 6 }, (_, at) =>
    HOSTILE.filter((__, place) => place % 6 === at),
  )
  const hostile = await serve(hostileDocument(groups), { port: 0 })
  const context = await stage.browser.newContext({ baseURL: hostile.url })
  const page = await context.newPage()
  await page.goto('/console/')
  await page.locator('.opblock').first().waitFor()
  await page.evaluate(OPEN)
  await expect
    .poll(() => page.locator('.opblock-body').count(), { timeout: 60_000 })
    .toBe(groups.length)
  expect(await page.evaluate(TOUCH)).toEqual(['undefined', 0])
  await context.close()
  await hostile.close()
}, 120_000)

const OPEN = `for (const each of document.getElementById('console').shadowRoot.querySelectorAll('.opblock-summary-control')) each.click()`

/** Every listener that hostile markup could have set is touched; what is left behind is counted. */
const TOUCH = `(() => {
  const inside = document.getElementById('console').shadowRoot
  for (const each of inside.querySelectorAll('*'))
    for (const type of ['mouseover', 'focus', 'load', 'error']) each.dispatchEvent(new Event(type))
  for (const each of inside.querySelectorAll('a[href^="javascript:" i]')) each.click()
  return [typeof hurt, inside.querySelectorAll('script, iframe, base, meta, object, embed').length]
})()`

function hostileDocument(groups: readonly (readonly string[])[]) {
  const paths = Object.fromEntries(groups.map((_, at) => [`at-${at}`, `/at/${at}/` as const]))
  const api = defineApi({ urls: { ...consoleUrls, ...paths }, logger: { error() {} } })
  const endpoints = groups.map((texts, at) => {
    const fields = texts.map((text, place) => [
      `f${place}`,
      field.text({ helpText: text, label: text }),
    ])
    const hurtful = serializer(Object.fromEntries(fields), { name: `N${at}` })
    const description = texts
      .map((text) => `${text}\n\n\`${text}\` [${text}](${text})`)
      .join('\n\n')
    return api
      .endpoint(`at-${at}` as never, { title: texts[0]!, description })
      .post({ ...create({ serializer: hurtful, save: (input) => input }) })
  })
  const [[title = ''] = []] = groups
  const console = apiConsole(api, { title, description: HOSTILE.join('\n\n') })
  return api.serve([...console, ...endpoints], { configuration: configurationOf() })
}
