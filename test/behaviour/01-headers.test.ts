import { describe } from 'vitest'
import { HTMLRenderer, JSONRenderer, NotFound, defineApi, reply } from '../../src/index.ts'
import { type Row, throughDoors } from './doors.ts'
import { counting, quiet, says } from './fixtures.ts'

const json = { renderers: [new JSONRenderer()] }
const api = defineApi({
  urls: {
    full: '/full/',
    posts: '/posts/',
    one: '/one/',
    silent: '/silent/',
    vary: '/vary/',
    varyOne: '/vary-one/',
    varyAll: '/vary-all/',
    allow: '/allow/',
    nothing: '/nothing/',
    undefined: '/undefined/',
    gone: '/gone/',
    empty: '/empty/',
    created: '/created/',
    missing: '/missing/',
    denied: '/denied/',
    throttled: '/throttled/',
    broken: '/broken/',
    typed: '/typed/',
    page: '/page/',
  },
  logger: { error: () => undefined },
})
const ok = () => 'ok'
const app = api.serve(
  [
    api.endpoint('full').get(ok).post(ok).put(ok).patch(ok).delete(ok),
    api.endpoint('posts').post(ok),
    api.endpoint('one', json).get(ok),
    api.endpoint('silent', { metadata: null }).get(ok),
    api.endpoint('vary').get(() => reply('ok', { headers: { Vary: 'Origin, accept' } })),
    api.endpoint('varyOne', json).get(() => reply('ok', { headers: { vary: 'Origin' } })),
    api.endpoint('varyAll').get(() => reply('ok', { headers: { Vary: 'Origin, *' } })),
    api.endpoint('allow').get(() => reply('ok', { headers: { allow: 'BREW', 'x-own': 'yes' } })),
    api.endpoint('nothing').get(() => null),
    api.endpoint('undefined').get(() => undefined),
    api.endpoint('gone').delete(() => reply(null, { status: 204 })),
    api.endpoint('empty').get(() => ''),
    api
      .endpoint('created')
      .post(() => reply({ id: 7 }, { status: 201, headers: { Location: '/7/' } })),
    api.endpoint('missing').get(() => {
      throw new NotFound()
    }),
    api.endpoint('denied', { permissions: [says(false)] }).get(ok),
    api.endpoint('throttled', { throttles: [counting(2.2)] }).get(ok),
    api.endpoint('broken').get(() => {
      throw new Error('a bug')
    }),
    api.endpoint('typed').get(() => reply('ok', { contentType: 'application/vnd.x+json; a=b' })),
    api.endpoint('page', { renderers: [new HTMLRenderer(), new JSONRenderer()] }).get(ok),
  ],
  quiet,
)

const ALL = 'GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS'
const READ = 'GET, HEAD, OPTIONS'
const html = { headers: { accept: 'text/html' } }

const allow: Row[] = [
  ['R41 the methods in their order', 'GET /full/', { status: 200, headers: { allow: ALL } }],
  [
    'R40 an error carries Allow: 404 of a handler',
    'GET /missing/',
    { status: 404, headers: { allow: READ } },
  ],
  ['R40 an error carries Allow: 403', 'GET /denied/', { status: 403, headers: { allow: READ } }],
  ['R40 an error carries Allow: 429', 'GET /throttled/', { status: 429, headers: { allow: READ } }],
  ['R40 an error carries Allow: 500', 'GET /broken/', { status: 500, headers: { allow: READ } }],
  [
    'R40 an error carries Allow: 406',
    'GET /full/',
    { status: 406, headers: { allow: ALL } },
    { headers: { accept: 'a/b' } },
  ],
  [
    'R41 HEAD is listed only where GET is',
    'POST /posts/',
    { status: 200, headers: { allow: 'POST, OPTIONS' } },
  ],
  [
    'R41 OPTIONS is always there',
    'OPTIONS /posts/',
    { status: 200, headers: { allow: 'POST, OPTIONS' } },
  ],
  [
    'R42 (its accident not repeated) without metadata OPTIONS is 405',
    'OPTIONS /silent/',
    { status: 405, headers: { allow: 'GET, HEAD' } },
  ],
  [
    'R45 an Allow of the handler does not count',
    'GET /allow/',
    { status: 200, headers: { allow: READ, 'x-own': 'yes' } },
  ],
]

const vary: Row[] = [
  ['R45 an asterisk says it all', 'GET /vary-all/', { status: 200, headers: { vary: '*' } }],
  [
    'R43 several renderers vary by Accept',
    'GET /full/',
    { status: 200, headers: { vary: 'Accept' } },
  ],
  ['R43 errors too', 'GET /missing/', { status: 404, headers: { vary: 'Accept' } }],
  ['R43 one renderer does not', 'GET /one/', { status: 200, headers: { vary: null } }],
  [
    'R45 a Vary of the handler stays, without duplicates',
    'GET /vary/',
    { status: 200, headers: { vary: /^(?=.*\bOrigin\b)(?!.*accept.*accept)[a-z, ]+$/i } },
  ],
  [
    'R45 and stands alone where nothing is added',
    'GET /vary-one/',
    { status: 200, headers: { vary: 'Origin' } },
  ],
  [
    'R44 nobody looked at a cookie',
    'GET /full/',
    { status: 200, headers: { vary: /^(?!.*cookie)/i } },
    { headers: { cookie: 'sessionid=x' } },
  ],
]

const bodies: Row[] = [
  [
    'R47 null is no body and no type',
    'GET /nothing/',
    { status: 200, text: '', headers: { 'content-type': null } },
  ],
  [
    'R47 undefined likewise',
    'GET /undefined/',
    { status: 200, text: '', headers: { 'content-type': null } },
  ],
  [
    'R47 204 likewise',
    'DELETE /gone/',
    { status: 204, text: '', headers: { 'content-type': null, 'content-length': null } },
  ],
  [
    'R47 an empty text is data',
    'GET /empty/',
    { status: 200, text: '""', headers: { 'content-type': 'application/json' } },
  ],
  [
    'a status and a header of the handler are sent',
    'POST /created/',
    { status: 201, data: { id: 7 }, headers: { location: '/7/' } },
  ],
  [
    'R48 a person is shown a page about 204, as 200',
    'DELETE /gone/',
    { status: 200, text: /HTTP 200 OK/, headers: { 'content-type': 'text/html; charset=utf-8' } },
    html,
  ],
  [
    'R48 no data is a page too',
    'GET /nothing/',
    {
      status: 200,
      text: /^<!doctype html>/,
      headers: { 'content-type': 'text/html; charset=utf-8' },
    },
    html,
  ],
  [
    'R48 other statuses of a page are the real ones',
    'GET /missing/',
    { status: 404, text: /HTTP 404 Not Found/ },
    html,
  ],
  [
    'N30 JSON has exactly its media type',
    'GET /full/',
    { status: 200, headers: { 'content-type': 'application/json' } },
  ],
  [
    'N30 a content type of the handler is sent verbatim',
    'GET /typed/',
    { status: 200, text: '"ok"', headers: { 'content-type': 'application/vnd.x+json; a=b' } },
  ],
  [
    'N21 without a wish the first renderer answers',
    'GET /page/',
    { status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } },
  ],
  [
    'E5 the wait of 429 is in whole seconds, rounded up',
    'GET /throttled/',
    { status: 429, headers: { 'retry-after': '3' } },
  ],
]

describe('R40–R42 Allow', () => {
  throughDoors(app, allow)
})
describe('R43–R45 Vary', () => {
  throughDoors(app, vary)
})
describe('R47, R48 bodies and their type', () => {
  throughDoors(app, bodies)
})
