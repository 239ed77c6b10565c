// SEC34, I21: no origin is admitted that the configuration does not name. More: test/core/settings/cors.test.ts,
// test/behaviour/decisions-origins.test.ts, and in a browser test/browser/cors.test.ts.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { configurationOf, defineApi } from '../../src/index.ts'
import type { CorsPolicy } from '../../src/types.ts'
import { client } from '../../src/testing.ts'
import { lines, raw } from '../core/serving/sockets.ts'
import { onSocket } from './service.ts'

const served = (cors: CorsPolicy) => {
  const api = defineApi({ urls: { here: '/here/' }, cors, logger: { error: () => {} } })
  return api.serve([api.endpoint('here').get(() => 'here')], { configuration: configurationOf() })
}
const policy = { origins: ['https://app.example.com', 'https://*.example.org'], credentials: true }
const { url } = await onSocket(served(policy))

/** Every header by which an answer grants something, as it is sent. */
async function grants(method: 'GET' | 'OPTIONS', ...origins: readonly string[]): Promise<string[]> {
  const text = await raw(
    url,
    lines(
      `${method} /here/ HTTP/1.1`,
      'Host: localhost',
      ...origins.map((origin) => `Origin: ${origin}`),
      ...(method === 'OPTIONS' ? ['Access-Control-Request-Method: PUT'] : []),
      'Connection: close',
    ),
  )
  expect(text).toMatch(/^HTTP\/1\.1 20[04] /)
  expect(text).toMatch(/^Vary: .*\bOrigin\b/m)
  return text.match(/^access-control-[^\r]*/gim) ?? []
}

test.each(['https://app.example.com', 'https://a.b.example.org'])('%s is ours', async (origin) => {
  for (const method of ['GET', 'OPTIONS'] as const) {
    const granted = await grants(method, origin)
    expect(granted).toContain(`Access-Control-Allow-Origin: ${origin}`)
    expect(granted).toContain('Access-Control-Allow-Credentials: true')
  }
})

describe.each(['GET', 'OPTIONS'] as const)('%s grants nothing to', (method) => {
  test.each([
    ['anyone', 'https://evil.net'],
    ['a page that hides its origin', 'null'],
    ['a page that hides its origin, in capitals', 'NULL'],
    ['a star', '*'],
    ['no text', ''],
    ['our name as the beginning of another', 'https://app.example.com.evil.net'],
    ['our name as the end of another', 'https://evilapp.example.com'],
    ['our domain as the end of another', 'https://evilexample.org'],
    ['our domain with a dash', 'https://evil-example.org'],
    ['our domain as the beginning of another', 'https://a.example.org.evil.net'],
    ['our name as a user', 'https://app.example.com@evil.net'],
    ['our name behind a user', 'https://evil.net@app.example.com'],
    ['our name as a path', 'https://evil.net/app.example.com'],
    ['our domain as a path', 'https://evil.net/.example.org'],
    ['our domain as a fragment', 'https://evil.net#.example.org'],
    ['our domain as a query', 'https://evil.net?.example.org'],
    ['our domain behind a backslash', 'https://evil.net\\.example.org'],
    ['our domain behind a port', 'https://evil.net:443.example.org'],
    ['our domain behind a character that a pattern may take for a dot', 'https://appXexample.com'],
    ['a host below one that stands alone', 'https://a.app.example.com'],
    ['the same name without encryption', 'http://app.example.com'],
    ['the same name at another port', 'https://app.example.com:8443'],
    ['a host of ours at another port', 'https://a.example.org:8443'],
    ['the port of the scheme, which browsers leave out', 'https://app.example.com:443'],
    ['capitals, which no browser sends', 'https://APP.example.com'],
    ['a scheme in capitals', 'HTTPS://app.example.com'],
    ['a dot at the end', 'https://app.example.com.'],
    ['a slash at the end', 'https://app.example.com/'],
    ['a space within', 'https://evil.net .example.org'],
    ['a tab within', 'https://evil.net\t.example.org'],
    ['two of them in one line', 'https://app.example.com, https://evil.net'],
    ['two of them, as a list', 'https://app.example.com https://app.example.com'],
    ['an empty label', 'https://.example.org'],
    ['percent-encoding', 'https://evil.net%2f.example.org'],
    ['letters beyond ASCII', 'https://app.exämple.org'],
    ['a text of 15 kB', `https://${'a.'.repeat(7500)}example.org`],
  ])('%s', async (_, origin) => {
    expect(await grants(method, origin)).toEqual([])
  })

  test('two headers, in either order', async () => {
    expect(await grants(method, 'https://app.example.com', 'https://evil.net')).toEqual([])
    expect(await grants(method, 'https://evil.net', 'https://app.example.com')).toEqual([])
    expect(await grants(method, 'https://app.example.com', 'https://app.example.com')).toEqual([])
  })
})

