// W rules of the page that every endpoint has. What runs in a browser: test/browser/browsable.test.ts.
import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import {
  type App,
  HTMLRenderer,
  JSONRenderer,
  arraySource,
  defineApi,
  defineUrls,
  list,
  PageNumberPagination,
  action,
  field,
  reply,
  serializer,
} from '../../../src/index.ts'
import type { Renderer } from '../../../src/types.ts'
import { client } from '../../../src/testing.ts'
import type { Bytes } from '../../../src/core/ports/http-adapter.ts'

const html = new HTMLRenderer()
const json = new JSONRenderer()
const HTML = { headers: { accept: 'text/html' } }

/** The page of an endpoint that answers with this, without its style sheet. */
async function page(
  data: unknown,
  { path = '/books/', title = 'Book List', ...options }: Options = {},
): Promise<string> {
  const answered = await client(serving(data, title, options)).get(path, HTML)
  return withoutStyle(answered.text)
}

interface Options {
  readonly path?: string
  readonly title?: string
  readonly description?: string
  readonly renderers?: readonly Renderer[]
}

function serving(data: unknown, title: string, options: Omit<Options, 'path' | 'title'>): App {
  const api = defineApi({ urls: defineUrls({ books: '/books/' }), logger: { error() {} } })
  return api.serve([api.endpoint('books', { title, ...options }).get(() => data)])
}

function withoutStyle(text: string): string {
  return text.replace(/<style>[^]*?<\/style>/, '')
}

describe('a page', () => {
  test('N30 has its type, its charset and its name', () => {
    expect(html).toMatchObject({
      mediaType: 'text/html',
      contentType: 'text/html; charset=utf-8',
      format: 'api',
    })
  })

  test.each([
    ['W1 the names of endpoint and product', '<title>Book List &ndash; API</title>'],
    ['W1 a refusal of robots', '<meta name="robots" content="noindex">'],
    [
      'W12 the request',
      '<span class="method m-get">GET</span> <code>/books/?a=%26&amp;page=2</code>',
    ],
    ['W12 the status', '>HTTP 201 Created</h2>'],
    ['W12 the data, indented by 4', '{\n    <b>"message"</b>: <i>"héllo"</i>\n}'],
    ['its language', '<html lang="en" dir="ltr"'],
  ])('shows %s', async (_, part) => {
    const answer = reply({ message: 'héllo' }, { status: 201 })
    expect(await page(answer, { path: '/books/?page=2&a=%26' })).toContain(part)
  })

  test('W12 headers stand in order of their names, with the type of the data', async () => {
    const answer = reply({}, { headers: { 'X-Own': 'a <b>', 'A-First': '1' } })
    expect(await page(answer)).toMatch(
      /<dt>A-First<\/dt><dd>1<\/dd>\s*<dt>Allow<\/dt>.*\s*<dt>Content-Type<\/dt><dd>application\/json<\/dd>\s*<dt>Vary<\/dt><dd>Accept, Cookie<\/dd>\s*<dt>X-Own<\/dt><dd>a &lt;b&gt;<\/dd>/,
    )
  })

  test('N41 asks for an indent of 4 whatever the client asked for', async () => {
    const accept = 'text/html; indent=1'
    const { text } = await client(serving({ a: 1 }, 'A', {})).get('/books/', {
      headers: { accept },
    })
    expect(text).toContain('{\n    <b>"a"</b>: <u>1</u>\n}')
  })

  test('the status without words stands alone', async () => {
    expect(await page(reply({}, { status: 299 }))).toContain('>HTTP 299</h2>')
  })

  test('R48 an answer without data is a page with nothing in it', async () => {
    expect(await page(null)).toMatch(/<pre class="json"[^>]*><\/pre>/)
  })

  test('there is one script, which the policy admits by its hash, and nothing that stands in for one', async () => {
    const { text, header } = await client(serving({ a: 1 }, 'A', {})).get('/books/', HTML)
    const [script, ...others] = [...text.matchAll(/<script[^>]*>([^]*?)<\/script>/g)].map(
      ([, own]) => own!,
    )
    expect(others).toEqual([])
    const hash = createHash('sha256').update(script!).digest('base64')
    expect(header('content-security-policy')).toContain(`script-src 'sha256-${hash}'`)
    expect(withoutStyle(text).replace(script!, '')).not.toMatch(/\son[a-z]+=|\sstyle=/i)
  })
})

test('what a POST does is not known to create, unless its form is', async () => {
  const api = defineApi({ urls: defineUrls({ close: '/close/' }), logger: { error() {} } })
  const app = api.serve([api.endpoint('close').post(() => null)])
  const { text } = await client(app).get('/close/', HTML)
  expect(text).toMatch(/<h2 id="write-post"><span class="method m-post">POST<\/span> Send<\/h2>/)
})

test('a control names its help and its errors, where it has some', async () => {
  const api = defineApi({ urls: defineUrls({ books: '/books/' }) })
  const note = field.text({ maxLength: 9, helpText: 'Short.' })
  const input = serializer({ title: field.text({ maxLength: 9 }), text: field.text(), note })
  const books = api.endpoint('books').post(action({ input, perform: () => null }))
  const { get, post } = client(api.serve([books]))
  const described = (text: string) =>
    [...text.matchAll(/aria-describedby="([^"]*)"/g)].map(([, ids]) => ids)
  expect(described((await get('/books/', HTML)).text)).toEqual(['post-2-help'])
  const { text } = await post('/books/', { ...HTML, json: { title: '', text: 'a', note: '' } })
  expect(described(text)).toEqual(['post-0-errors', 'post-2-help post-2-errors'])
})

