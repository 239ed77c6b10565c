// What leads on from a page: W2, W3, W6, W7, W9, W10, versions, comparison, colours, and pages of an application's own.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loginPages, loginUrls } from '../../../src/browsable.ts'
import {
  type App,
  ConfigurationError,
  FieldFilter,
  OrderingFilter,
  PageNumberPagination,
  PermissionDenied,
  SearchFilter,
  URLPathVersioning,
  arraySource,
  configurationOf,
  defineApi,
  defineUrls,
  field,
  list,
  serializer,
} from '../../../src/index.ts'
import { type Accounts, defineAccounts } from '../../../src/accounts.ts'
import { openSqlite } from '../../../src/sqlite.ts'
import { type TestResponse, client } from '../../../src/testing.ts'

interface Row {
  readonly id: number
  readonly title: string
  readonly kind: 'novel' | 'play'
}
const rows: readonly Row[] = Array.from({ length: 12 }, (_, at) => ({
  id: at + 1,
  title: `Book ${at + 1}`,
  kind: at % 2 === 0 ? 'novel' : 'play',
}))
const book = serializer({
  id: field.integer(),
  title: field.text(),
  kind: field.choice({ novel: 'A novel', play: 'A <play>' }),
})

let folder: string
let accounts: Accounts
let asked: string[] = []
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'colophon-pages-'))
  const database = openSqlite({ path: join(folder, 'accounts.sqlite') })
  await database.migrate()
  accounts = defineAccounts({ database, secretKey: 'a secret' })
  await accounts.users.create({ username: 'jane', password: 'northanger' })
})
afterAll(async () => {
  await accounts.database.close()
  rmSync(folder, { recursive: true })
})

function library(browsable = {}): App {
  const urls = defineUrls({
    ...loginUrls,
    root: '/',
    books: '/:version<v1|v2>/books/',
    book: '/:version<v1|v2>/books/:id<int>/',
    'book-loans': '/:version<v1|v2>/books/:book<int>/loans/',
    'book-return': '/:version<v1|v2>/books/:id<int>/return/',
    closed: '/:version<v1|v2>/closed/',
  })
  const api = defineApi({ urls, accounts, browsable, logger: { error() {} } })
  const versioned = api.group({
    versioning: new URLPathVersioning(),
    allowedVersions: ['v1', 'v2'],
    pagination: new PageNumberPagination({ pageSize: 5 }),
  })
  const onlyFirst = {
    hasPermission: ({ version }: { version: string | null }) => version === 'v1',
  }
  return api.serve([
    ...loginPages(api, { accounts }),
    api.endpoint('root', { title: 'Library' }).get(() => ({ ok: true })),
    versioned
      .endpoint('books', {
        title: 'Books',
        filters: [new SearchFilter(), new OrderingFilter(), new FieldFilter()],
      })
      .get(
        list({
          source: arraySource(rows),
          serializer: book,
          searchFields: ['title'],
          orderingFields: ['title', 'id'],
          filterFields: ['kind', 'title__isnull', 'id__gte'],
        }),
      )
      .post(() => null),
    versioned.endpoint('book', { title: 'Book' }).get(({ params, version }) => {
      asked.push(version ?? '')
      const { id, title } = rows[params.id - 1]!
      return version === 'v1' ? { id, title } : { id, name: title, more: null }
    }),
    versioned.endpoint('book-loans', { title: 'Loans' }).get(() => []),
    versioned.endpoint('book-return', { title: 'Return' }).post(() => null),
    versioned
      .endpoint('closed', { title: 'Closed', permissions: [onlyFirst] })
      .get(() => ({ secret: 1 })),
  ])
}

async function ask(path: string, headers = {}, app = library()): Promise<TestResponse> {
  return client(app).get(path, { headers: { accept: 'text/html', ...headers } })
}

async function page(path: string): Promise<string> {
  return (await ask(path)).text.replace(/<style>[^]*?<\/style>/, '')
}

async function loggedIn(app: App): Promise<Record<string, string>> {
  const http = client(app)
  const form = await http.get('/login/')
  const [, csrfmiddlewaretoken = ''] = /name="csrfmiddlewaretoken" value="([^"]+)"/.exec(form.text)!
  const { cookies } = await http.post('/login/', {
    cookies: form.cookies,
    form: { username: 'jane', password: 'northanger', csrfmiddlewaretoken },
  })
  return { ...form.cookies, ...cookies }
}

