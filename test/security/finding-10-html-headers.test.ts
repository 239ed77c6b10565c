import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { loginPages, loginUrls, pagePolicy } from '../../src/browsable.ts'
import {
  type App,
  HTMLRenderer,
  NotFound,
  StaticHTMLRenderer,
  configurationOf,
  defineApi,
  defineUrls,
  reply,
} from '../../src/index.ts'
import type { Renderer } from '../../src/types.ts'
import { defineAccounts } from '../../src/accounts.ts'
import { DATABASES } from '../behaviour/databases.ts'
import { type Answer, type Door, doors, toSent } from '../behaviour/doors.ts'
import { Browser, tokenIn } from '../behaviour/browser.ts'
import { CHEAP } from '../accounts/fixtures.ts'

const [, open] = DATABASES[0]!
const configuration = configurationOf({
  SECRET_KEY: 'a secret',
  LOGIN_REDIRECT_URL: 'https://app.example.com:8443/start',
})
const options = { configuration, passwordCost: CHEAP, logger: { error: () => {} } }
const accounts = defineAccounts({ database: await open(), ...options })
await accounts.users.create({ username: 'alice', password: 'wonderland' })

const OWN_CSP = "default-src 'self'; script-src 'nonce-abc'; frame-ancestors https://a.example"
class Pages extends StaticHTMLRenderer {
  override readonly contentSecurityPolicy = OWN_CSP
}
const plain: Renderer = { mediaType: 'text/html', format: 'own', render: () => '<p>Hi</p>' }

function service(): App {
  const api = defineApi({
    urls: defineUrls({
      ...loginUrls,
      data: '/data/',
      home: '/home/',
      open: '/open/',
      lost: '/lost/',
      broken: '/broken/',
      own: '/own/',
      variant: '/variant/',
      plain: '/plain/',
      typed: '/typed/',
    }),
    authentication: [],
    logger: { error: () => {} },
  })
  const pages = api.group(pagePolicy({ accounts }))
  const all = { permissions: [] }
  return api.serve(
    [
      ...loginPages(api, { accounts }),
      api.endpoint('data').get(() => ({ a: 1 })),
      api
        .endpoint('typed')
        .get(() => reply({ a: 1 }, { contentType: 'application/xhtml+xml; charset=utf-8' })),
      api.endpoint('plain', { renderers: [plain] }).get(() => 1),
      pages.endpoint('home').get(() => 'home'),
      pages.endpoint('open', all).get(() => '<p>For everybody</p>'),
      pages.endpoint('lost', all).get(() => {
        throw new NotFound()
      }),
      pages.endpoint('broken', all).get(() => {
        throw new Error('oh')
      }),
      pages.endpoint('variant', { ...all, renderers: [new Pages()] }).get(() => '<p>Hi</p>'),
      pages.endpoint('own', all).get(() =>
        reply('<p>Hi</p>', {
          headers: {
            'content-security-policy': OWN_CSP,
            'X-FRAME-OPTIONS': 'SAMEORIGIN',
            'Referrer-Policy': 'no-referrer',
            'cross-origin-opener-policy': 'unsafe-none',
            'X-Content-Type-Options': 'sniff',
          },
        }),
      ),
    ],
    { configuration },
  )
}

const HTML = { headers: { accept: 'text/html' } }
const PAGES: readonly (readonly [
  title: string,
  status: number,
  question: string,
  headers: Record<string, string>,
])[] = [
  ['data as a page', 200, 'GET /data/', HTML.headers],
  ['its HEAD', 200, 'HEAD /data/', HTML.headers],
  ['its metadata', 200, 'OPTIONS /data/', HTML.headers],
  ['a method that there is not', 405, 'PUT /data/', HTML.headers],
  ['an address that there is not', 404, 'GET /nowhere/', HTML.headers],
  ['a host that is not ours', 400, 'GET /data/', { ...HTML.headers, host: 'evil.com' }],
  ['an answer that is typed as a page', 200, 'GET /typed/', {}],
  ['a renderer of one’s own', 200, 'GET /plain/', {}],
  ['a page of the application', 200, 'GET /open/', {}],
  ['an error among its pages', 404, 'GET /lost/', {}],
  ['a crash among its pages', 500, 'GET /broken/', {}],
  ['the login page', 200, 'GET /login/', {}],
  ['a login without a token', 403, 'POST /login/', {}],
]
const STANDARD = {
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
}

/** The directives of the policy, by name. */
const policyOf = ({ headers }: Answer): Record<string, string> =>
  Object.fromEntries(
    headers['content-security-policy']!.split('; ').map((directive) => [
      directive.split(' ')[0]!,
      directive.split(' ').slice(1).join(' '),
    ]),
  )
