import type { RouteTable, UrlTable } from '../../core/types/routes.ts'

/**
 * Where endpoints are, by full name: patterns as the application writes them (`/cities/:id<int>/`), or as OpenAPI
 * does (`/cities/{id}/`). Of several under one name, the first whose parameters are all there is taken.
 */
export type Addresses = Readonly<Record<string, string | readonly string[]>>

/** A value of the query: `undefined` and `null` are left out, lists are joined by commas, as `__in` wants them. */
export type QueryValue = string | number | bigint | boolean | Date | null | undefined

/** What stands behind the `?`. */
export type QueryValues = Readonly<Record<string, QueryValue | readonly QueryValue[]>>

/** Which address is meant, and what stands in it. */
export interface Place {
  readonly name: string
  readonly version: string | null
  readonly params: Readonly<Record<string, unknown>>
  readonly query: QueryValues
}

/**
 * The addresses of an application by name, of the same table that it is served with. The table is plain data in a
 * module of its own, so a page takes nothing else of the service with it.
 *
 * @example
 * import { urls } from '../service/urls.ts'
 * const client = createClient<typeof app, 'v2'>({ routes: routesOf(urls), baseUrl, version: 'v2' })
 */
export function routesOf<const T extends UrlTable>(urls: T): RouteTable<T> {
  return flat(urls, '', '') as RouteTable<T>
}

function flat(table: UrlTable, namespace: string, prefix: string): Addresses {
  const entries = Object.entries(table).map(([name, place]): Addresses => {
    const full = namespace + name
    if (typeof place === 'object' && 'table' in place)
      return flat(place.table, `${full}:`, joined(prefix, place.prefix))
    return { [full]: [place].flat().map((path) => joined(prefix, path)) }
  })
  return Object.assign({}, ...entries) as Addresses
}

function joined(prefix: string, path: string): string {
  return prefix.replace(/\/$/, '') + path
}

/**
 * The path of an endpoint in the version, its namespace first, with the query.
 *
 * @throws TypeError there is no such name, or a parameter of its path has no value
 */
export function pathTo(routes: Addresses, place: Place): string {
  const { name, version, params, query } = place
  const found = routes[`${version}:${name}`] ?? routes[name]
  if (found === undefined) throw new TypeError(`"routes" has no address "${name}".`)
  const path = [found].flat().reduce<string | null>((made, one) => made ?? fill(one, params), null)
  if (path === null)
    throw new TypeError(
      `A parameter of "${name}" is missing or no part of a path: ${[found].flat().join(', ')}.`,
    )
  const text = textOf(query)
  return text === '' ? path : `${path}?${text}`
}

/**
 * Path and query of a link in a page. Credentials go to no other origin, and a list does not lead there.
 *
 * @throws TypeError it leads to another origin
 */
export function pathWithin(base: URL, link: string, page: string): string {
  const { origin, pathname, search } = new URL(link, new URL(page, base))
  if (origin === base.origin) return pathname + search
  throw new TypeError(
    `The next page is at ${origin}, and credentials are for ${base.origin} alone. If both are the service, set its PUBLIC_URL.`,
  )
}

/** An empty segment, or one of dots, which would lead elsewhere. */
const NO_SEGMENT = /^\.{0,2}$/

/** Fills in the parameters of a pattern; `null`: one is missing. A value of `<path>` may have slashes. */
function fill(pattern: string, params: Place['params']): string | null {
  let isWhole = true
  const path = pattern.replace(
    /:(\w+)(?:<([^>]*)>)?|\{(\w+)\}/g,
    (_, one: string | undefined, kind: string | undefined, other: string) => {
      const text = written(params[one ?? other] as QueryValue)
      const parts = kind === 'path' ? text.split('/') : [text]
      if (parts.some((part) => NO_SEGMENT.test(part))) isWhole = false
      return parts.map(encodeURIComponent).join('/')
    },
  )
  return isWhole ? path : null
}

function textOf(query: QueryValues): string {
  const text = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    const values = [value].flat().filter((one) => one !== undefined && one !== null)
    if (values.length > 0 || Array.isArray(value)) text.set(name, values.map(written).join(','))
  }
  return text.toString()
}

function written(value: QueryValue): string {
  return value instanceof Date ? value.toISOString() : String(value ?? '')
}
