// SEC31: nothing that a client sends becomes markup on a page of ours.
// More: test/addons/pages/escaping.test.ts, test/browser/browsable.test.ts, test/addons/pages/login/login-form.test.ts, test/core/std/http/next-address.test.ts.
import { withoutOwnCode } from '../addons/pages/hostile.ts'
import { describe, expect, test } from 'vitest'
import { configurationOf, defineApi } from '../../src/index.ts'
import { client } from '../../src/testing.ts'
import { attacked } from './service.ts'

const PAYLOADS = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "'><svg onload=alert(1)>",
  '</title><script>alert(1)</script>',
  '</pre><script>alert(1)</script>',
  '<!--',
  '{{7*7}}',
  'javascript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  '\u2028<script>',
  '&lt;script&gt;',
]
/** A tag that begins, an attribute that runs, a link that runs; entities do not match. */
const ALIVE =
  /<(?:script|img|svg)\b|\son(?:error|load)\s*=\s*(?=[^&]*>)|(?:href|src|action)="?(?:javascript|data):/i
const html = { accept: 'text/html' }

const api = defineApi({ urls: { shown: '/shown/', named: '/named/:name/' } })
const app = api.serve(
  [
    api.endpoint('shown').get(({ query, header }) => ({
      text: query.get('x'),
      header: header('x-odd'),
      url: query.get('x'),
      [query.get('x') ?? '']: [query.get('x')],
    })),
    api.endpoint('named').get(({ params, url }) => ({ name: params.name, url: url.href })),
  ],
  { configuration: configurationOf() },
)

describe.each(PAYLOADS)('%j', (payload) => {
  const encoded = encodeURIComponent(payload)
  const ascii = payload.replace(/[^ -~]/g, '?')

  test.each([
    ['data', `/shown/?x=${encoded}`, {}],
    ['a header that is shown', '/shown/', { 'x-odd': ascii }],
    ['a parameter of the path', `/named/${encoded.replaceAll('.', '%2e')}/`, {}],
    ['a path that is not there', `/nothing/${encoded}/`, {}],
    ['a format that is not there', `/shown/?format=${encoded}`, {}],
    ['a host', '/shown/', { host: ascii }],
  ])('as %s', async (_, path, headers) => {
    const { header, text } = await client(app).get(path, { headers: { ...html, ...headers } })
    expect(header('content-type')).toMatch(/^(?:text\/html|application\/json)/)
    if (header('content-type')?.startsWith('text/html'))
      expect(withoutOwnCode(text)).not.toMatch(ALIVE)
    expect(header('location')).toBeNull()
  })

  test('on the login page', async () => {
    const { get, post } = await attacked()
    const { cookies, text } = await get(`/login/?next=${encoded}`)
    expect(text).not.toMatch(ALIVE)
    const form = {
      username: payload,
      password: 'x',
      next: payload,
      csrfmiddlewaretoken: cookies['csrftoken'] ?? '',
    }
    const again = await post('/login/', { form, cookies })
    expect(again.status).toBe(200)
    expect(again.text).not.toMatch(ALIVE)
  })
})
