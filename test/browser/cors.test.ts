// I21 as a browser sees it: what its pages may send and read. What our answers say to it: test/behaviour/decisions-origins.test.ts.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type App,
  IsAuthenticated,
  TokenAuthentication,
  configurationOf,
  defineApi,
  defineUrls,
  loginSession,
  reply,
  showSession,
} from '../../src/index.ts'
import type { RunningServer } from '../../src/node.ts'
import type { Accounts } from '../../src/accounts.ts'
import { type Site, servePages } from './pages.ts'
import { type Stage, openStage } from './stage.ts'

let stage: Stage
let site: Site
let api: RunningServer
let key: string
beforeAll(async () => {
  site = await servePages()
  const configuration = configurationOf({ CSRF_TRUSTED_ORIGINS: [site.originAt('localhost')] })
  stage = await openStage({ configuration })
  key = await stage.tokenOf('jane')
  api = await stage.serve(service(site, stage.accounts, configuration))
})
afterAll(async () => {
  await stage.close()
  await site.close()
})

function service(
  { originAt }: Site,
  given: Accounts,
  configuration: ReturnType<typeof configurationOf>,
): App {
  const urls = defineUrls({
    notes: '/notes/',
    open: '/open/',
    session: '/session/',
    any: '/any/',
    all: '/all/',
    closed: '/closed/',
  })
  const root = defineApi({
    urls,
    accounts: given,
    logger: { error: console.error },
    authentication: [new TokenAuthentication({ tokens: given.tokens })],
    permissions: [new IsAuthenticated()],
    cors: { origins: [originAt('localhost'), 'http://*.friends.localhost:*'] },
  })
  const named = (request: { user: unknown }) => (request.user as { username: string }).username
  return root.serve(
    [
      root
        .endpoint('notes')
        .get((request) => ({ name: named(request) }))
        .post(async (request) => reply(await request.body(), { status: 201 })),
      root
        .endpoint('session', {
          permissions: [],
          cors: { origins: [originAt('localhost')], credentials: true },
        })
        .get(showSession({ accounts: given }))
        .post(loginSession({ accounts: given })),
      root
        .endpoint('open', { permissions: [] })
        .get(() =>
          reply('open', { headers: { Link: '</open/?page=2>; rel="next"', 'X-Hidden': 'yes' } }),
        ),
      root.endpoint('any', { permissions: [], cors: { origins: '*' } }).get(() => 'any'),
      root
        .endpoint('all', { permissions: [], cors: { origins: () => true, credentials: true } })
        .get(() => 'all'),
      root.endpoint('closed', { permissions: [], cors: null }).get(() => 'closed'),
    ],
    { configuration },
  )
}

/** What a script gets to see of an answer; `null`: the browser gives it none. */
interface Seen {
  readonly status: number
  readonly text: string
  readonly link: string | null
  readonly id: string | null
  readonly hidden: string | null
  readonly type: string
}

/** As much of `RequestInit` as the tests need. */
interface Sent {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: string
  readonly credentials?: 'include'
  readonly mode?: 'no-cors'
}

/** A new visitor on a page of a host; what a script there gets for asking the API, which is always at `localhost`. */
async function visit(
  host: string,
  place = '/',
): Promise<(path: string, sent?: Sent) => Promise<Seen | null>> {
  const page = await stage.browser.newPage()
  await page.goto(site.originAt(host) + place)
  const { port } = new URL(api.url)
  return (path, sent = {}) =>
    page.evaluate(look, [`http://localhost:${port}${path}`, sent] as const)
}

/** Runs in the page. */
async function look([url, sent]: readonly [string, Sent]): Promise<Seen | null> {
  try {
    const response = await fetch(url, sent)
    const { status, headers, type } = response
    return {
      status,
      type,
      text: await response.text(),
      link: headers.get('link'),
      id: headers.get('x-request-id'),
      hidden: headers.get('x-hidden'),
    }
  } catch {
    return null
  }
}

const JSON_TYPE = { 'content-type': 'application/json' }
const token = () => ({ authorization: `Token ${key}` })

