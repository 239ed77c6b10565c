// The same hundred rows, shown by a serializer and by hand, with each versioning scheme.
import {
  type ApiRequest,
  NamespaceVersioning,
  URLPathVersioning,
  configurationOf,
  defineApi,
  field,
  include,
  serializer,
} from 'colophon'
import type { VersioningScheme } from 'colophon/types'

export interface Row {
  readonly id: number
  readonly author_id: number
  readonly editor_id: number
  readonly team_id: number
  readonly parent_id: number
}

export const rows: readonly Row[] = Array.from({ length: 100 }, (_, i) => ({
  id: (i * 7919) % 100_000,
  author_id: (i * 31) % 5000,
  editor_id: i * (i % 3 === 0 ? 3 : 17),
  team_id: i % 50,
  parent_id: i * 13,
}))

export const article = serializer({
  url: field.identity('article-detail'),
  author: field.hyperlink('user-detail', { source: 'author_id' }),
  editor: field.hyperlink('user-detail', { source: 'editor_id' }),
  team: field.hyperlink('team-detail', { source: 'team_id' }),
  parent: field.hyperlink('article-detail', { source: 'parent_id' }),
})

const addresses = {
  'article-list': '/articles/',
  'article-detail': '/articles/:id<int>/',
  'user-detail': '/users/:id<int>/',
  'team-detail': '/teams/:id<int>/',
} as const

/** A scheme, and the path before all addresses of its version. */
interface Setting {
  readonly name: string
  readonly versioning: VersioningScheme | null
  readonly urls: Parameters<typeof defineApi>[0]['urls']
  readonly prefix: string
}

const settings: readonly Setting[] = [
  { name: 'no scheme', versioning: null, urls: addresses, prefix: '' },
  {
    name: 'path',
    versioning: new URLPathVersioning(),
    urls: Object.fromEntries(
      Object.entries(addresses).map(([name, path]) => [name, `/:version${path}` as const]),
    ),
    prefix: '/v1',
  },
  {
    name: 'namespace',
    versioning: new NamespaceVersioning(),
    urls: { v1: include('/v1', addresses) },
    prefix: '/v1',
  },
]

/** A service with a scheme, and the beginning of all links in its answers. */
export interface Service {
  readonly name: string
  readonly start: string
  /** Requests for the list in the form that its handler gets. */
  requests(count: number): Promise<readonly ApiRequest[]>
}

export const services: readonly Service[] = settings.map(serve)

function serve({ name, versioning, urls, prefix }: Setting): Service {
  const api = defineApi({ urls, versioning })
  const asked: ApiRequest[] = []
  const keep = (request: ApiRequest): null => {
    asked.push(request)
    return null
  }
  // The table is one of three, so its names are known only when the program runs.
  const endpoints = Object.keys(addresses).map((one) => api.endpoint(one as never).get(keep))
  const configuration = configurationOf({ ALLOWED_HOSTS: ['api.example.com'] })
  const app = api.serve(endpoints, { configuration })
  const start = `https://api.example.com${prefix}`
  return {
    name,
    start,
    async requests(count) {
      for (let i = 0; i < count; i++) await app.fetch(new Request(`${start}/articles/`))
      return asked.splice(0)
    },
  }
}

/** Uses other serializers as much, because a service has many, and code that is fast for one only is useless. */
export function useOthers(request: ApiRequest): void {
  const kinds = [field.integer(), field.text(), field.identity('user-detail')] as const
  for (let size = 2; size < 12; size++) {
    const fields = Object.fromEntries(
      Array.from({ length: size }, (_, i) => [`member_${i}`, kinds[(i + size) % 3]!]),
    )
    const row = { id: size, ...Object.fromEntries(Object.keys(fields).map((name) => [name, size])) }
    const other = serializer(fields)
    for (let i = 0; i < 2000; i++) other.represent(row, request)
  }
}
