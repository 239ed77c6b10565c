// A small service with one thing of everything, to change one of them.
import {
  BasicAuthentication,
  FieldFilter,
  IsAuthenticated,
  LimitOffsetPagination,
  OrderingFilter,
  PageNumberPagination,
  SearchFilter,
  TokenAuthentication,
  URLPathVersioning,
  arraySource,
  configurationOf,
  create,
  defineApi,
  defineUrls,
  destroy,
  field,
  list,
  retrieve,
  serializer,
} from '../../../src/index.ts'
import type { Authenticator, Permission, Throttle, VersionFacts } from '../../../src/types.ts'

// None of them is asked: documents are made without a request.
const verifier = { verify: () => null }
export const token = new TokenAuthentication({ tokens: verifier })
export const basic = new BasicAuthentication({ users: verifier as never })

export const pages = (options: object = {}) =>
  new PageNumberPagination({
    pageSize: 20,
    pageSizeQueryParam: 'page_size',
    maxPageSize: 100,
    ...options,
  })
export const offsets = new LimitOffsetPagination({ defaultLimit: 20 })

type Fields = Parameters<typeof serializer>[0]

/** What can be changed. */
export interface Parts {
  /** Of what is shown and read. */
  readonly fields: Fields
  readonly pagination: ReturnType<typeof pages> | typeof offsets | null
  readonly filterFields: readonly string[]
  readonly orderingFields: readonly string[]
  readonly searchFields: readonly string[]
  readonly authentication: readonly Authenticator[]
  readonly permissions: readonly Permission[]
  readonly toWrite: readonly Permission[]
  readonly methods: readonly ('get' | 'post')[]
  readonly detail: boolean
  readonly deletes: boolean
  readonly path: string
  readonly versions: readonly string[]
  readonly life: Readonly<Record<string, VersionFacts>>
  readonly throttles: readonly Throttle[]
  /** Does a handler that says nothing of itself show the list? */
  readonly plain: boolean
}

export const FIELDS = {
  id: field.integer({ readOnly: true }),
  name: field.text({ maxLength: 80 }),
  status: field.choice(['open', 'closed']),
  area: field.float(),
  opened: field.date({ nullable: true, required: false }),
  notes: field.text({ required: false }),
}

const PARTS: Parts = {
  fields: FIELDS,
  pagination: pages(),
  filterFields: ['status', 'area__lt'],
  orderingFields: ['name', 'area'],
  searchFields: ['name'],
  authentication: [token],
  permissions: [],
  toWrite: [new IsAuthenticated()],
  methods: ['get', 'post'],
  detail: true,
  deletes: true,
  path: 'cities',
  versions: ['v1', 'v2'],
  life: {},
  throttles: [],
  plain: false,
}

/** The service, with some of it changed. */
export function serviceWith(changed: Partial<Parts>) {
  const parts = { ...PARTS, ...changed }
  const api = defineApi({
    urls: defineUrls({
      'city-list': `/:version/${parts.path}/` as '/:version/cities/',
      ...(parts.detail && { 'city-detail': `/:version/cities/:id<int>/` as const }),
    }),
    versioning: new URLPathVersioning(),
    allowedVersions: parts.versions,
    versions: parts.life,
    authentication: parts.authentication,
    permissions: parts.permissions,
    pagination: parts.pagination,
    throttles: parts.throttles,
    filters: [new SearchFilter(), new OrderingFilter(), new FieldFilter()],
  } as never)
  return api.serve(endpointsOf(api as never, parts) as never, { configuration: configurationOf() })
}

interface AnyApi {
  endpoint(name: string): Record<string, (behaviour: unknown) => never>
}

function endpointsOf(api: AnyApi, parts: Parts): readonly unknown[] {
  const { filterFields, orderingFields, searchFields, toWrite } = parts
  const source = arraySource([
    { id: 1, name: 'a', status: 'open', area: 1, opened: null, notes: '' },
  ])
  const city = serializer(parts.fields)
  const one = { serializer: city, find: () => null, remove: () => {} } as never
  const behaviours = {
    get: parts.plain
      ? () => []
      : list({ source, serializer: city, filterFields, orderingFields, searchFields } as never),
    post: { ...create({ serializer: city, save: () => ({}) } as never), permissions: toWrite },
  }
  const cities = parts.methods.reduce<never>(
    (endpoint, method) =>
      (endpoint as Record<string, (b: unknown) => never>)[method]!(behaviours[method]),
    api.endpoint('city-list') as never,
  )
  if (!parts.detail) return [cities]
  const detail = api.endpoint('city-detail')['get']!(retrieve(one)) as Record<
    string,
    (b: unknown) => unknown
  >
  return [cities, parts.deletes ? detail['delete']!(destroy(one)) : detail]
}
