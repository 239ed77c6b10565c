import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  AcceptHeaderVersioning,
  type App,
  BaseVersioning,
  HostNameVersioning,
  type Incoming,
  NamespaceVersioning,
  PageNumberPagination,
  QueryParameterVersioning,
  URLPathVersioning,
  arraySource,
  configurationOf,
  defineApi,
  firstOf,
  include,
  list,
} from '../../../src/index.ts'
import type { Lookup, VersioningScheme } from '../../../src/types.ts'
import { client } from '../../../src/testing.ts'
import { CHARACTER } from '../../setup/characters.ts'

/** In which version a client asks, and what it goes on sending with every link that it follows. */
interface Client {
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
}
interface Scheme {
  readonly name: string
  readonly versioning: VersioningScheme
  /** How a client asks for this version at this path. */
  ask(version: string, path: string): Client
  /** What is a version here. */
  readonly versions: fc.Arbitrary<string>
}

class HeaderVersioning extends BaseVersioning {
  override determineVersion(request: Incoming): string | null {
    return this.allowed(request.header('x-version') ?? request.query.get('edition'), request)
  }

  reverse(
    { version, ...lookup }: Lookup,
    _request: unknown,
    next: (lookup: Omit<Lookup, 'version'>) => string,
  ): string {
    return version === null
      ? next(lookup)
      : `${next(lookup)}?edition=${encodeURIComponent(version)}`
  }
}

/** Texts that URLs have something to say about. */
const anyText = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        'v',
        '1',
        '.',
        '/',
        '?',
        '#',
        '%',
        '&',
        '=',
        '+',
        ' ',
        ';',
        'ü',
        '水',
        '%2F',
        '"',
      ),
      fc.string({ unit: CHARACTER, minLength: 1, maxLength: 2 }),
    ),
    { minLength: 1, maxLength: 12 },
  )
  .map((parts) => parts.join(''))
  .filter((text) => text.isWellFormed())
