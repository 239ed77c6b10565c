import { describe, expect, test } from 'vitest'
import { configurationOf, defineApi, defineUrls, readConfiguration } from '../../../src/index.ts'
import type { CorsPolicy } from '../../../src/types.ts'
import { client } from '../../../src/testing.ts'

const api = defineApi({ urls: { here: '/here/' } })
const here = api.endpoint('here').get(() => 'here')
const served = (CORS: unknown) => api.serve([here], { configuration: configurationOf({ CORS }) })

/** What a page of an origin is granted. */
const grantedTo = async (app: ReturnType<typeof served>, origin = 'https://app.example.com') => {
  const { header } = await client(app).get('/here/', { headers: { origin } })
  return header('access-control-allow-origin')
}

const ORIGINS = ['https://app.example.com']

describe('refused when the service starts', () => {
  test.each<[problem: string, value: unknown]>([
    [
      'must be a list of origins such as "https://app.example.com", an object with "origins", or null, but is true.',
      true,
    ],
    [
      'wants "origins" to be a list of origins such as "https://app.example.com", "*", or in code a function, and got undefined.',
      {},
    ],
    [
      'wants "origins" to be a list of origins such as "https://app.example.com", "*", or in code a function, and got "https://app.example.com".',
      { origins: 'https://app.example.com' },
    ],
    ['has no member "orgins". Did you mean "origins"?', { orgins: ORIGINS }],
    [
      'has no member "exposeHeaders". Did you mean "exposedHeaders"?',
      { origins: ORIGINS, expose_headers: [] },
    ],
    ['lists no origin: say null to switch it off.', []],
    ['lists no origin: say null to switch it off.', { origins: [] }],
    [
      'admits every origin ("*") with credentials: any site could act in the name of your users. List the origins, or leave "credentials" out.',
      { origins: '*', credentials: true },
    ],
    [
      'admits every origin ("*") with credentials: any site could act in the name of your users. List the origins, or leave "credentials" out.',
      { origins: ['*'], credentials: true },
    ],
    [
      'admits the origin "null" with credentials, and any site can make a page of that origin. Take "null" out of the list, or leave "credentials" out.',
      { origins: ['https://app.example.com', 'null'], credentials: true },
    ],
    [
      'lists "*", which makes the other origins needless: say "*" alone.',
      ['https://a.example', '*'],
    ],
    ['lists 7, which is no text.', [7]],
    ['lists "", which is no text.', ['']],
    [
      'lists "app.example.com", which has no scheme: write "https://app.example.com".',
      ['app.example.com'],
    ],
    [
      'lists "*.example.com", which has no scheme: write "https://*.example.com".',
      ['*.example.com'],
    ],
    [
      'lists "https://app.example.com/", which is more than an origin: write "https://app.example.com".',
      ['https://app.example.com/'],
    ],
    [
      'lists "https://jane@app.example.com:443/a?b#c", which is more than an origin: write "https://app.example.com".',
      ['https://jane@app.example.com:443/a?b#c'],
    ],
    ...['http://*', 'https://*:443', 'https://*:*', 'https://*/'].map((wide): [string, unknown] => [
      `lists "${wide}", which admits every host: name one, such as "https://*.example.com".`,
      [wide],
    ]),
    [
      'lists "https://*.com", which admits every site that ends in ".com": name the domain that is yours, such as "https://*.example.com".',
      ['https://*.com'],
    ],
    ...[
      'https://app-*.example.com',
      '*://app.example.com',
      'https://*.*.example.com',
      'https://*.1.2.3.4',
      'http://localhost:3*',
    ].map((odd): [string, unknown] => [
      `lists "${odd}", where "*" stands in the wrong place: before a host, "https://*.example.com", or for the port, "http://localhost:*".`,
      [odd],
    ]),
    ...['https://', 'https://app example.com', 'https://app.example.com:65536'].map(
      (none): [string, unknown] => [
        `lists "${none}", which is no origin such as "https://app.example.com".`,
        [none],
      ],
    ),
    [
      'wants "credentials" to be true or false, and got "yes".',
      { origins: ORIGINS, credentials: 'yes' },
    ],
    [
      'wants "exposedHeaders" to be a list of header names such as "X-Request-Id", and got ["X Id"].',
      { origins: ORIGINS, exposed_headers: ['X Id'] },
    ],
    [
      'wants "exposedHeaders" to be a list of header names such as "X-Request-Id", and got ["*"].',
      { origins: ORIGINS, exposed_headers: ['*'] },
    ],
    [
      'wants "allowedHeaders" to be a list of header names such as "X-Request-Id", and got ["A\\r\\nB"].',
      { origins: ORIGINS, allowed_headers: ['A\r\nB'] },
    ],
    [
      'wants "methods" to be a list of methods: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS, and got ["get"].',
      { origins: ORIGINS, methods: ['get'] },
    ],
    ...[-1, 1.5, 86_401, '600'].map((maxAge): [string, unknown] => [
      `wants "maxAge" to be a number of seconds from 0 to 86400, and got ${JSON.stringify(maxAge)}.`,
      { origins: ORIGINS, max_age: maxAge },
    ]),
  ])('%s', (problem, value) => {
    expect(() => served(value)).toThrow(`CORS (configuration) ${problem}`)
  })

  const wrong: CorsPolicy = { origins: '*', credentials: true }
  test.each([
    [
      'api: "cors" admits',
      () => defineApi({ urls: { here: '/here/' }, cors: wrong }).serve([here]),
    ],
    [
      'group: "cors" admits',
      () =>
        api.serve([
          api
            .group({ cors: wrong })
            .endpoint('here')
            .get(() => 1),
        ]),
    ],
    [
      'endpoint here: "cors" admits',
      () => api.serve([api.endpoint('here', { cors: wrong }).get(() => 1)]),
    ],
    [
      'CORS (environment) admits',
      () =>
        api.serve([here], {
          configuration: readConfiguration({
            cwd: '/nowhere',
            env: { COLOPHON_CORS: '{"origins": ["*"], "credentials": true}' },
          }),
        }),
    ],
  ])('naming the layer: %s', (start, serve) => {
    expect(serve).toThrow(start)
  })
})

