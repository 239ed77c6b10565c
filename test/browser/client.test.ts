// The bundled client in a page of another origin, against a server: what a browser lets it send and read.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bundle as makeDoors } from '../../scripts/bundle.ts'
import type * as Colophon from '../../src/client.ts'
import {
  CursorPagination,
  IsAuthenticated,
  SessionAuthentication,
  TokenAuthentication,
  arraySource,
  configurationOf,
  defineApi,
  defineUrls,
  field,
  include,
  NamespaceVersioning,
  list,
  loginSession,
  logoutSession,
  reply,
  serializer,
  showSession,
} from '../../src/index.ts'
import type { RunningServer } from '../../src/node.ts'
import { type Site, servePages } from './pages.ts'
import { type Stage, openStage } from './stage.ts'

const paths = defineUrls({ cities: '/cities/', session: '/session/' })
const urls = defineUrls({ v1: include('/v1', paths), v2: include('/v2', paths) })
let stage: Stage
let site: Site
let server: RunningServer
let key: string
let script: string

beforeAll(async () => {
  site = await servePages()
  const configuration = configurationOf({ CSRF_TRUSTED_ORIGINS: [site.originAt('localhost')] })
  ;[stage, script] = await Promise.all([openStage({ configuration }), bundle()])
  key = await stage.tokenOf('jane')
  server = await stage.serve(service(configuration))
})
afterAll(async () => {
  await stage.close()
  await site.close()
})

async function bundle(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-client-'))
  await makeDoors(folder, ['./src/client.ts'])
  const build = await rolldown({ input: join(folder, 'client.js'), platform: 'browser' })
  const { output } = await build.generate({ format: 'iife', name: 'Colophon', minify: true })
  await build.close()
  rmSync(folder, { recursive: true })
  return output[0].code
}

function service(configuration: ReturnType<typeof configurationOf>) {
  const { accounts } = stage
  const { tokens, sessions } = accounts
  const api = defineApi({
    urls,
    accounts,
    versioning: new NamespaceVersioning(),
    allowedVersions: ['v1', 'v2'],
    versions: { v1: { deprecatedAt: '2026-11-01', sunsetAt: '2027-11-01' } },
    authentication: [new TokenAuthentication({ tokens }), new SessionAuthentication({ sessions })],
    permissions: [new IsAuthenticated()],
    pagination: new CursorPagination({ pageSize: 2, ordering: 'id' }),
    cors: { origins: [site.originAt('localhost')], credentials: true },
  })
  const rows = ['Bergen', 'Hamar', 'Oslo', 'Tromsø', 'Vardø'].map((name, id) => ({ id, name }))
  const city = serializer({ id: field.integer({ readOnly: true }), name: field.text() })
  return api.serve(
    [
      api
        .endpoint('cities')
        .get(list({ source: arraySource(rows, { key: 'id' }), serializer: city }))
        .post(async (request) =>
          reply(await city.parse(await request.body(), request), { status: 201 }),
        ),
      api
        .endpoint('session', { permissions: [] })
        .get(showSession({ accounts }))
        .post(loginSession({ accounts }))
        .delete(logoutSession({ accounts })),
    ],
    { configuration },
  )
}

/** What a program in the page is given. */
interface Given {
  readonly colophon: typeof Colophon
  readonly baseUrl: string
  readonly token: string
  readonly routes: Colophon.Addresses
}

interface Service extends Colophon.Contract {
  readonly version: 'v1' | 'v2'
  readonly operations: {
    readonly cities: {
      readonly get: { readonly data: { readonly results: readonly { name: string }[] } }
      readonly post: { readonly body: { name: string }; readonly data: { name: string } }
    }
    readonly session: {
      readonly get: { readonly data: { user: { username: string } | null; csrf_token: string } }
      readonly post: { readonly body: object; readonly data: unknown }
      readonly delete: { readonly data: unknown }
    }
  }
}

/** Runs a program in a page of another origin, where the client is a script; it knows nothing of this file. */
async function inPage<T>(host: string, program: (given: Given) => Promise<T>): Promise<T> {
  const page: Page = await stage.browser.newPage()
  await page.goto(site.originAt(host))
  await page.addScriptTag({ content: script })
  const { port } = new URL(server.url)
  const routes = Object.fromEntries(
    ['v1', 'v2'].flatMap((version) =>
      Object.entries(paths).map(([name, path]) => [`${version}:${name}`, `/${version}${path}`]),
    ),
  )
  const given = JSON.stringify({ baseUrl: `http://localhost:${port}`, token: key, routes })
  const result = await page.evaluate(`(${String(program)})({ colophon: Colophon, ...${given} })`)
  await page.close()
  return result as T
}

