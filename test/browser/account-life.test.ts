// The life of an account in a real browser, from the registration to the deletion, with script and without.
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type AccountMail,
  accountLife,
  accountLifeUrls,
  registration,
  registrationUrls,
} from '../../src/account.ts'
import { loginPages, loginUrls } from '../../src/browsable.ts'
import { configurationOf, defineApi, defineUrls } from '../../src/index.ts'
import type { RunningServer } from '../../src/node.ts'
import { type Stage, openStage } from './stage.ts'
import { turned, unreadable, visitorOf } from './visitor.ts'

const mails: AccountMail[] = []
let stage: Stage
let server: RunningServer
beforeAll(async () => {
  stage = await openStage()
  const { accounts } = stage
  const mail = (sent: AccountMail): void => void mails.push(sent)
  const api = defineApi({
    urls: defineUrls({
      ...loginUrls,
      ...accountLifeUrls,
      ...registrationUrls,
      home: '/',
    }),
    accounts,
    logger: { error: () => {} },
  })
  const app = api.serve(
    [
      ...loginPages(api, { accounts }),
      ...accountLife(api, { accounts, mail }),
      ...registration(api, { accounts, mail }),
      api.endpoint('home').get(() => 'home'),
    ],
    { configuration: configurationOf() },
  )
  server = await stage.serve(app)
})
afterAll(() => stage.close())

test.each([true, false])('from the first day to the last, with a script: %s', async (script) => {
  mails.length = 0
  const username = script ? 'scripted' : 'plain'
  const { accounts } = stage
  const { page, leave } = await visitorOf(stage.browser, server.url, { javaScriptEnabled: script })
  const send = async (fields: Readonly<Record<string, string>>) => {
    for (const [name, value] of Object.entries(fields))
      await page.fill(`#form-post [name=${name}]`, value)
    await turned(page, () => page.click('#form-post button[type=submit]'))
  }
  const said = () => page.locator('.done').first().innerText()
  const follow = async (kind: AccountMail['kind']) => {
    await expect.poll(() => mails.at(-1)?.kind).toBe(kind)
    await page.goto(mails.at(-1)!.link)
    // The address bar has lost the token.
    expect(new URL(page.url()).search).toBe('')
    expect(await page.content()).not.toContain(
      new URL(mails.at(-1)!.link).searchParams.get('token'),
    )
  }
  const seen: string[] = []
  // The pages are the same, and axe needs a script.
  const look = async () => void seen.push(...(script ? await unreadable(page) : []))

  await page.goto('/register/')
  await look()
  await send({ username, email: `${username}@example.com` })
  expect(await said()).toContain('on its way')
  await follow('register')
  await send({ password: 'through the glass' })
  expect(await said()).toBe(`Welcome, ${username}. You are logged in.`)

  await page.goto('/password/forgotten/')
  await send({ email: `${username.toUpperCase()}@example.com` })
  await follow('password-reset')
  await look()
  await send({ password: 'of another kind' })
  expect(await said()).toContain('Your password is changed')
  await page.goto('/login/?next=/email/')
  await page.fill('[name=username]', username)
  await page.fill('[name=password]', 'of another kind')
  await page.click('main button[type=submit]')
  await page.waitForURL('/email/')
  expect(await page.locator('main').innerText()).toContain(
    `Your address is ${username}@example.com, and confirmed.`,
  )
  await look()
  await send({ email: `${username}@example.org`, current: 'of another kind' })
  await follow('email-confirm')
  await look()
  await page.click('.act summary')
  await turned(page, () => page.click('.act button'))
  expect(await said()).toBe(`The address ${username}@example.org is confirmed.`)

  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.goto('/account/export/').catch(() => null),
  ])
  const exported = JSON.parse(readFileSync(await file.path(), 'utf8')) as { user: object }
  expect(exported.user).toMatchObject({ username, email: `${username}@example.org` })
  await page.goto('/account/delete/')
  await look()
  await send({ current: 'of another kind' })
  expect(await said()).toBe('Your account is deleted.')
  expect(await accounts.users.byUsername(username)).toBeNull()
  expect(seen).toEqual([])
  await leave()
})
