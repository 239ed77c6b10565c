// `apiConsole`: the page, its document and its files, without a browser.
import { readFileSync } from 'node:fs'
import Module, { createRequire } from 'node:module'
import { expect, test, vi } from 'vitest'
import {
  BasicAuthentication,
  ConfigurationError,
  IsAuthenticated,
  URLPathVersioning,
  configurationOf,
  defineApi,
  defineUrls,
  include,
} from '../../../src/index.ts'
import {
  type ConsoleOptions,
  type OpenApiDocument,
  apiConsole,
  consoleUrls,
} from '../../../src/openapi.ts'
import { client } from '../../../src/testing.ts'

const configuration = configurationOf()

function serve(options?: ConsoleOptions) {
  const urls = defineUrls({ ...consoleUrls, books: '/:version<v1|v2>/books/' })
  const api = defineApi({
    urls,
    authentication: [new BasicAuthentication({ users: { authenticate: async () => null } })],
    versions: { v1: { deprecatedAt: '2026-01-01' } },
    allowedVersions: ['v1', 'v2'],
    versioning: new URLPathVersioning(),
    browsable: { title: 'Library API' },
  })
  return api.serve([...apiConsole(api, options), api.endpoint('books').get(() => [])], {
    configuration,
  })
}

const filesOf = (html: string): readonly string[] =>
  [...html.matchAll(/(?:src|href|data-style)="([\da-f]{16}\/[^"]+)"/g)].map(([, file]) => file!)

test('the page names its title, its versions and the document of the newest', async () => {
  const { status, text, header } = await client(serve({ title: 'Library' })).get('/console/')
  expect(status).toBe(200)
  expect(text).toContain('<h1>Library</h1>')
  expect(text).toMatch(/<a href="\?version=v1">v1 <small>deprecated<\/small><\/a>/)
  expect(text).toContain('<a href="?version=v2" aria-current="page">v2</a>')
  expect(text).toContain('data-document="openapi.json?version=v2"')
  expect(header('cache-control')).toBe('no-store')
})

test('its policy lets in files of this service, and nothing that stands in a page or comes from elsewhere', async () => {
  const { header } = await client(serve()).get('/console/')
  expect(header('content-security-policy')).toMatch(
    /^default-src 'none'; style-src 'self' 'sha256-[^']+'; script-src 'self'; connect-src 'self'; img-src 'self' data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/,
  )
})

test('another version is asked for by the query, and one that is none is 404', async () => {
  const { text } = await client(serve()).get('/console/?version=v1')
  expect(text).toContain('data-document="openapi.json?version=v1"')
  expect((await client(serve()).get('/console/?version=v3')).status).toBe(404)
})

test('the document has what the service does, and not the console', async () => {
  const { data } = await client(serve()).get('/console/openapi.json?version=v2')
  const { paths, tags } = data as OpenApiDocument
  expect(Object.keys(paths)).toEqual(['/v2/books/'])
  expect(tags).toEqual([{ name: 'books', description: expect.any(String) }])
})

test('files are kept for ever, under an address that changes with them', async () => {
  const { get } = client(serve())
  const { text } = await get('/console/')
  const files = filesOf(text)
  expect(files.map((file) => file.split('/')[1])).toEqual([
    'console.css',
    'inside.css',
    'swagger-ui-bundle.js',
    'console.js',
  ])
  for (const file of files) {
    const { status, header } = await get(`/console/${file}`)
    expect([file, status]).toEqual([file, 200])
    expect(header('content-type')).toBe(
      `text/${file.endsWith('.js') ? 'javascript' : 'css'}; charset=utf-8`,
    )
    expect(header('cache-control')).toBe('public, max-age=31536000, immutable')
    const headers = { 'if-none-match': header('etag')! }
    expect((await get(`/console/${file}`, { headers })).status).toBe(304)
  }
})

test('the files are those of the package', async () => {
  const { get } = client(serve())
  const [release] = filesOf((await get('/console/')).text)[0]!.split('/')
  const theirs = createRequire(import.meta.url).resolve('@fastify/swagger-ui/static/swagger-ui.css')
  const { text } = await get(`/console/${release}/swagger-ui.css`)
  expect(text).toBe(readFileSync(theirs, 'utf8'))
})

test.each(['0000000000000000/console.js', 'RELEASE/package.json', 'RELEASE/%2E%2E%2Fpackage.json'])(
  'there is no %s',
  async (path) => {
    const { get } = client(serve())
    const [release] = filesOf((await get('/console/')).text)[0]!.split('/')
    expect((await get(`/console/${path.replace('RELEASE', release!)}`)).status).toBe(404)
  },
)

test('its permissions keep the page and the document, while the files are free of secrets', async () => {
  const { get } = client(serve({ permissions: [new IsAuthenticated()] }))
  expect((await get('/console/')).status).toBe(401)
  expect((await get('/console/openapi.json')).status).toBe(401)
  const [file] = filesOf((await client(serve()).get('/console/')).text)
  expect((await get(`/console/${file}`)).status).toBe(200)
})

test('it stands under any prefix, and shows what it is told to', async () => {
  const api = defineApi({ urls: { docs: include('/docs', consoleUrls), open: '/a/', shut: '/b/' } })
  const pages = apiConsole(api, { shows: ({ name }) => name !== 'shut' })
  const app = api.serve(
    [...pages, api.endpoint('open').get(() => 1), api.endpoint('shut').get(() => 1)],
    { configuration },
  )
  const { data } = await client(app).get('/docs/console/openapi.json')
  expect(Object.keys((data as OpenApiDocument).paths)).toEqual(['/a/'])
  const { text } = await client(app).get('/docs/console/')
  expect(text).not.toContain('class="versions"')
  expect((await client(app).get(`/docs/console/${filesOf(text)[0]}`)).status).toBe(200)
})

test('a folder without the files refuses to start, and is named', () => {
  const start = () => serve({ files: import.meta.dirname })
  expect(start).toThrow(ConfigurationError)
  expect(start).toThrow(
    /^GET of endpoint console: takes .*test\/addons\/pages, where there is no swagger-ui-bundle\.js\. .*npm install/,
  )
})

test('without the package, nothing starts, and what to run is said', () => {
  const finding = vi.spyOn(Module as unknown as { _resolveFilename(): string }, '_resolveFilename')
  finding.mockImplementation(() => {
    throw new Error('Cannot find module')
  })
  try {
    expect(() => serve()).toThrow(
      /^GET of endpoint console: needs .*\. Run: npm install @fastify\/swagger-ui$/,
    )
  } finally {
    finding.mockRestore()
  }
})