describe('an admitted page', () => {
  test('reads answers, with the headers that clients need', async () => {
    const ask = await visit('localhost')
    expect(await ask('/open/')).toMatchObject({
      status: 200,
      text: '"open"',
      link: '</open/?page=2>; rel="next"',
      id: expect.any(String),
      hidden: null,
    })
    // A refusal can be read too.
    expect(await ask('/notes/')).toMatchObject({ status: 401, id: expect.any(String) })
  })

  test('sends a token and JSON, after a preflight', async () => {
    const ask = await visit('localhost')
    const seen = await ask('/notes/', {
      method: 'POST',
      headers: { ...token(), ...JSON_TYPE },
      body: '{"text": "hello"}',
    })
    expect(seen).toMatchObject({
      status: 201,
      text: '{"text":"hello"}',
    })
    const unnamed = { ...token(), 'x-unnamed': 'yes' }
    expect(await ask('/notes/', { headers: unnamed })).toBeNull()
  })

  test('reads that there is no such address, and no such method', async () => {
    const ask = await visit('localhost')
    expect(await ask('/nowhere/', { method: 'PUT', headers: token() })).toMatchObject({
      status: 404,
    })
    // The browser knows from the preflight that there is no DELETE.
    expect(await ask('/notes/', { method: 'DELETE', headers: token() })).toBeNull()
  })

  test('is admitted by a pattern too', async () => {
    const ask = await visit('a.friends.localhost')
    expect(await ask('/notes/', { headers: token() })).toMatchObject({ text: '{"name":"jane"}' })
  })

  test('logs in with cookies, where the policy and CSRF_TRUSTED_ORIGINS let it', async () => {
    const ask = await visit('localhost')
    const credentials = 'include'
    const before = await ask('/session/', { credentials })
    const { user, csrf_token: csrf } = JSON.parse(before!.text) as {
      user: null
      csrf_token: string
    }
    expect([before!.status, user]).toEqual([200, null])
    const login = (csrfToken: string) =>
      ask('/session/', {
        method: 'POST',
        credentials,
        headers: { ...JSON_TYPE, 'x-csrftoken': csrfToken },
        body: '{"username": "jane", "password": "northanger"}',
      })
    expect(await login('wrong')).toMatchObject({ status: 403 })
    expect(await login(csrf)).toMatchObject({ status: 200 })
    const after = await ask('/session/', { credentials })
    expect(JSON.parse(after!.text)).toMatchObject({ user: { username: 'jane' } })
    // Cookies are not for endpoints whose policy has no credentials.
    expect(await ask('/notes/', { credentials })).toBeNull()
    // And a page of another origin has nothing of them.
    const askThere = await visit('a.friends.localhost')
    expect(await askThere('/session/', { credentials })).toBeNull()
  })
})

describe('a foreign page', () => {
  test.each(['127.0.0.1', 'evil.localhost', 'friends.localhost.evil.localhost'])(
    'at %s reads and sends nothing',
    async (host) => {
      const ask = await visit(host)
      expect(await ask('/notes/')).toBeNull()
      expect(await ask('/notes/', { headers: token() })).toBeNull()
      expect(await ask('/session/', { credentials: 'include' })).toBeNull()
    },
  )

  test('reads what every page may read', async () => {
    const ask = await visit('evil.localhost')
    expect(await ask('/any/')).toMatchObject({ status: 200, text: '"any"' })
  })

  test('does not get to embed anything else', async () => {
    const ask = await visit('evil.localhost')
    const mode = 'no-cors'
    expect(await ask('/closed/', { mode })).toBeNull()
    expect(await ask('/any/', { mode })).toMatchObject({ type: 'opaque' })
    const askNear = await visit('localhost')
    expect(await askNear('/closed/', { mode })).toMatchObject({ type: 'opaque' })
  })

  test('without an origin has no credentials, whatever a function says', async () => {
    const ask = await visit('localhost', '/sandboxed/')
    expect(await ask('/any/')).toMatchObject({ status: 200 })
    expect(await ask('/all/')).toBeNull()
    expect(await ask('/all/', { credentials: 'include' })).toBeNull()
    const askOpenly = await visit('evil.localhost')
    expect(await askOpenly('/all/', { credentials: 'include' })).toMatchObject({ status: 200 })
  })
})