const hashOf = (text: string): string =>
  `'sha256-${createHash('sha256').update(text).digest('base64')}'`
const ask = (door: Door, question: string, headers: Record<string, string> = {}) =>
  door.send(toSent(question, { headers }))

describe.each(doors(service()))('through the $name', (door) => {
  test.each(PAGES)('%s (%i) is a page with every protection', async (_, status, question, sent) => {
    const answer = await ask(door, question, sent)
    expect([answer.status, answer.headers]).toEqual([status, expect.objectContaining(STANDARD)])
    const policy = policyOf(answer)
    expect(policy).toMatchObject({ 'frame-ancestors': "'none'", 'base-uri': "'none'" })
    expect(policy['form-action']).toMatch(/^'self'/)
    expect(policy['default-src']).toMatch(/^'(?:none|self)'$/)
    expect(answer.headers['content-security-policy']).not.toContain('unsafe')
  })

  test('the style and the script of our own pages apply, and nothing else that stands in a page', async () => {
    for (const [, , question, sent] of PAGES) {
      const answer = await ask(door, question, sent)
      const styles = [...answer.text.matchAll(/<style>(.*?)<\/style>/gs)].map(([, text]) => text!)
      const allowed = policyOf(answer)['style-src'] ?? ''
      for (const style of styles) expect(allowed.split(' ')).toContain(hashOf(style))
      const scripts = [...answer.text.matchAll(/<script[^>]*>(.*?)<\/script>/gs)]
      const runs = policyOf(answer)['script-src'] ?? ''
      for (const [, script] of scripts) expect(runs.split(' ')).toContain(hashOf(script!))
      const rest = scripts.reduce((text, [whole]) => text.replace(whole, ''), answer.text)
      expect(rest).not.toMatch(/<script|\son[a-z]+=|\sstyle=|javascript:|<link|<img/i)
    }
    const shown = await Promise.all(
      ['/data/', '/lost/', '/login/'].map((path) => ask(door, `GET ${path}`, HTML.headers)),
    )
    expect(shown.map(({ text }) => text.split('<style>').length)).toEqual([2, 2, 2])
  })

  test('what a handler says of its page stays, but for sniffing', async () => {
    const { headers } = await ask(door, 'GET /own/')
    expect(headers).toMatchObject({
      'content-security-policy': OWN_CSP,
      'x-frame-options': 'SAMEORIGIN',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'unsafe-none',
      'x-content-type-options': 'nosniff',
    })
  })

  test('a renderer of the application says a policy for all of its pages', async () => {
    const { headers } = await ask(door, 'GET /variant/')
    expect(headers).toMatchObject({ ...STANDARD, 'content-security-policy': OWN_CSP })
  })

  test('what is no page is not sniffed for one, and says no more', async () => {
    for (const question of ['GET /data/', 'GET /nowhere/']) {
      const { headers } = await ask(door, question)
      expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff' })
      for (const name of ['content-security-policy', 'x-frame-options', 'referrer-policy'])
        expect(headers).not.toHaveProperty(name)
    }
    const redirect = await ask(door, 'GET /home/')
    expect(redirect.status).toBe(302)
    expect(redirect.headers).not.toHaveProperty('x-content-type-options')
  })

  test('W12 a page lists the headers of the answer, not those of the page', async () => {
    const { text } = await ask(door, 'GET /data/', HTML.headers)
    expect(text).toContain('<dt>Vary</dt>')
    expect(text).not.toMatch(/Security-Policy|X-Frame|X-Content-Type|Referrer/i)
  })

  test('the login form leads where the login leads, and nowhere else', async () => {
    const browser = new Browser(door)
    const shown = await browser.ask('GET /login/')
    const to = "'self' https://app.example.com:8443"
    expect(policyOf(shown)['form-action']).toBe(to)
    const form = { username: 'alice', password: 'wrong', csrfmiddlewaretoken: tokenIn(shown) }
    const again = await browser.ask('POST /login/', { form })
    expect([again.status, policyOf(again)['form-action']]).toEqual([200, to])
    expect(again.headers).toMatchObject(STANDARD)
  })
})

test('the policy of our pages stands with their renderers', () => {
  expect(new HTMLRenderer().contentSecurityPolicy).toMatch(
    /^default-src 'none'; form-action 'self'; frame-ancestors 'none'; /,
  )
  expect(new StaticHTMLRenderer().contentSecurityPolicy).toMatch(/^default-src 'self'; /)
})