describe('whatever is configured, and whatever is sent', () => {
  const label = fc.constantFrom('a', 'app', 'evil', 'example', 'com', 'net', 'xn--bcher-kva', '1')
  const host = fc
    .tuple(
      fc.array(label, { minLength: 1, maxLength: 3 }),
      fc.constantFrom('com', 'net', 'example'),
    )
    .map(([labels, last]) => [...labels, last].join('.'))
  const scheme = fc.constantFrom('http', 'https', 'capacitor')
  const port = fc.constantFrom('', ':80', ':443', ':8080')
  const origin = fc.tuple(scheme, host, port).map(([s, h, p]) => `${s}://${h}${p}`)
  const pattern = fc
    .tuple(scheme, fc.constantFrom('', '*.'), host, fc.oneof(port, fc.constant(':*')))
    .map(([s, star, h, p]) => `${s}://${star}${h}${p}`)
  const insertion = fc.constantFrom('.', '-', '@', '/', ':', '\\', ' ', '*', 'x', '.evil.net', 'A')
  const changed = fc.tuple(origin, fc.nat(), insertion).map(([text, at, piece]) => {
    const place = at % (text.length + 1)
    return text.slice(0, place) + piece + text.slice(place)
  })

  /** The same question asked of the platform's own reading of URLs, label by label. */
  function isNamed(sent: string, configured: string): boolean {
    const any = configured.endsWith(':*')
    const below = configured.includes('://*.')
    const wanted = new URL(configured.replace('://*.', '://').replace(/:\*$/, ''))
    const read = URL.parse(sent)
    if (read === null || read.protocol !== wanted.protocol) return false
    // What browsers send has one spelling.
    if (`${read.protocol}//${read.host}` !== sent) return false
    if (!any && read.port !== wanted.port) return false
    const labels = read.hostname.split('.')
    // The platform takes more for a host than names can be: `https://*.example.com` is one to it.
    if (!labels.every((each) => /^[a-z0-9-]+$/.test(each))) return false
    const ours = wanted.hostname.split('.')
    const end = below ? labels.slice(-ours.length) : labels
    return end.length === ours.length && end.every((each, at) => each === ours[at])
  }

  test('an origin is admitted if, and only if, it is one of those configured', async () => {
    let admitted = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(pattern, { minLength: 1, maxLength: 4 }),
        fc.boolean(),
        fc.array(fc.oneof(origin, changed, fc.string(), pattern), { minLength: 1, maxLength: 20 }),
        async (origins, credentials, sent) => {
          const app = served({ origins, credentials })
          // Those that were configured are among those that are sent.
          for (const each of [
            ...sent,
            ...origins.map((text) => text.replace('*.', 'a.').replace(/:\*$/, ':1')),
          ]) {
            const { header } = await client(app).get('/here/', { headers: { origin: each } })
            const allowed = header('access-control-allow-origin')
            const expected = origins.some((text) => isNamed(each, text))
            expect({ each, allowed }).toEqual({ each, allowed: expected ? each : null })
            expect(header('access-control-allow-credentials')).toBe(
              expected && credentials ? 'true' : null,
            )
            if (expected) admitted += 1
          }
        },
      ),
      { numRuns: 300 },
    )
    expect(admitted).toBeGreaterThan(100)
  })
})
