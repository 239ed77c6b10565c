// Passkeys in Chromium, whose virtual authenticator makes and keeps them as a phone does.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { CDPSession, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  loginPages,
  loginUrls,
  pagePolicy,
  passkeysPage,
  passkeysPageUrls,
  reauthenticationPage,
  reauthenticationUrls,
} from '../../src/browsable.ts'
import { factorEndpoints, factorUrls, secondFactors } from '../../src/factors.ts'
import { IsRecentlyAuthenticated, configurationOf, defineApi, defineUrls } from '../../src/index.ts'
import { toListener } from '../../src/node.ts'
import { passkeyEndpoints, passkeyUrls, passkeys } from '../../src/passkeys.ts'
import { servePages } from './pages.ts'
import { type Stage, openStage } from './stage.ts'
import { type Visitor, turned, unreadable, visitorOf } from './visitor.ts'

const server = createServer()
const refused: string[] = []
let stage: Stage
let origin: string
beforeAll(async () => {
  stage = await openStage()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  origin = `http://library.localhost:${(server.address() as AddressInfo).port}`
  server.on('request', toListener(libraryAt(origin)))
  stage.accounts.events.on('login.failed', ({ reason }) => void refused.push(reason))
})
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await stage.close()
})

function libraryAt(own: string) {
  const { accounts } = stage
  const factors = secondFactors({ accounts, issuer: 'Library' })
  const keys = passkeys({ accounts, factors, name: 'Library', origins: [own] })
  const urls = { ...loginUrls, ...reauthenticationUrls, ...factorUrls }
  const api = defineApi({
    urls: defineUrls({ ...urls, ...passkeyUrls, ...passkeysPageUrls, home: '/' }),
    accounts,
    logger: { error: () => {} },
  })
  const permissions = [new IsRecentlyAuthenticated({ within: '1h' })]
  const home = api
    .group(pagePolicy({ accounts }))
    .endpoint('home', { permissions })
    .get(({ user }) => `<title>Home</title><h1>Hello ${user.username}</h1>`)
  const options = { accounts, factors, passkeys: keys }
  return api.serve(
    [
      ...loginPages(api, options),
      reauthenticationPage(api, options),
      passkeysPage(api, options),
      ...factorEndpoints(api, options),
      ...passkeyEndpoints(api, options),
      home,
    ],
    { configuration: configurationOf({ ALLOWED_HOSTS: '*' }) },
  )
}

/** Someone with a phone of their own, whose finger it knows. */
async function someone(username: string): Promise<Visitor & { readonly device: Device }> {
  await stage.accounts.users.create({ username, password: 'engine no 2' })
  const visitor = await visitorOf(stage.browser, origin)
  // The device answers at once also where a browser only suggests it.
  await visitor.page.addInitScript(
    'if (!location.hash) window.PublicKeyCredential && (PublicKeyCredential.isConditionalMediationAvailable = async () => false)',
  )
  return { ...visitor, device: await deviceOf(visitor.page) }
}

interface Device {
  readonly cdp: CDPSession
  readonly authenticatorId: string
}

async function deviceOf(page: Page): Promise<Device> {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return { cdp, authenticatorId }
}

const pathOf = (page: Page): string => new URL(page.url()).pathname
const use = (page: Page) => page.getByRole('button', { name: 'Use a passkey' }).click()
const usePasskey = (page: Page) => turned(page, () => use(page))
const heading = (page: Page) => page.innerText('h1')

async function withPassword(page: Page, username: string, next: string) {
  await page.goto(`/login/?next=${next}`)
  await page.fill('[name=username]', username)
  await page.fill('[name=password]', 'engine no 2')
  await turned(page, () => page.click('main form button[type=submit]'))
}

async function register(page: Page, username: string, name = 'phone') {
  await withPassword(page, username, '/account/passkeys/')
  await page.fill('[name=name]', name)
  await turned(page, () => page.getByRole('button', { name: 'Add a passkey' }).click())
}

/** What the login page answers to such a form; a log-in has no text. */
async function answered(page: Page, body: string): Promise<string> {
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
  const sent = JSON.stringify({ method: 'POST', headers, body, redirect: 'manual' })
  return (await page.evaluate(
    `fetch('/login/', ${sent}).then((answer) => answer.text())`,
  )) as string
}