describe('W2 the bar', () => {
  test('leads to the root, and to the login page and back', async () => {
    const text = await page('/v2/books/?page=2')
    expect(text).toContain('<a class="brand" href="/">')
    expect(text).toContain('href="/login/?next=%2Fv2%2Fbooks%2F%3Fpage%3D2">Log in</a>')
    expect(text).not.toContain('Log out')
  })

  test('who is refused and has not logged in finds the way there in the page itself', async () => {
    const inPage = (text: string) => /<main[^]*>Log in<\/a>/.test(text)
    expect(inPage(await page('/v2/closed/'))).toBe(true)
    expect(inPage(await page('/v2/books/'))).toBe(false)
  })

  test('names the user, who can log out', async () => {
    const app = library()
    const cookies = await loggedIn(app)
    const http = client(app)
    const { text, cookies: set } = await http.get('/v2/books/', {
      cookies,
      headers: { accept: 'text/html' },
    })
    expect(text).toContain('<summary>jane</summary><form method="post" action="/logout/">')
    expect(text).not.toContain('>Log in</a>')
    const [, token = ''] = /name="csrfmiddlewaretoken" value="([^"]+)"/.exec(text)!
    const left = await http.post('/logout/', {
      cookies: { ...cookies, ...set },
      form: { csrfmiddlewaretoken: token },
    })
    expect([left.status, left.cookies]).toMatchObject([302, { sessionid: '' }])
  })

  test('names a user of a token, who has nothing to log out of', async () => {
    const { text } = await client(library()).get('/v2/books/', {
      as: { username: '<b>jane' },
      headers: { accept: 'text/html' },
    })
    expect(text).toContain('&lt;b&gt;jane')
    expect(text).not.toContain('<b>jane')
  })
})

describe('W3 breadcrumbs', () => {
  const crumbs = async (path: string): Promise<string> =>
    /<nav class="crumbs"[^]*?<\/nav>/.exec(await page(path))?.[0].replace(/^.*?<ol>/, '') ?? ''

  test('are the endpoints at the beginnings of the path, the root first', async () => {
    expect(await crumbs('/v2/books/3/loans/?page=2')).toBe(
      '<li><a href="/">Library</a></li><li><a href="/v2/books/">Books</a></li><li><a href="/v2/books/3/">Book</a></li><li><a href="/v2/books/3/loans/" aria-current="page">Loans</a></li></ol></nav>',
    )
  })
  test('keep the format, and no other parameter', async () => {
    const text = await crumbs('/v2/books/?format=api&page=2')
    expect(text).toContain('<a href="/?format=api">Library</a>')
    expect(text).not.toContain('page=2')
  })
  test('stand on error pages, too', async () => {
    expect(await crumbs('/v2/books/nowhere/')).toContain('<a href="/v2/books/">Books</a>')
  })
  test('of a path of thousands of segments are few, and soon made', async () => {
    const text = await page(`/${'a/'.repeat(4000)}`)
    expect(text).toContain('<a href="/">Library</a>')
  })
})

describe('the toolbar', () => {
  test('W6 has the formats, with the other parameters', async () => {
    const text = await page('/v2/books/?page=2&_view=options')
    expect(text).toContain('<a href="/v2/books/?format=json&amp;page=2">json</a>')
    expect(text).toContain('<a href="/v2/books/?format=api&amp;page=2" aria-current="true">api</a>')
  })

  test('W7, M1 shows what OPTIONS answers as a table', async () => {
    expect(await page('/v2/books/')).toContain('href="/v2/books/?_view=options">OPTIONS</a>')
    const text = await page('/v2/books/?_view=options')
    expect(text).toMatch(/<th scope="row">renders<\/th><td><ul><li>application\/json\s*<\/li>/)
    expect(text).not.toContain('class="json"')
    const { text: own } = await client(library()).request('OPTIONS', '/v2/books/', {
      headers: { accept: 'text/html' },
    })
    expect(own).toMatch(/<th scope="row">name<\/th><td>Books\s*<\/td>/)
  })

  test('W9 has addresses one word further, whatever they call the key of this object', async () => {
    const text = await page('/v2/books/3/')
    expect(text).toContain('<li><a href="/v2/books/3/loans/">Loans</a></li>')
    expect(await page('/v2/books/3/loans/')).not.toContain('<summary>Actions</summary>')
  })

  test('an address that is only written to is no warning, and has its form', async () => {
    const { status, text } = await ask('/v2/books/3/return/')
    expect(status).toBe(405)
    expect(text).toContain('<h2 class="status">HTTP 405 Method Not Allowed</h2>')
    expect(text).toContain('There is nothing to read at this address.')
    expect(text).toContain('id="write-post"')
    const other = await page('/v2/nowhere/')
    expect(other).toContain('<h2 class="status s4">HTTP 404 Not Found</h2>')
    expect(other).not.toContain('There is nothing to read')
  })

  test('copies the request as a call of the typed client, by name, parameters and query', async () => {
    const calls = async (path: string) =>
      / id="copy-TypeScript"[^>]*>([^<]*)</.exec(await page(path))?.[1]?.replaceAll('&quot;', '"')
    expect(await calls('/v2/books/?page=2&_theme=dark&format=api&kind=a&kind=b')).toBe(
      'const data = await client.get("books", { query: {"kind":["a","b"],"page":"2"} })',
    )
    expect(await calls('/v2/books/3/')).toBe(
      'const data = await client.get("book", { params: {"id":3} })',
    )
    expect(await calls('/')).toBe('const data = await client.get("root")')
  })

  test('copies the request without what proves who asks', async () => {
    const app = library()
    const { text } = await client(app).get(`/v2/books/?title=it's&_view=options`, {
      headers: {
        accept: 'text/html',
        authorization: `Basic ${Buffer.from('jane:northanger').toString('base64')}`,
      },
    })
    const copied = /<details class="copies">[^]*?<\/details>/.exec(text)![0]
    expect(copied).toContain('curl &#39;http://localhost/v2/books/?title=it%27s&#39;')
    expect(copied).toContain('-u YOUR_NAME')
    expect(text).not.toMatch(/northanger|amFuZTpub3J0aGFuZ2Vy/)
  })
})

