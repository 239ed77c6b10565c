import { describe, expect, test } from 'vitest'
import {
  BasicAuthentication,
  RemoteUserAuthentication,
  TokenAuthentication,
  configurationOf,
  defineApi,
} from '../../src/index.ts'
import type { Authenticator, PasswordVerifier, RemoteUserBackend } from '../../src/types.ts'
import { type More, type Row, throughDoors } from '../behaviour/doors.ts'
import { ada, tokens } from '../behaviour/fixtures.ts'
import { BELIEVING, FRONT, behindAFront } from '../behaviour/front.ts'

const users: PasswordVerifier & RemoteUserBackend = {
  authenticate: async (username, password) =>
    username === 'ada' && password === 'engine' ? ada : null,
  remoteUser: (username) => (username === 'ada' ? ada : null),
}
const api = defineApi({ urls: { basic: '/basic/', remote: '/remote/', token: '/token/' } })
let handled = 0
const write = async (request: { body: () => Promise<unknown> }) => {
  handled += 1
  return request.body()
}
const endpoint = (name: 'basic' | 'remote' | 'token', scheme: Authenticator) =>
  api
    .endpoint(name, { authentication: [scheme] })
    .get(() => 'read')
    .post(write)
    .put(write)
    .patch(write)
    .delete(write)
const app = api.serve(
  [
    endpoint('basic', new BasicAuthentication({ users })),
    endpoint('remote', new RemoteUserAuthentication({ users })),
    endpoint('token', new TokenAuthentication({ tokens })),
  ],
  {
    configuration: configurationOf({
      ...BELIEVING,
      CSRF_TRUSTED_ORIGINS: ['https://app.example.com', 'https://*.wild.org'],
    }),
  },
)

const CREDENTIALS: Readonly<Record<string, Record<string, string>>> = {
  basic: { authorization: `Basic ${btoa('ada:engine')}` },
  remote: { [FRONT]: 'ada' },
  token: { authorization: 'Token k-ada' },
}
const refused = {
  status: 403,
  text: /^\{"detail":"CSRF failed: [^"]*\(origin-mismatch\)"\}$/,
  headers: { 'www-authenticate': null },
}

const FOREIGN: readonly (readonly [title: string, headers: Record<string, string>])[] = [
  ['another site', { origin: 'http://evil.com' }],
  [
    'another site, as browsers say it',
    { origin: 'http://evil.com', 'sec-fetch-site': 'cross-site' },
  ],
  ['another site, by the browser alone', { 'sec-fetch-site': 'cross-site' }],
  ['a neighbour under the same domain', { 'sec-fetch-site': 'same-site' }],
  ['another port', { origin: 'http://localhost:81' }],
  ['another scheme', { origin: 'https://localhost' }],
  ['a page that hides', { origin: 'null' }],
  ['an origin that is trusted nearly', { origin: 'https://app.example.com.evil.com' }],
]
const OURS: readonly (readonly [title: string, headers: Record<string, string>])[] = [
  ['a program, which sends neither', {}],
  ['our own page', { origin: 'http://localhost', 'sec-fetch-site': 'same-origin' }],
  ['a person who typed the address', { 'sec-fetch-site': 'none' }],
  ['a trusted origin', { origin: 'https://app.example.com', 'sec-fetch-site': 'cross-site' }],
  ['one below a trusted domain', { origin: 'https://a.wild.org', 'sec-fetch-site': 'same-site' }],
]
const sending = (name: string, headers: Record<string, string>, more: More = {}): More => ({
  ...more,
  headers: { ...CREDENTIALS[name], ...headers },
})

describe('I18 credentials that browsers attach by themselves write for nobody else', () => {
  const rows = ['basic', 'remote'].flatMap((name): Row[] => [
    ...FOREIGN.flatMap(([title, headers]): Row[] =>
      ['POST', 'PUT', 'PATCH', 'DELETE'].map((method) => [
        `${name}: ${method} of ${title} is 403`,
        `${method} /${name}/`,
        refused,
        sending(name, headers),
      ]),
    ),
    ...OURS.map(([title, headers]): Row => [
      `${name}: POST of ${title} is as ever`,
      `POST /${name}/`,
      { status: 200, data: { a: 1 } },
      sending(name, headers, { json: { a: 1 } }),
    ]),
    [
      `${name}: another site may read, which changes nothing`,
      `GET /${name}/`,
      200,
      sending(name, { origin: 'http://evil.com', 'sec-fetch-site': 'cross-site' }),
    ],
    [
      `${name}: who names nobody is no concern of the scheme`,
      `POST /${name}/`,
      200,
      { headers: { origin: 'http://evil.com' } },
    ],
    [
      `${name}: before the body is read, so not 400`,
      `POST /${name}/`,
      refused,
      sending(
        name,
        { origin: 'http://evil.com', 'content-type': 'application/json' },
        { body: '{"broken' },
      ),
    ],
    [
      `${name}: and not 415`,
      `POST /${name}/`,
      refused,
      sending(name, { origin: 'null', 'content-type': 'image/png' }, { body: 'x' }),
    ],
    [
      `${name}: a client that reads problems reads a code`,
      `POST /${name}/`,
      { status: 403, text: /"code":"permission_denied"/ },
      sending(name, { origin: 'null', accept: 'application/problem+json, application/json' }),
    ],
    [
      `${name}: what differs by the origin says so`,
      `POST /${name}/`,
      { status: 200, headers: { vary: /Origin, Sec-Fetch-Site/ } },
      sending(name, {}, { json: {} }),
    ],
    [
      `${name}: what reads does not`,
      `GET /${name}/`,
      { status: 200, headers: { vary: /^(?!.*(?:Origin|Sec-Fetch))/ } },
      sending(name, {}),
    ],
  ])
  throughDoors(behindAFront(app), [
    ...rows,
    [
      'a token is attached by nobody but its owner',
      'POST /token/',
      { status: 200, data: { a: 1 } },
      sending('token', { origin: 'http://evil.com' }, { json: { a: 1 } }),
    ],
    [
      'a wrong password from another site costs no hash: it is refused before',
      'POST /basic/',
      refused,
      { headers: { authorization: `Basic ${btoa('ada:guess')}`, origin: 'http://evil.com' } },
    ],
  ])

  test('no handler has seen what was refused', async () => {
    handled = 0
    const init = { method: 'POST', headers: { ...CREDENTIALS['basic'], origin: 'http://evil.com' } }
    await app.fetch(new Request('http://localhost/basic/', init))
    expect(handled).toBe(0)
  })

  test('PUBLIC_URL is the origin of our own pages, where it is said', async () => {
    const own = defineApi({
      urls: { me: '/me/' },
      authentication: [new BasicAuthentication({ users })],
    })
    const configuration = configurationOf({
      ALLOWED_HOSTS: ['inside'],
      PUBLIC_URL: 'https://api.example.com',
    })
    const served = own.serve([own.endpoint('me').post(() => 'written')], { configuration })
    const ask = async (origin: string): Promise<number> => {
      const headers = { ...CREDENTIALS['basic'], origin }
      const init = { method: 'POST', headers }
      return (await served.fetch(new Request('http://inside/me/', init))).status
    }
    expect(await ask('https://api.example.com')).toBe(200)
    expect(await ask('http://inside')).toBe(403)
  })
})
