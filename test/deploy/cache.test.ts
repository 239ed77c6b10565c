import { join } from 'node:path'
import { request as send } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Nginx, startNginx } from '../../scripts/servers/nginx.ts'
import {
  AcceptHeaderVersioning,
  type App,
  BaseVersioning,
  HostNameVersioning,
  type Incoming,
  JSONRenderer,
  NamespaceVersioning,
  QueryParameterVersioning,
  URLPathVersioning,
  configurationOf,
  defineApi,
  firstOf,
  include,
} from '../../src/index.ts'
import type { Authenticator, VersioningScheme } from '../../src/types.ts'
import { type RunningServer, serve } from '../../src/node.ts'

// A cache with everything as nginx has it by default: its key is the path and the query alone, without
// the host. It honours `Vary` and `Cache-Control`; what says nothing of its age is kept for a minute.
const config = (port: number, folder: string, upstream: string): string => `
  proxy_cache_path ${join(folder, 'cache')} keys_zone=answers:1m;
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass ${upstream};
      proxy_set_header Host $http_host;
      proxy_cache answers;
      proxy_cache_valid 200 404 406 1m;
      add_header X-Cache $upstream_cache_status always;
    }
  }
`

interface Answer {
  readonly status: number
  readonly body: string
  /** `HIT`: nobody asked the service. */
  readonly cache: string
}
type Asked = readonly [path: string, headers?: Readonly<Record<string, string>>]

class HeaderVersioning extends BaseVersioning {
  override determineVersion(request: Incoming): string | null {
    return this.allowed(request.header('x-version'), request)
  }
}

/** Each scheme, with what clients of two versions send. */
const SCHEMES: readonly [
  name: string,
  versioning: VersioningScheme,
  ask: (version: string) => Asked,
][] = [
  [
    'accept',
    new AcceptHeaderVersioning(),
    (version) => ['/accept/', { accept: `application/json; version=${version}` }],
  ],
  ['path', new URLPathVersioning(), (version) => [`/path/${version}/`]],
  ['namespace', new NamespaceVersioning(), (version) => [`/${version}/namespace/`]],
  ['host', new HostNameVersioning(), (version) => ['/host/', { host: `${version}.example.com` }]],
  ['query', new QueryParameterVersioning(), (version) => [`/query/?version=${version}`]],
  ['header', new HeaderVersioning(), (version) => ['/header/', { 'x-version': version }]],
  [
    'first',
    firstOf([new QueryParameterVersioning(), new HeaderVersioning()]),
    (version) => ['/first/', { 'x-version': version }],
  ],
]

/** Whoever sends a name is somebody; the answer depends on nothing else. */
const byName: Authenticator = {
  authenticate(request) {
    const name = request.header('authorization')
    return name === null ? null : { user: { name }, auth: null }
  },
}

let asked = 0
function service(): App {
  const inner = { namespace: '/namespace/' } as const
  const api = defineApi({
    urls: {
      accept: '/accept/',
      path: '/path/:version/',
      v1: include('/v1', inner),
      v2: include('/v2', inner),
      v3: include('/v3', inner),
      host: '/host/',
      query: '/query/',
      header: '/header/',
      first: '/first/',
      me: '/me/',
      mine: '/mine/',
    },
    // One renderer: nothing but the version chooses.
    renderers: [new JSONRenderer()],
    allowedVersions: ['v1', 'v2'],
    logger: { error: () => {} },
  })
  const tell = ({ version, user }: { version: string | null; user: unknown }) => {
    asked += 1
    return { version, user: (user as { name?: string }).name ?? null }
  }
  const versioned = SCHEMES.map(([name, versioning]) =>
    api.endpoint(name as 'query', { versioning }).get(tell),
  )
  const authentication = [byName]
  const said = { allowedVersions: null, authentication }
  return api.serve(
    [
      ...versioned,
      api.endpoint('me', said).get(tell),
      api.endpoint('mine', { ...said, versioning: new QueryParameterVersioning() }).get(tell),
    ],
    { configuration: configurationOf({ ALLOWED_HOSTS: ['*'] }) },
  )
}

let nginx: Nginx
let behind: RunningServer
beforeAll(async () => {
  behind = await serve(service(), { port: 0 })
  nginx = await startNginx({ config: ({ port, folder }) => config(port, folder, behind.url) })
})
afterAll(async () => {
  await nginx.stop()
  await behind.close()
})

describe.each(SCHEMES)('%s', (_name, _versioning, ask) => {
  test('clients of two versions never get each other’s body', async () => {
    const before = asked
    for (const round of ['MISS', 'HIT', 'HIT']) {
      for (const version of ['v1', 'v2']) {
        const answer = await get(...ask(version))
        expect(answer).toEqual({ status: 200, body: bodyOf(version), cache: round })
      }
    }
    expect(asked - before).toBe(2)
  })

  test('nor a refusal that was for another version', async () => {
    const refused = await get(...ask('v3'))
    expect([404, 406]).toContain(refused.status)
    expect(await get(...ask('v3'))).toEqual({ ...refused, cache: 'HIT' })
    // Errors vary by Accept too. nginx keeps one list of headers for each address, so it may ask again.
    expect(await get(...ask('v1'))).toMatchObject({ status: 200, body: bodyOf('v1') })
  })
})

describe.each(['/me/', '/mine/?version=v1'])(
  'I11 authenticated answers are not shared: %s',
  (path) => {
    const userOf = ({ body }: Answer): unknown => (JSON.parse(body) as { user: unknown }).user

    test('a named user is asked for again, every time', async () => {
      for (const name of ['ada', 'bob', 'ada']) {
        const answer = await get(path, { authorization: name })
        expect(userOf(answer)).toBe(name)
        expect(answer.cache).not.toBe('HIT')
      }
    })

    test('what nobody in particular was shown is shared with nobody who is somebody', async () => {
      expect(userOf(await get(path))).toBeNull()
      expect(await get(path)).toMatchObject({ cache: 'HIT' })
      expect(userOf(await get(path, { authorization: 'ada' }))).toBe('ada')
      expect(userOf(await get(path))).toBeNull()
    })
  },
)

const bodyOf = (version: string): string => JSON.stringify({ version, user: null })

/** Without the repairs of `fetch`, which has no say in `Host`. */
function get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  send(`${nginx.url}${path}`, { headers }, (response) => {
    const chunks: Buffer[] = []
    response.on('data', (chunk: Buffer) => chunks.push(chunk))
    response.on('error', reject)
    response.on('end', () =>
      resolve({
        status: response.statusCode!,
        body: Buffer.concat(chunks).toString(),
        cache: String(response.headers['x-cache']),
      }),
    )
  })
    .on('error', reject)
    .end()
  return promise
}
