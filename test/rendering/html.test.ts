import { describe, expect, test } from 'vitest'
import type { PageControls } from '../../src/contract/pagination.ts'
import type { Bytes } from '../../src/contract/door.ts'
import type { Renderer } from '../../src/contract/request.ts'
import { HTMLRenderer } from '../../src/rendering/html.ts'
import { JSONRenderer } from '../../src/rendering/json.ts'
import { contextOf } from './context.ts'

const html = new HTMLRenderer()
const json = new JSONRenderer()

describe('a page', () => {
  test('N30 has its type, its charset and its name', () => {
    expect(html).toMatchObject({
      mediaType: 'text/html',
      contentType: 'text/html; charset=utf-8',
      format: 'api',
    })
  })

  test.each([
    ['W1 the name of the endpoint', '<title>Book List</title>'],
    ['W1 a refusal of robots', '<meta name="robots" content="noindex">'],
    ['W12 the request', '<strong>GET</strong> <code>/books/?page=2</code>'],
    ['W12 the status', '<h2>HTTP 201 Created</h2>'],
    ['W12 the data, indented by 4', '{\n    &quot;message&quot;: &quot;héllo&quot;\n}'],
    ['its language', '<html lang="en">'],
  ])('shows %s', (_, part) => {
    expect(page({ message: 'héllo' }, { status: 201 })).toContain(part)
  })

  test('W12 headers stand in order of their names, with the type of the data', () => {
    const headers = [
      'Vary',
      'Accept',
      'content-type',
      'text/html; charset=utf-8',
      'Allow',
      'GET, HEAD',
    ]
    expect(page({}, { headers })).toMatch(
      /<dt>Allow<\/dt><dd>GET, HEAD<\/dd>\s*<dt>Vary<\/dt><dd>Accept<\/dd>\s*<dt>content-type<\/dt><dd>application\/json<\/dd>/,
    )
  })

  test('N41 asks for an indent of 4 whatever the client asked for', () => {
    expect(page({ a: 1 }, { parameters: { indent: '1' } })).toContain('{\n    &quot;a&quot;: 1\n}')
  })

  test('the status without words stands alone', () => {
    expect(page({}, { status: 299 })).toContain('<h2>HTTP 299</h2>')
  })

  test('R48 an answer without data is a page with nothing in it', () => {
    expect(page(null)).toMatch(/<pre[^>]*><\/pre>/)
  })

  test('addresses in the data are links', () => {
    expect(page({ next: 'http://x.example/?a=1&b="2' })).toContain(
      '<a href="http://x.example/?a=1&amp;b=" rel="nofollow">http://x.example/?a=1&amp;b=</a>\\&quot;2',
    )
  })

  test('nothing that is shown becomes part of the page', () => {
    const evil = `"><script>alert('1')</script><img src=x onerror=alert(1)>`
    const text = page(
      { [evil]: `${evil} http://x/${evil} javascript:alert(1)` },
      { name: evil, headers: ['X-Evil', evil, evil, 'x'], query: `evil=${evil}` },
    )
    expect(text).not.toMatch(/<(?:script|img)/i)
    expect(text).not.toMatch(/href="(?!https?:\/\/)/)
  })

  test('there is no script', () => {
    expect(page({ a: 1 })).not.toMatch(/<script|\son[a-z]+=/i)
  })
})

describe('W11 page controls', () => {
  const template = { name: 'own', render: () => '<nav>1 2 3</nav>' }
  const data = { previousUrl: null, nextUrl: null, pageLinks: [] }
  const shown = (controls?: () => PageControls | null): string =>
    html.render(
      { status: 200, headers: {}, data: [], ...(controls ? { controls } : {}) },
      contextOf([html, json]),
    )

  test('stand before and after the data, as their template draws them', () => {
    expect(shown(() => ({ template, data }))).toMatch(
      /<nav>1 2 3<\/nav>\s*<pre[^]*<\/pre>\s*<nav>1 2 3<\/nav>\s*<\/main>/,
    )
  })
  test('none where there are none', () => {
    expect(shown(() => null)).not.toContain('<nav>')
    expect(shown()).not.toContain('<nav>')
  })
})

describe('W12 the data', () => {
  test('is written by the first renderer that is not HTML', () => {
    expect(page({}, { renderers: [html, other('text'), json] })).toMatch(/<pre[^>]*>text<\/pre>/)
  })

  test('a renderer that needs its request finds all of it', () => {
    const asking: Renderer = {
      mediaType: 'text/plain',
      format: 'txt',
      render: (_, { request }) =>
        `${request.header('host')} ${request.accepted.mediaType} ${request.query.get('host')}`,
    }
    expect(page({}, { renderers: [html, asking], query: 'host=h' })).toContain('>h text/plain h<')
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
  ])('%s', (_, renderers, shown) => {
    expect(page({}, { renderers })).toContain(`>${shown}</pre>`)
  })
})

function other(bytes: Bytes, mediaType = 'text/plain'): Renderer {
  return { mediaType, format: 'other', render: () => bytes }
}

type Change = NonNullable<Parameters<typeof contextOf>[1]>

function page(
  data: unknown,
  {
    status = 200,
    renderers = [html, json],
    ...change
  }: Change & { status?: number; renderers?: Renderer[] } = {},
): string {
  return html.render({ status, headers: {}, data }, contextOf(renderers, change))
}