describe('W10 filters', () => {
  test('are a search, fields and orders, with what is asked for now', async () => {
    const text = await page('/v2/books/?search=%22Book%22&ordering=-id&kind=play&page=1')
    expect(text).toContain('name="search" value="&quot;Book&quot;"')
    expect(text).toContain('<option value="play" selected>A &lt;play&gt;</option>')
    expect(text).toContain('<select id="filter-1" name="title__isnull">')
    expect(text).toContain('name="id__gte" value=""')
    expect(text).toMatch(/aria-label="id, descending" aria-current="true"/)
    // Links keep what is asked for; the form goes to the first page.
    expect(text).toMatch(
      /href="\/v2\/books\/\?kind=play&amp;ordering=title&amp;page=1&amp;search=%22Book%22"/,
    )
    expect(text).toContain('<input type="hidden" name="ordering" value="-id">')
    expect(text).not.toContain('<input type="hidden" name="page"')
  })

  test('stay where what was typed is refused', async () => {
    const { status, text } = await ask('/v2/books/?id__gte=x')
    expect(status).toBe(400)
    expect(text).toContain('name="id__gte" value="x"')
  })

  test('are nowhere else', async () => {
    expect(await page('/v2/books/3/')).not.toContain('class="filters"')
  })
})

describe('versions', () => {
  test('lead to the same resource, with the query', async () => {
    const text = await page('/v2/books/?page=2&_theme=dark')
    expect(text).toContain('<a href="http://localhost/v1/books/?page=2">v1</a>')
    expect(text).toContain('<a href="/v2/books/?page=2" aria-current="true">v2</a>')
  })

  test('stand side by side, the older on the left, with their differences', async () => {
    asked = []
    const text = await page('/v2/books/3/?_view=compare-v1&format=api')
    expect(asked).toEqual(['v2', 'v1'])
    expect(text).toContain('2 lines differ.')
    expect(text).toMatch(/<th scope="col"><a href="http:\/\/localhost\/v1\/books\/3\/[^"]*">v1/)
    expect(text).toMatch(
      /<tr class="changed"><td><del> {4}<b>"title"<\/b>: <i>"Book 3"<\/i><\/del><\/td><td><ins> {4}<b>"name"/,
    )
    expect(text).toMatch(/<tr class="added"><td><\/td><td><ins> {4}<b>"more"/)
    expect(text).toMatch(/<tr><td> {4}<b>"id"<\/b>: <u>3<\/u>,<\/td><td> {4}<b>"id"/)
  })

  test('are compared as the client may see them, and no further', async () => {
    const text = await page('/v1/closed/?_view=compare-v2')
    expect(text).toContain('<span class="status s4">403</span>')
    expect(text.match(/"secret"/g)).toHaveLength(1)
    const refused = await ask('/v2/closed/?_view=compare-v1')
    expect(refused.status).toBe(403)
    expect(refused.text).not.toContain('"secret"')
  })

  test('that there are not are not compared', async () => {
    for (const version of ['v2', 'v3', '', '%3Cb%3E'])
      expect(await page(`/v2/books/3/?_view=compare-${version}`)).toContain('class="json"')
  })

  test('are one run of the handler where nothing is compared', async () => {
    asked = []
    await page('/v2/books/3/')
    expect(asked).toEqual(['v2'])
  })
})