const label = fc.stringMatching(/^[a-zA-Z0-9]{1,20}$/)
const ascii = fc.stringMatching(/^[\x21-\x7e]{1,20}$/)
/** As it can stand between quotes. */
const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`
const accept = (version: string) => ({ accept: `application/json; version=${quoted(version)}` })

const SCHEMES: readonly Scheme[] = [
  {
    name: 'Accept header',
    versioning: new AcceptHeaderVersioning(),
    ask: (version, path) => ({ path, headers: accept(version) }),
    versions: ascii,
  },
  {
    name: 'URL path',
    versioning: new URLPathVersioning(),
    ask: (version, path) => ({ path: `/${encodeURIComponent(version)}${path}` }),
    versions: anyText.filter((text) => !/^\.\.?$/.test(text)),
  },
  {
    name: 'namespace',
    versioning: new NamespaceVersioning(),
    ask: (version, path) => ({ path: `/n/${version}${path}` }),
    versions: fc.constantFrom('v1', 'v2', 'v1/admin', 'shop/v2'),
  },
  {
    name: 'host name',
    versioning: new HostNameVersioning(),
    ask: (version, path) => ({ path, headers: { host: `${version}.example.com:8080` } }),
    versions: label,
  },
  {
    name: 'query parameter',
    versioning: new QueryParameterVersioning(),
    ask: (version, path) => ({ path: `${path}?version=${encodeURIComponent(version)}` }),
    versions: anyText,
  },
  {
    name: "a scheme of one's own",
    versioning: new HeaderVersioning(),
    ask: (version, path) => ({ path, headers: { 'x-version': version } }),
    versions: ascii,
  },
  {
    name: 'the first of path and query',
    versioning: firstOf([new URLPathVersioning(), new QueryParameterVersioning()]),
    ask: (version, path) => ({ path: `${path}?version=${encodeURIComponent(version)}` }),
    versions: anyText.filter((text) => !/^\.\.?$/.test(text)),
  },
]

const inner = { echo: '/echo/', item: '/items/:name/', items: '/items/' } as const
const both = (path: `/${string}`): readonly [`/${string}`, `/${string}`] => [
  path,
  `/:version${path}`,
]
const plain = { echo: both('/echo/'), item: both('/items/:name/'), items: both('/items/') }
const namespaced = {
  v1: include('/n/v1', { ...inner, admin: include('/admin', inner) }),
  v2: include('/n/v2', inner),
  shop: include('/n/shop', { v2: include('/v2', inner) }),
}
const NAMES = ['echo', 'item', 'items'] as const

interface Asked {
  readonly version: string | null
  readonly params: Readonly<Record<string, unknown>>
  readonly query: { get(name: string): string | null }
  reverse(name: string, params?: object): string
}

function serving(versioning: VersioningScheme): App {
  const nested = versioning instanceof NamespaceVersioning
  // Which names there are, the test knows better than the types.
  const urls = (nested ? namespaced : plain) as typeof plain
  const api = defineApi({
    urls,
    versioning,
    ...(nested && { allowedVersions: ['v1', 'v2'] }),
    pagination: new PageNumberPagination({ pageSize: 1 }),
  })
  const spaces = nested ? ['v1:', 'v2:', 'v1:admin:', 'shop:v2:'] : ['']
  const echo = (request: unknown) => {
    const { version, params, query, reverse } = request as Asked
    const name = query.get('name') ?? params['name'] ?? 'x'
    return { version, links: [reverse('echo'), reverse('items'), reverse('item', { name })] }
  }
  const items = list({
    source: arraySource([1, 2, 3]),
    serializer: {
      represent: (id: number, request: unknown) => {
        const { version, reverse } = request as Asked
        return { version, links: [reverse('item', { name: String(id) }), reverse('echo')] }
      },
    },
  })
  return api.serve(
    spaces.flatMap((space) =>
      NAMES.map((name) =>
        api.endpoint((space + name) as 'echo').get((name === 'items' ? items : echo) as never),
      ),
    ),
    { configuration: configurationOf({ ALLOWED_HOSTS: ['*'] }) },
  )
}

/** Every version that the pages behind a link say, four links deep; `names` leads further. */
async function versionsSeen(app: App, { path, headers = {} }: Client): Promise<Set<unknown>> {
  const seen = new Set<unknown>()
  const done = new Set<string>()
  let next = [path]
  for (let depth = 0; depth < 4; depth += 1) {
    const found: string[] = []
    for (const address of next.filter((each) => !done.has(each))) {
      done.add(address)
      const { status, data } = await client(app).get(address, { headers })
      expect({ address, status }).toEqual({ address, status: 200 })
      collect(data, seen, found)
    }
    next = found.map((link) => following(link, headers['host'] ?? 'localhost'))
  }
  return seen
}

/** A link goes to the host that was asked. */
function following(link: string, host: string): string {
  expect(link.startsWith(`http://${host}/`)).toBe(true)
  return link.slice(`http://${host}`.length)
}

function collect(data: unknown, seen: Set<unknown>, found: string[]): void {
  if (typeof data !== 'object' || data === null) return
  if ('version' in data) seen.add(data.version)
  for (const [name, member] of Object.entries(data)) {
    if (name === 'links') found.push(...(member as string[]))
    else if (name === 'next' || name === 'previous')
      found.push(...(member === null ? [] : [member as string]))
    else collect(member, seen, found)
  }
}

describe.each(SCHEMES)('$name: following any generated link keeps the version', (scheme) => {
  const app = serving(scheme.versioning)

  test('for every version, from every page', async () => {
    const name = anyText.filter((text) => !/^\.\.?$/.test(text))
    const start = fc.constantFrom('/echo/', '/items/')
    await fc.assert(
      fc.asyncProperty(scheme.versions, start, name, async (version, path, more) => {
        const asked = scheme.ask(version, path)
        const join = asked.path.includes('?') ? '&' : '?'
        const deeper = path === '/echo/' ? `${join}name=${encodeURIComponent(more)}` : ''
        const seen = await versionsSeen(app, { ...asked, path: asked.path + deeper })
        const expected = scheme.name === 'namespace' ? /v\d/.exec(version)![0] : version
        expect([...seen]).toEqual([expected])
      }),
      { numRuns: 60 },
    )
  })
})
