// Logging in with providers in Chromium: each is `oidc-provider` in a process of its own.
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startChromium } from '../../scripts/servers/chromium.ts'
import { providerProcess } from '../addons/jwt/login/provider.ts'
import { stage } from '../addons/jwt/login/stage.ts'
import { openSqlite } from '../../src/sqlite.ts'
import { temporaryDirectory } from '../contract/temporary.ts'
import { turned } from './visitor.ts'

type Closing<T extends (...given: never[]) => unknown> = Awaited<ReturnType<T>>
const folder = temporaryDirectory(afterAll)
let browser: Browser
let service: Closing<typeof stage>
let one: Closing<typeof providerProcess>
let two: Closing<typeof providerProcess>
beforeAll(async () => {
  ;[browser, one, two] = await Promise.all([
    startChromium(),
    providerProcess('127.0.0.2'),
    providerProcess('127.0.0.3'),
  ])
  const providers = { one: one.issuer, two: two.issuer }
  const database = openSqlite({ path: join(folder, 'people.sqlite') })
  await database.migrate()
  service = await stage({ providers, create: true, database })
  await Promise.all([one.know(service.url, 'one'), two.know(service.url, 'two')])
})
afterAll(async () => {
  one.close()
  two.close()
  await browser.close()
  await service.close()
})

async function visitor(): Promise<Page> {
  const context = await browser.newContext({ baseURL: service.url })
  return context.newPage()
}

const pathOf = (page: Page): string => new URL(page.url()).pathname
const shown = (page: Page): Promise<string> => page.innerText('body')

/** Where the first provider sends this browser back to; it has not gone there yet. */
async function answerFor(page: Page): Promise<string> {
  const { request } = page.context()
  let answer = new URL('/login/one/', service.url).href
  while (!answer.includes('/callback/')) {
    const { location = '' } = (await request.get(answer, { maxRedirects: 0 })).headers()
    answer = new URL(location, answer).href
  }
  return answer
}

/** A form of the service, as a page of the application has it. */
async function send(page: Page, action: string, next = ''): Promise<void> {
  await turned(page, () =>
    page.evaluate(`(() => {
      const token = /csrftoken=([^;]+)/.exec(document.cookie)[1]
      const form = Object.assign(document.createElement('form'), { method: 'post' })
      form.action = ${JSON.stringify(action)}
      for (const [name, value] of [['csrfmiddlewaretoken', token], ['next', ${JSON.stringify(next)}]])
        form.append(Object.assign(document.createElement('input'), { type: 'hidden', name, value }))
      document.body.append(form)
      form.submit()
    })()`),
  )
}

test('a person logs in, links a second provider, logs out in both ways, and goes back to no session', async () => {
  const page = await visitor()
  const seen: string[] = []
  page.on('request', (request) => void seen.push(request.url()))
  await one.turn('ada')
  await page.goto('/mine/')
  expect(pathOf(page)).toBe('/login/')
  await turned(page, () => page.getByRole('link', { name: 'Log in with ONE' }).click())
  const ada = `${one.issuer}#ada`
  expect([pathOf(page), await shown(page)]).toEqual(['/mine/', `what ${ada} has`])

  // The answer of the provider once more: neither its code nor its state counts twice.
  const callback = seen.find((url) => url.includes('/callback/'))!
  expect((await page.goto(callback))?.status()).toBe(400)
  await page.goBack()
  expect(await shown(page)).toBe(`what ${ada} has`)

  await two.turn('countess')
  await send(page, '/login/two/', '/mine/')
  // A page leads on to the provider by itself.
  await page.waitForURL('/mine/')
  expect([pathOf(page), await shown(page)]).toEqual(['/mine/', `what ${ada} has`])
  const user = (await service.accounts.users.byUsername(ada))!
  const linked = await service.accounts.identities.of(user)
  expect(linked.map(({ issuer }) => issuer)).toEqual([one.issuer, two.issuer])

  // Out from here: the session ends, and that of the provider where the visitor says so.
  await send(page, '/login/one/logout/')
  await page.waitForURL(({ origin }) => origin === one.issuer)
  await turned(page, () => page.click('button[value=yes]'))
  expect(new URL(page.url()).origin + pathOf(page)).toBe(`${service.url}/login/`)
  await page.goBack()
  await page.goto('/mine/')
  expect(pathOf(page)).toBe('/login/')

  // In with the second one, as the same user, and out from there.
  await turned(page, () => page.getByRole('link', { name: 'Log in with TWO' }).click())
  expect(await shown(page)).toBe(`what ${ada} has`)
  await page.goto(`${two.issuer}/session/end`)
  await turned(page, () => page.click('button[value=yes]'))
  await expect
    .poll(async () => {
      await page.goto('/mine/')
      return pathOf(page)
    })
    .toBe('/login/')
  await page.context().close()
})

test('a foreign "next" leads nowhere, an answer of one provider is none of another, and a code of one log-in none of another', async () => {
  const page = await visitor()
  await one.turn('grace')
  await page.goto(`/login/one/?next=${encodeURIComponent('https://evil.example/')}`)
  expect([new URL(page.url()).origin, pathOf(page)]).toEqual([service.url, '/'])
  await page.context().clearCookies()

  // The answer of the first provider is brought to the address of the second.
  const answer = await answerFor(page)
  const mixed = await page.goto(answer.replace('/login/one/', '/login/two/'))
  expect(mixed?.status()).toBe(400)
  await page.goto('/mine/')
  expect(pathOf(page)).toBe('/login/')

  // In another browser it is none at all.
  const other = await visitor()
  expect((await other.goto(answer))?.status()).toBe(400)

  // A code counts for the log-in that it was made for, by its verifier and its nonce, and once.
  const withCode = (own: string) => {
    const url = new URL(own)
    url.searchParams.set('code', new URL(answer).searchParams.get('code')!)
    return url.href
  }
  expect((await other.goto(withCode(await answerFor(other))))?.status()).toBe(400)
  await other.context().close()
  const fresh = await visitor()
  const own = await answerFor(fresh)
  await fresh.goto(own)
  expect(await shown(fresh)).toBe(`home of ${one.issuer}#grace`)
  await fresh.goto('/')
  const used = new URL(await answerFor(fresh))
  used.searchParams.set('code', new URL(own).searchParams.get('code')!)
  expect((await fresh.goto(used.href))?.status()).toBe(400)
  await fresh.context().close()
  await page.context().close()
})