describe('W5 the description', () => {
  const description = `First \`code\` here.

    Second & last: see https://example.com/a?b=1&c=2, or (https://example.com/d).`

  test('has paragraphs, code and links, and everything else as text', async () => {
    const text = await page({}, { description })
    expect(text).toContain('<p>First <code>code</code> here.</p>')
    expect(text).toContain('<p>Second &amp; last: see <a href="https://example.com/a?b=1&amp;c=2"')
    expect(text).toContain('>https://example.com/d</a>).</p>')
  })

  test('is hidden where the client is refused', async () => {
    const api = defineApi({ urls: defineUrls({ books: '/books/' }) })
    const refuse = { hasPermission: () => false }
    const books = api.endpoint('books', { description, permissions: [refuse] }).get(() => 1)
    const { status, text } = await client(api.serve([books])).get('/books/', HTML)
    expect(status).toBe(403)
    expect(text).not.toContain('<code>code</code>')
  })
})

describe('W12 addresses in the data', () => {
  test('are links; search engines follow those of the service itself', async () => {
    const text = await page({
      own: 'http://localhost/books/?a=1&b="2',
      other: 'https://x.example/<i>',
      near: 'http://localhost.x.example/',
    })
    expect(text).toContain(
      '"<a href="http://localhost/books/?a=1&amp;b=\\">http://localhost/books/?a=1&amp;b=\\</a>'.replaceAll(
        '\\',
        '',
      ),
    )
    expect(text).toContain(
      '<a href="https://x.example/" rel="nofollow noreferrer">https://x.example/</a>&lt;i&gt;',
    )
    expect(text).toContain('<a href="http://localhost.x.example/" rel="nofollow noreferrer">')
  })

  test('of other schemes stay text', async () => {
    const text = await page({ a: 'javascript:alert(1)', b: 'data:text/html,x', c: 'ftp://x/' })
    expect(text.match(/<pre class="json"[^]*<\/pre>/)![0]).not.toContain('href')
  })
})

describe('a long answer', () => {
  test('has colours at its beginning only, and tells so', async () => {
    const rows = Array.from({ length: 10_000 }, (_, id) => ({ id, name: 'A <name>' }))
    const text = await page(rows)
    expect(text).toContain('This answer is long. Only its beginning has colours.')
    expect(text).toContain('<b>"id"</b>: <u>1</u>')
    expect(text).toContain('\n        "id": 9999,\n        "name": "A &lt;name&gt;"\n')
    expect(text).not.toContain('<name>')
  })

  test('of 5 MB is cut, however wide it is', async () => {
    const wide = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, at) => [`column${at}`, '<'.repeat(500)]),
    )
    const text = await page(wide)
    expect(text).toContain('Only its beginning is shown.')
    expect(text.length).toBeLessThan(5_000_000)
  })
})

describe('W11 page controls', () => {
  const urls = defineUrls({ books: '/books/' })
  const template = { name: 'own', render: () => '<nav>1 2 3</nav>' }
  const served = (options: object): App => {
    const api = defineApi({ urls })
    const pagination = new PageNumberPagination({ pageSize: 2, ...options })
    const source = arraySource([{ id: 1 }, { id: 2 }, { id: 3 }])
    return api.serve([api.endpoint('books', { pagination }).get(list({ source }))])
  }

  test('stand above the data, as their template draws them', async () => {
    const { text } = await client(served({ template })).get('/books/', HTML)
    expect(text).toMatch(/<nav>1 2 3<\/nav>\s*<\/header>[^]*<pre class="json"/)
    expect(text.match(/<nav>/g)).toHaveLength(1)
  })

  test('are not there where the list is one page', async () => {
    const { text } = await client(served({ template, pageSize: 3 })).get('/books/', HTML)
    expect(text).not.toContain('<nav>')
  })
})

describe('W12 the data', () => {
  test('is written by the first renderer that is not HTML', async () => {
    const text = await page({}, { renderers: [html, other('<text>'), json] })
    expect(text).toMatch(/<pre[^>]*>&lt;text&gt;<\/pre>/)
  })

  test('a renderer that needs its request finds all of it', async () => {
    const asking: Renderer = {
      mediaType: 'text/plain',
      format: 'txt',
      render: (_, { request }) =>
        `${request.header('host')} ${request.accepted.mediaType} ${request.query.get('host')}`,
    }
    const text = await page({}, { renderers: [html, asking], path: '/books/?host=h' })
    expect(text).toContain('>localhost text/plain h<')
  })

  test.each<[title: string, renderers: Renderer[], shown: string]>([
    ['no other renderer: a sentence', [html], 'This data cannot be shown as text.'],
    [
      'HTML of another kind does not count',
      [html, other('x', 'text/html; profile=y')],
      'This data cannot be shown as text.',
    ],
    ['bytes: how many', [html, other(new Uint8Array(12))], '12 bytes.'],
    [
      'a stream: that it is one',
      [html, other(new ReadableStream())],
      'This data is sent as a stream.',
    ],
  ])('%s', async (_, renderers, shown) => {
    expect(await page({}, { renderers })).toContain(`<p class="notice">${shown}</p>`)
  })
})

function other(bytes: Bytes, mediaType = 'text/plain'): Renderer {
  return { mediaType, format: 'other', render: () => bytes }
}
