// The same hundred rows, shown by a serializer and by hand, under each scheme.
import {
  type ApiRequest,
  type VersioningScheme,
  NamespaceVersioning,
  URLPathVersioning,
  configurationOf,
  defineApi,
  field,
  include,
  serializer,
} from 'colophon'

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

/** A scheme with the path that is before all addresses of its version. */
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

/** A request for the list under a scheme, and what all links of its answer begin with. */
export interface Asked {
  readonly name: string
  readonly request: ApiRequest
  readonly start: string
}

export async function askAll(): Promise<readonly Asked[]> {
  return Promise.all(settings.map(ask))
}

async function ask({ name, versioning, urls, prefix }: Setting): Promise<Asked> {
  const api = defineApi({ urls, versioning })
  let asked: ApiRequest | null = null
  const names = Object.keys(addresses) as (keyof typeof addresses)[]
  const app = api.serve(
    names.map((one) =>
      api.endpoint(one).get((request: ApiRequest) => {
        asked = request
        return null
      }),
    ),
    { configuration: configurationOf({ ALLOWED_HOSTS: ['api.example.com'] }) },
  )
  await app.fetch(new Request(`https://api.example.com${prefix}/articles/`))
  if (asked === null) throw new Error(`${name}: the request did not arrive.`)
  return { name, request: asked, start: `https://api.example.com${prefix}` }
}

/** Other serializers, used as much: a service has many, and what is fast for one only is of no use. */
export function useOthers(request: ApiRequest): void {
  const kinds = [field.integer(), field.text(), field.identity('user-detail')] as const
  for (let size = 2; size < 12; size++) {
    const fields = Object.fromEntries(
      Array.from({ length: size }, (_, i) => [`member_${i}`, kinds[(i + size) % 3]!]),
    )
    const row = { id: size, ...Object.fromEntries(Object.keys(fields).map((name) => [name, size])) }
    const other = serializer(fields)
    for (let i = 0; i < 2000; i++) {
      other.represent(row as never, request)
      other.toJSONText(row as never, request)
    }
  }
}