describe('the forms of the key', () => {
  const [FOREIGN, APP] = ['https://evil.net', 'https://app.example.com']
  test.each<[title: string, value: unknown, app: string | null, foreign: string | null]>([
    ['a list', [APP], APP, null],
    ['an object', { origins: [APP], max_age: 5 }, APP, null],
    ['every origin', { origins: '*' }, '*', '*'],
    ['every origin, as a list', ['*'], '*', '*'],
    ['capitals and the port of the scheme', ['HTTPS://APP.example.com:443'], APP, null],
    ['hosts below', ['https://*.example.com'], APP, null],
    ['hosts below a name that is for sale to no one', ['https://*.localhost', APP], APP, null],
    ['null', null, null, null],
  ])('%s', async (_, value, app, foreign) => {
    const service = served(value)
    expect([await grantedTo(service), await grantedTo(service, FOREIGN)]).toEqual([app, foreign])
  })

  test.each([
    ['one text', APP],
    ['texts with commas', `https://other.example.com, ${APP}`],
    ['JSON', `{"origins": ["${APP}"], "credentials": true}`],
  ])('in the environment: %s', async (_, COLOPHON_CORS) => {
    const configuration = readConfiguration({ cwd: '/nowhere', env: { COLOPHON_CORS } })
    const app = api.serve([here], { configuration })
    expect([await grantedTo(app), await grantedTo(app, FOREIGN)]).toEqual([APP, null])
  })
})

test('the innermost layer counts, nothing merges, and null switches off', async () => {
  const urls = defineUrls({ a: '/a/', b: '/b/', c: '/c/' })
  const root = defineApi({ urls, cors: { origins: ['https://root.example'] } })
  const group = root.group({ cors: { origins: ['https://group.example'] } })
  const app = root.serve(
    [
      root.endpoint('a').get(() => 1),
      group.endpoint('b').get(() => 1),
      group.endpoint('c', { cors: null }).get(() => 1),
    ],
    { configuration: configurationOf({ CORS: ['https://operator.example'] }) },
  )
  const admitted = async (path: string) => {
    const names = ['root', 'operator', 'group']
    const answers = names.map((name) =>
      client(app).get(path, { headers: { origin: `https://${name}.example` } }),
    )
    return (await Promise.all(answers)).map(({ header }) => header('access-control-allow-origin'))
  }
  expect(await admitted('/a/')).toEqual([null, 'https://operator.example', null])
  expect(await admitted('/b/')).toEqual([null, null, 'https://group.example'])
  expect(await admitted('/c/')).toEqual([null, null, null])
  // What has no address has the api's own.
  expect(await admitted('/none/')).toEqual([null, 'https://operator.example', null])
})
