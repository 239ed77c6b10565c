import {
  AcceptHeaderVersioning,
  type ApiRequest,
  type App,
  BaseVersioning,
  HostNameVersioning,
  type Incoming,
  NamespaceVersioning,
  QueryParameterVersioning,
  URLPathVersioning,
  ValidationError,
  configurationOf,
  defineApi,
  field,
  firstOf,
  include,
  reply,
  serializer,
} from '../../src/index.ts'
import type { UrlTable, VersioningScheme } from '../../src/types.ts'
import { notebook } from './fixtures.ts'

/** A scheme of one's own that shows in links: nobody may take them for uniform. */
class OwnVersioning extends BaseVersioning {
  override determineVersion(request: Incoming): string | null {
    return this.allowed(request.query.get('api'), request)
  }

  reverse(
    lookup: { name: string; params: Readonly<Record<string, unknown>>; version: string | null },
    _request: ApiRequest,
    next: (lookup: { name: string; params: Readonly<Record<string, unknown>> }) => string,
  ): string {
    return `${next(lookup)}?api=${lookup.version}`
  }
}

const addresses = {
  'note-list': '/notes/',
  'note-detail': '/notes/:id<int>/',
  'user-detail': '/users/:id<int>/',
  'tag-detail': '/tags/:name/',
  lost: '/lost/',
} as const
const inPath = Object.fromEntries(
  Object.entries(addresses).map(([name, path]) => [name, `/:version<v1|v2>${path}` as const]),
)
const inNamespaces = { v1: include('/v1', addresses), v2: include('/v2', addresses) }

/** A scheme with what its requests look like, and its links. */
export interface Linked {
  readonly name: string
  readonly versioning: VersioningScheme | null
  readonly urls: UrlTable
  /** Path and headers of a request in a version. */
  readonly ask: (path: string, version: string) => readonly [path: string, headers?: object]
  /** The address of a path in a version, as links have it. */
  readonly link: (path: string, version: string) => string
}

const here = (path: string): string => `http://localhost${path}`
const inQuery = (param: string) => (path: string, version: string) =>
  `${path}${path.includes('?') ? '&' : '?'}${param}=${version}`
const beforePath = (path: string, version: string): string => `/${version}${path}`
const host = (version: string): string => `${version}.example.com`

export const SCHEMES: readonly Linked[] = [
  {
    name: 'no scheme',
    versioning: null,
    urls: addresses,
    ask: (path) => [path],
    link: here,
  },
  {
    name: 'Accept',
    versioning: new AcceptHeaderVersioning(),
    urls: addresses,
    ask: (path, version) => [path, { accept: `application/json; version=${version}` }],
    link: here,
  },
  {
    name: 'path',
    versioning: new URLPathVersioning(),
    urls: inPath,
    ask: (path, version) => [beforePath(path, version)],
    link: (path, version) => here(beforePath(path, version)),
  },
  {
    name: 'namespace',
    versioning: new NamespaceVersioning(),
    urls: inNamespaces,
    ask: (path, version) => [beforePath(path, version)],
    link: (path, version) => here(beforePath(path, version)),
  },
  {
    name: 'host',
    versioning: new HostNameVersioning(),
    urls: addresses,
    ask: (path, version) => [path, { host: host(version) }],
    link: (path, version) => `http://${host(version)}${path}`,
  },
  {
    name: 'query',
    versioning: new QueryParameterVersioning(),
    urls: addresses,
    ask: (path, version) => [inQuery('version')(path, version)],
    link: (path, version) => here(inQuery('version')(path, version)),
  },
  {
    name: "one's own",
    versioning: new OwnVersioning(),
    urls: addresses,
    ask: (path, version) => [inQuery('api')(path, version)],
    link: (path, version) => here(inQuery('api')(path, version)),
  },
  {
    name: 'Accept, then the query',
    versioning: firstOf([new AcceptHeaderVersioning(), new QueryParameterVersioning()]),
    urls: addresses,
    ask: (path, version) => [inQuery('version')(path, version)],
    link: (path, version) => here(inQuery('version')(path, version)),
  },
]

/** Who there is. */
const PEOPLE = new Map([
  [1, { id: 1, name: 'Ada' }],
  [2, { id: 2, name: 'Bob' }],
])

export const note = serializer({
  url: field.identity('note-detail'),
  author: field.hyperlink(
    { route: 'user-detail', find: (id) => PEOPLE.get(id) },
    { source: 'author_id', nullable: true },
  ),
  readers: field.list(
    field.hyperlink({
      route: 'user-detail',
      findAll: async (ids) => new Map([...PEOPLE].filter(([id]) => ids.includes(id))),
    }),
    { source: 'reader_ids', required: false },
  ),
  tag: field.hyperlink(
    { route: 'tag-detail', param: 'name', key: field.text() },
    { source: 'tag_name', required: false },
  ),
})

const ROWS = [
  { id: 7, author_id: 1, reader_ids: [1, 2], tag_name: 'a/ü' },
  { id: 8, author_id: null, reader_ids: [], tag_name: "it's" },
]

/** What a body comes to: the input, or the codes of what is wrong. */
async function read(request: ApiRequest): Promise<unknown> {
  try {
    return await note.parse(await request.body(), request)
  } catch (error) {
    if (error instanceof ValidationError) return reply(error.codes, { status: 400 })
    throw error
  }
}

/** GET shows two notes, POST reads one. */
export function linkedService({ versioning, urls }: Pick<Linked, 'versioning' | 'urls'>): App {
  const logger = notebook()
  const allowedVersions = versioning === null ? null : ['v1', 'v2']
  const api = defineApi({ urls, versioning, allowedVersions, logger, formatSuffixes: ['json'] })
  // The table is one of several: nobody knows its names before the program runs.
  const endpoint = (name: string) => api.endpoint(name as never)
  const show = (request: ApiRequest): unknown => ROWS.map((row) => note.represent(row, request))
  const rest = Object.keys(addresses).slice(1)
  return api.serve(
    [
      endpoint('note-list').get(show).post(read),
      ...rest.map((name) => endpoint(name).get(() => name)),
    ],
    { configuration: configurationOf({ ALLOWED_HOSTS: ['localhost', '.example.com'] }) },
  )
}