test('a passkey is registered, logs in, confirms, is a second factor, and is removed', async () => {
  const { page, leave } = await someone('ada')
  const { accounts } = stage
  const ada = (await accounts.users.byUsername('ada'))!
  const seen: string[] = []
  const look = async () => void seen.push(...(await unreadable(page)))

  await page.goto('/login/')
  await look()
  // One button is the main one: that of the form above.
  const [ground, main, other] = (await page.evaluate(
    "[...document.querySelectorAll('.card, main button')].map((one) => getComputedStyle(one).backgroundColor)",
  )) as string[]
  expect([main === ground, other]).toEqual([false, ground])
  await register(page, 'ada')
  expect(await page.locator('main li code').count()).toBe(10)
  await look()
  const kinds = async () => (await accounts.factors.of(ada)).map(({ kind }) => kind)
  expect(new Set(await kinds())).toEqual(new Set(['passkey', 'recovery_code']))

  // A log-in of its own, to where the visitor wanted to go.
  await page.context().clearCookies()
  await page.goto('/login/?next=/')
  await usePasskey(page)
  expect([pathOf(page), await heading(page)]).toEqual(['/', 'Hello ada'])

  // The browser suggests it where names are typed.
  await page.context().clearCookies()
  await page.goto('/login/?next=/#suggest')
  await page.waitForURL('/')

  // A session that is too old for the page.
  await accounts.database.write({ sql: 'update colophon_session set created = 0', parameters: [] })
  await page.goto('/')
  expect(pathOf(page)).toBe('/login/again/')
  await look()
  await usePasskey(page)
  expect(await heading(page)).toBe('Hello ada')

  // The password alone is not enough any more.
  await page.context().clearCookies()
  await withPassword(page, 'ada', '/account/passkeys/')
  expect(pathOf(page)).toBe('/login/code/')
  await look()
  await usePasskey(page)
  expect(pathOf(page)).toBe('/account/passkeys/')
  expect(await page.locator('main form strong').innerText()).toBe('phone')
  await look()

  await turned(page, () => page.getByRole('button', { name: 'Remove: phone' }).click())
  expect(await page.innerText('main')).toContain('You have no passkeys yet.')
  expect(await kinds()).toEqual([])
  await page.context().clearCookies()
  await page.goto('/login/')
  await usePasskey(page)
  expect(await page.getByRole('alert').innerText()).toContain('does not fit')
  await look()
  expect(seen).toEqual([])
  await leave()
})

test('a copy of a device is refused, and so is an answer that was given before', async () => {
  const { page, leave, device } = await someone('grace')
  const { cdp, authenticatorId } = device
  await register(page, 'grace')
  const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId })
  const [copy] = credentials
  await page.context().clearCookies()
  await page.goto('/login/')
  const sent = page.waitForRequest((request) => request.postData()?.includes('signature') ?? false)
  await usePasskey(page)
  expect(await heading(page)).toBe('Hello grace')

  // The same answer with the cookies that it was given with: the challenge is spent.
  const request = await sent
  const asked = await request.headerValue('cookie')
  await page.context().clearCookies()
  const cookies = asked!.split('; ').map((each) => /^([^=]+)=(.*)$/.exec(each)!)
  await page.goto('/login/')
  await page
    .context()
    .addCookies(cookies.map(([, name, value]) => ({ name: name!, value: value!, url: origin })))
  refused.length = 0
  expect(await answered(page, request.postData()!)).toContain('The passkey does not fit')
  expect(refused).toEqual(['factor'])

  // The copy has counted less far than the device by now.
  refused.length = 0
  await page.context().clearCookies()
  await cdp.send('WebAuthn.clearCredentials', { authenticatorId })
  await cdp.send('WebAuthn.addCredential', { authenticatorId, credential: copy! })
  await page.goto('/login/')
  await usePasskey(page)
  expect(await page.getByRole('alert').innerText()).toContain('does not fit')
  expect(refused).toEqual(['counter'])
  await leave()
})

test('an answer of a page of another origin is refused, and a page without a script says what it lacks', async () => {
  const { page, leave, device } = await someone('mary')
  await register(page, 'mary')
  const site = await servePages()
  await page.context().clearCookies()
  await page.goto('/login/')
  const { options, token } = (await page.evaluate(`(async () => {
    const { passkey, header } = document.querySelector('[data-passkey]').dataset
    const token = document.querySelector('[data-token]').value
    const headers = { 'Content-Type': 'application/json', [header]: token }
    const answer = await fetch(passkey, { method: 'POST', headers, body: '{}' })
    return { ...(await answer.json()), token }
  })()`)) as { options: object; token: string }
  const asking = `(async () => {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(${JSON.stringify(options)})
    return JSON.stringify(await navigator.credentials.get({ publicKey }))
  })()`
  // Browsers let a page below the domain ask for its passkeys: the service has to look at the origin.
  const other = await stage.browser.newContext()
  const elsewhere = await other.newPage()
  const { credentials } = await device.cdp.send('WebAuthn.getCredentials', {
    authenticatorId: device.authenticatorId,
  })
  const { cdp, authenticatorId } = await deviceOf(elsewhere)
  await cdp.send('WebAuthn.addCredential', { authenticatorId, credential: credentials[0]! })
  await elsewhere.goto(site.originAt('evil.library.localhost'))
  const stolen = (await elsewhere.evaluate(asking)) as string
  refused.length = 0
  const body = String(new URLSearchParams({ passkey: stolen, csrfmiddlewaretoken: token }))
  expect(await answered(page, body)).toContain('The passkey does not fit')
  expect(refused).toEqual(['factor'])
  await other.close()
  await site.close()
  await leave()

  const plain = await visitorOf(stage.browser, origin, { javaScriptEnabled: false })
  await plain.page.goto('/login/')
  expect(await plain.page.innerText('main')).toContain('Passkeys need JavaScript')
  expect(await plain.page.getByRole('button', { name: 'Use a passkey' }).isVisible()).toBe(false)
  await plain.leave()
})
