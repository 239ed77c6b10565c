import { describe } from 'vitest'
import { HostNameVersioning, configurationOf, defineApi } from '../../src/index.ts'
import { throughDoors } from './doors.ts'
import { DETAIL, addresses, notebook } from './fixtures.ts'

const is = (version: string | null) => ({ status: 200, data: { version } })
const not = (status: 404) => ({ status, data: DETAIL, headers: { 'www-authenticate': null } })
const host = (text: string) => ({ headers: { host: text } })

/** Every policy is served at `/name/`. */
function serving(policies: Readonly<Record<string, object>>) {
  const urls = addresses(Object.keys(policies))
  const api = defineApi({ urls, logger: notebook() })
  return api.serve(
    Object.entries(policies).map(([name, policy]) =>
      api.endpoint(name, policy).get((request: { version: string | null }) => ({
        version: request.version,
      })),
    ),
    { configuration: configurationOf({ ALLOWED_HOSTS: ['*'] }) },
  )
}

describe('V50–V53 host name', () => {
  const versioning = new HostNameVersioning()
  const app = serving({
    free: { versioning },
    listed: { versioning, allowedVersions: ['v1', 'v2'] },
    default: { versioning, allowedVersions: ['v1'], defaultVersion: 'v0' },
    pattern: {
      versioning: new HostNameVersioning({ hostnameRegex: '^(v[0-9]+)\\.api\\.example\\.com$' }),
      defaultVersion: 'v0',
    },
    capitals: {
      versioning: new HostNameVersioning({ hostnameRegex: /^(V[12])\.Example\.com$/ }),
      allowedVersions: ['V1', 'V2'],
    },
    label: { versioning: new HostNameVersioning({ hostnameRegex: /^([a-z0-9]+)\./ }) },
    expression: { versioning: new HostNameVersioning({ hostnameRegex: /(v\d+)?\.?example/gi }) },
  })
  const cannot = { cannot: ['fetch door', 'the platform repairs hosts'] } as const
  throughDoors(app, [
    ['V50 the first of three labels', 'GET /free/', is('v1'), host('v1.example.com')],
    ['V50 without the port', 'GET /free/', is('v1'), host('v1.example.com:8080')],
    ['V51 two labels', 'GET /free/', is(null), host('example.com')],
    ['V51 four', 'GET /free/', is(null), host('v1.api.example.com')],
    ['V51 an address', 'GET /free/', is(null), host('192.0.2.7')],
    ['V51 an address with a port', 'GET /free/', is(null), host('192.0.2.7:81')],
    ['V51 an IPv6 literal', 'GET /free/', is(null), host('[2001:db8::1]')],
    ['V51 an IPv6 literal with a port', 'GET /free/', is(null), host('[::1]:8000')],
    ['V51 a hyphen', 'GET /free/', is(null), host('v-1.example.com')],
    ['V51 a hyphen anywhere', 'GET /free/', is(null), host('v1.my-shop.com')],
    ['V51 punycode has hyphens', 'GET /free/', is(null), host('v1.xn--bcher-kva.example')],
    ['a dot at the end names the same host', 'GET /free/', is('v1'), host('v1.example.com.')],
    ['before a port, too', 'GET /pattern/', is('v12'), host('v12.api.example.com.:81')],
    ['V51 localhost', 'GET /free/', is(null)],
    ['V51 an address, whatever the pattern', 'GET /label/', is(null), host('10.1.2.3:8000')],
    ['V52 any three labels', 'GET /free/', is('www'), host('www.example.com')],
    ['V52 case is kept', 'GET /free/', is('V1'), { ...host('V1.EXAMPLE.ORG'), ...cannot }],
    ['V52, V6 and counts', 'GET /listed/', not(404), { ...host('V1.example.org'), ...cannot }],
    [
      "a pattern of one's own knows no case",
      'GET /pattern/',
      is('v12'),
      { ...host('V12.API.example.com'), ...cannot },
    ],
    ['V6 the version is as the list has it', 'GET /capitals/', is('V2'), host('v2.example.com')],
    ['V52 digits', 'GET /free/', is('1'), { ...host('1.2.3'), ...cannot }],
    ['V8 allowed', 'GET /listed/', is('v2'), host('v2.example.com')],
    ['V8 not allowed', 'GET /listed/', not(404), host('v3.example.com')],
    ['V52 www is no version that was listed', 'GET /listed/', not(404), host('www.example.com')],
    ['V10 no version: no list is asked', 'GET /listed/', is(null), host('example.com')],
    ['V11 the default', 'GET /default/', is('v0'), host('example.com')],
    ['V4 the default is allowed', 'GET /default/', is('v0'), host('v0.example.com')],
    ["V50 a pattern of one's own", 'GET /pattern/', is('v12'), host('v12.api.example.com')],
    ['V50 which others do not fit', 'GET /pattern/', is('v0'), host('v12.example.com')],
    ['V50 an expression', 'GET /expression/', is('v3'), host('v3.example.com')],
    [
      'V50 which is not moved by what it matched',
      'GET /expression/',
      is('v3'),
      host('v3.example.com'),
    ],
    ['V50 matched from the beginning', 'GET /expression/', is(null), host('a.v3.example.com')],
    ['V50 a group that takes no part', 'GET /expression/', is(null), host('example.com')],
    ['V53 a malformed host', 'GET /free/', 400, { ...host('v1.exa mple.com'), ...cannot }],
    [
      'I11 caches whose key has no host are told',
      'GET /free/',
      { status: 200, headers: { vary: 'Accept, Host' } },
      host('v1.example.com'),
    ],
  ])
})
