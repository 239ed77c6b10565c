// The console as a browser has it: a token typed once, calls of each version, and nothing from elsewhere.
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
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
import type { Accounts } from '../../src/accounts.ts'
import { HOSTILE } from '../addons/pages/hostile.ts'
import { type Stage, openStage } from './stage.ts'
import { type Visitor, isAsWideAsTheWindow, unreadable, visitorOf } from './visitor.ts'

let stage: Stage
let server: RunningServer
let key: string
let visitor: Visitor
let tab: Page
beforeAll(async () => {
  stage = await openStage()
  key = await stage.tokenOf('jane')
  server = await stage.serve(library(stage.accounts))
  visitor = await visitorOf(stage.browser, server.url)
  tab = visitor.page
})
afterAll(() => stage.close())

// One tab, which has typed nothing and logged in nowhere: another one would compile Swagger UI again.
beforeEach(() => async () => {
  await tab.context().clearCookies()
  await tab.evaluate('sessionStorage.clear()')
  expect(visitor.met).toEqual([])
})

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
  const live = operation.locator('.live-responses-table')
  // An answer of before goes first: it stays until the next one is shown, which is later than it is here.
  if ((await live.count()) > 0) await operation.getByRole('button', { name: 'Clear' }).click()
  await live.waitFor({ state: 'detached' })
  await operation.getByRole('button', { name: 'Execute' }).click()
  const body = await live.locator('.highlight-code code').first().innerText()
  const status = await live.locator('.response-col_status').last().innerText()
  return [Number.parseInt(status, 10), JSON.parse(body)]
}

async function use(page: Page, secret: string): Promise<void> {
  await page.getByLabel('Token').fill(secret)
  await page.getByRole('button', { name: 'Use' }).click()
}

/** Every page compiles Swagger UI anew, which costs more than all that a test does there. */
test('open, type a token once, call, switch the version, call each where its endpoint wants it, forget', async () => {
  await tab.goto('/console/')
  expect(await called(tab, 'get', '/v2/path/')).toEqual([200, { version: 'v2', user: null }])
  expect((await called(tab, 'get', '/own/'))[0]).toBe(403)
  await use(tab, key)
  for (const version of ['v2', 'v1']) {
    if (version === 'v1') await tab.getByRole('link', { name: version }).click()
    for (const path of [`/${version}/path/`, '/accept/', '/query/'])
      expect([path, ...(await called(tab, 'get', path))]).toEqual([
        path,
        200,
        { version, user: 'jane' },
      ])
  }
  expect(await tab.evaluate('location.href')).not.toContain(key)
  expect(await tab.evaluate('JSON.stringify(localStorage) + document.cookie')).not.toContain(key)
  await tab.getByRole('button', { name: 'Forget' }).click()
  expect(await tab.evaluate('sessionStorage.length')).toBe(0)
  expect(await called(tab, 'get', '/v1/path/')).toEqual([200, { version: 'v1', user: null }])
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
  const other = await stage.browser.newPage()
  for (const version of ['v1', 'v2']) {
    await other.goto(`http://localhost:${port}/console/?version=${version}`)
    expect(await called(other, 'get', '/here/')).toEqual([200, { version }])
    expect(new URL(other.url()).host).toBe(`${version}.localhost:${port}`)
  }
  await other.close()
  await hosts.close()
})

test('the padlock of an operation leads to the form; a name and a password are typed once, too', async () => {
  await tab.goto('/console/')
  await operationOf(tab, 'get', '/own/').locator('.authorization__btn').click()
  await expect.poll(() => tab.evaluate('document.activeElement.id')).toBe('secret')
  await tab.getByLabel('Scheme').selectOption('Basic')
  await tab.getByLabel('User name').fill('jane')
  await tab.getByLabel('Password').fill(PASSWORD)
  await tab.getByRole('button', { name: 'Use' }).click()
  await tab.reload()
  expect(await called(tab, 'get', '/own/')).toEqual([200, { version: null, user: 'jane' }])
})

test('who has logged in calls by the session, until a token counts in its place', async () => {
  await logIn(tab, 'jane')
  await tab.goto('/console/')
  await tab.getByText('Calls are sent with your session.').waitFor()
  expect((await called(tab, 'post', '/own/'))[0]).toBe(201)
  await use(tab, 'wrong')
  expect((await called(tab, 'get', '/own/'))[0]).toBe(403)
})

test('fits into any window, and everybody can read it, light and dark', async () => {
  // What looks into the shadow for rules adds styles of its own.
  const reader = await visitorOf(stage.browser, server.url, { bypassCSP: true })
  await reader.page.goto('/console/')
  await reader.page.locator('.opblock').first().waitFor()
  expect(await unreadable(reader.page)).toEqual([])
  await reader.leave()
  // Under the policy that people have.
  const viewer = await visitorOf(stage.browser, server.url)
  await viewer.page.goto('/console/')
  await called(viewer.page, 'get', '/v2/path/')
  for (const width of [375, 1440]) {
    await viewer.page.setViewportSize({ width, height: 900 })
    expect([width, await isAsWideAsTheWindow(viewer.page)]).toEqual([width, true])
  }
  await viewer.leave()
})

test('nothing hostile in a document runs', async () => {
  expect(HOSTILE.length).toBeGreaterThanOrEqual(60)
  const groups = Array.from({ length: 6 }, (_, at) =>
    HOSTILE.filter((__, place) => place % 6 === at),
  )
  const hostile = await serve(hostileDocument(groups), { port: 0 })
  const other = await stage.browser.newPage({ baseURL: hostile.url })
  await other.goto('/console/')
  await other.locator('.opblock').first().waitFor()
  await other.evaluate(OPEN)
  await expect.poll(() => other.locator('.opblock-body').count()).toBe(groups.length)
  expect(await other.evaluate(TOUCH)).toEqual(['undefined', 0])
  await other.close()
  await hostile.close()
})

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