describe('colours', () => {
  test('are those of the system, or a choice that a cookie keeps', async () => {
    expect(await page('/')).toContain('data-theme="auto"')
    const chosen = await ask('/?_theme=dark')
    expect(chosen.text).toContain('data-theme="dark"')
    expect(chosen.header('set-cookie')).toMatch(/^colophon_theme=dark; .*HttpOnly.*SameSite=Lax/)
    const later = await ask('/', { cookie: 'colophon_theme=dark' })
    expect(later.text).toContain('data-theme="dark"')
    expect(later.header('vary')).toContain('Cookie')
    const odd = await ask('/?_theme=%22%3E', { cookie: 'colophon_theme="><b>' })
    expect([odd.text.includes('data-theme="auto"'), odd.header('set-cookie')]).toEqual([true, null])
  })
})

describe('the setting browsable', () => {
  test('gives pages a title, a picture and a colour that can be read', async () => {
    const look = { title: 'Shelf & Co', logo: '/logo.svg', accent: '#ffe066' }
    const { text, header } = await ask('/', {}, library(look))
    expect(text).toContain('<title>Library &ndash; Shelf &amp; Co</title>')
    expect(text).toContain('<img src="/logo.svg" alt=""')
    // Yellow on white could not be read: it is made darker there.
    expect(text).toMatch(/--accent:light-dark\(#[0-9a-f]{6},#ffe066\)/)
    expect(text).not.toContain('light-dark(#ffe066')
    expect(header('content-security-policy')).toContain("img-src 'self'")
    expect((await ask('/')).header('content-security-policy')).not.toContain('img-src')
  })

  test('takes templates of a folder, of pages and of page controls', async () => {
    const templates = mkdtempSync(join(folder, 'templates-'))
    writeFileSync(
      join(templates, 'page.eta'),
      '<% layout("@layout", it) %><h1>My <%= it.title %></h1><%~ include("@response", it) %>',
    )
    writeFileSync(
      join(templates, 'numbers.eta'),
      '<p>There are <%= it.pageLinks.length %> pages.</p>',
    )
    const { status, text } = await ask('/v2/books/', {}, library({ templates }))
    expect(status).toBe(200)
    expect(text).toContain('<h1>My Books</h1>')
    expect(text).toContain('<p>There are 3 pages.</p>')
  })

  test('a template that fails is a 500 without its inside', async () => {
    const templates = mkdtempSync(join(folder, 'templates-'))
    writeFileSync(join(templates, 'page.eta'), '<%= it.nothing.inside %>')
    const { status, text } = await ask('/', {}, library({ templates }))
    expect(status).toBe(500)
    expect(text).not.toContain('nothing')
  })

  test.each([
    [{ colour: '#fff' }, /has no member "colour"/],
    [{ accent: 'red' }, /wants "accent" to be a colour such as "#3451d1", and got "red"/],
    [{ accent: '#fff;}' }, /wants "accent"/],
    [{ logo: '//evil.example/x.svg' }, /wants "logo" to be the path of a picture/],
    [{ logo: 'https://evil.example/x.svg' }, /wants "logo"/],
    [{ title: '' }, /wants "title"/],
    [{ templates: '/nowhere/at/all' }, /"templates" to be a folder, and .* is none/],
  ])('%j is refused when the service starts', (browsable, message) => {
    expect(() => library(browsable)).toThrow(ConfigurationError)
    expect(() => library(browsable)).toThrow(message)
    expect(() => library(browsable)).toThrow('api: "browsable"')
  })

  test('a folder with a template that no page uses is refused, with the nearest name', () => {
    const templates = mkdtempSync(join(folder, 'templates-'))
    writeFileSync(join(templates, 'layuot.eta'), '')
    expect(() => library({ templates })).toThrow(/layuot\.eta.*"layout"/)
  })

  test('can be configured by the operator', async () => {
    const api = defineApi({ urls: { root: '/' } })
    const configuration = configurationOf({ BROWSABLE: { title: 'Configured' } })
    const app = api.serve([api.endpoint('root').get(() => 1)], { configuration })
    expect((await ask('/', {}, app)).text).toContain('Configured</span>')
  })
})

test('a refusal of OPTIONS takes its button away', async () => {
  const api = defineApi({ urls: { root: '/' } })
  const onlyGet = {
    hasPermission({ method }: { method: string }): boolean {
      if (method !== 'GET') throw new PermissionDenied()
      return true
    },
  }
  const app = api.serve([api.endpoint('root', { permissions: [onlyGet] }).get(() => 1)])
  const { text } = await ask('/?_view=options', {}, app)
  expect(text).not.toContain('>OPTIONS</a>')
  expect(text).not.toContain('class="metadata"')
})

test('strict queries know the parameters of pages, for pages only', async () => {
  const api = defineApi({ urls: { root: '/' }, strictQuery: true })
  const app = api.serve([api.endpoint('root').get(() => 1)])
  expect((await ask('/?_view=options&_theme=dark', {}, app)).status).toBe(200)
  expect((await client(app).get('/?_view=options')).status).toBe(400)
})