test('walks all pages with a token, and goes on from a checkpoint in another page', async () => {
  const first = await inPage('localhost', async ({ colophon, baseUrl, token, routes }) => {
    const options = { baseUrl, routes, auth: { token } }
    const client = colophon.createClient<Service, 'v2'>({ ...options, version: 'v2' })
    const all: string[] = []
    for await (const { name } of client.rows('cities', { prefetch: true })) all.push(name)
    const walk = client.rows('cities')
    const taken: string[] = []
    for await (const { name } of walk) if (taken.push(name) === 3) break
    return { all, taken, checkpoint: walk.checkpoint() }
  })
  expect(first.all).toEqual(['Bergen', 'Hamar', 'Oslo', 'Tromsø', 'Vardø'])
  expect(first.taken).toEqual(first.all.slice(0, 3))
  const rest = await inPageFrom(first.checkpoint)
  expect(rest).toEqual(first.all.slice(3))
})

function inPageFrom(checkpoint: string): Promise<readonly string[]> {
  const program = async ({ colophon, baseUrl, token, routes }: Given) => {
    const options = { baseUrl, routes, auth: { token } }
    const client = colophon.createClient<Service, 'v2'>({ ...options, version: 'v2' })
    const rest: string[] = []
    for await (const { name } of client.rows('cities').resume('CHECKPOINT')) rest.push(name)
    return rest
  }
  const text = String(program).replace(/['"]CHECKPOINT['"]/, () => JSON.stringify(checkpoint))
  return inPage('localhost', { toString: () => text } as typeof program)
}

test('reads refusals with their fields, and that a version is deprecated', async () => {
  const seen = await inPage('localhost', async ({ colophon, baseUrl, token, routes }) => {
    const notices: Colophon.DeprecationNotice[] = []
    const client = colophon.createClient<Service, 'v1'>({
      baseUrl,
      routes,
      version: 'v1',
      auth: { token },
      onDeprecation: (notice) => notices.push(notice),
    })
    const error = await client.post('cities', { body: { name: '' } }).catch((one: unknown) => one)
    const { status, code, fields, requestId } = error as Colophon.ApiError
    const isApiError = error instanceof colophon.ApiError
    return { isApiError, status, code, fields, requestId, notices }
  })
  expect(seen).toMatchObject({
    isApiError: true,
    status: 400,
    code: 'invalid',
    fields: { name: [{ code: 'blank' }] },
    requestId: expect.stringMatching(/./),
  })
  expect(seen.notices).toMatchObject([{ operation: 'POST cities', sunsetAt: expect.anything() }])
})

test('logs in with a session and its CSRF token, changes something, and logs out', async () => {
  const seen = await inPage('localhost', async ({ colophon, baseUrl, routes }) => {
    let csrf: string | null = null
    const client = colophon.createClient<Service, 'v2'>({
      baseUrl,
      routes,
      version: 'v2',
      auth: { session: true, csrfToken: () => csrf },
    })
    const who = async () => {
      const session = await client.get('session')
      csrf = session.csrf_token
      return session.user?.username ?? null
    }
    const users = [await who()]
    await client.post('session', { body: { username: 'jane', password: 'northanger' } })
    users.push(await who())
    const body = { name: 'Moss' }
    const { name } = await client.post('cities', { body })
    csrf = 'wrong'
    const refusal = await client.post('cities', { body }).catch((one: unknown) => one)
    users.push(await who())
    await client.delete('session')
    users.push(await who())
    return { users, name, refused: (refusal as Colophon.ApiError).status }
  })
  expect(seen).toEqual({ users: [null, 'jane', 'jane', null], name: 'Moss', refused: 403 })
})

test('a page whose origin is not admitted gets an error of the connection, and says so', async () => {
  const seen = await inPage('elsewhere.localhost', async ({ colophon, baseUrl, token, routes }) => {
    const options = { baseUrl, routes, auth: { token }, retry: false as const }
    const client = colophon.createClient<Service, 'v2'>({ ...options, version: 'v2' })
    const error = await client.get('cities').catch((one: unknown) => one)
    return [error instanceof colophon.ConnectionError, (error as Error).message]
  })
  expect(seen).toEqual([true, expect.stringContaining('GET cities')])
})
