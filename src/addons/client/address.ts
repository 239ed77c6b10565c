import type { RouteTable, UrlTable } from '../../core/types/routes.ts'

/**
 * The paths of endpoints by full name: patterns as the application writes them (`/cities/:id<int>/`), or as OpenAPI does
 * (`/cities/{id}/`). Of several under one name, the first is taken that takes exactly what is given.
 */
export type Addresses = Readonly<Record<string, string | readonly string[]>>

/** A value of the query: `undefined` and `null` are left out, lists are joined by commas, as `__in` wants them. */
export type QueryValue = string | number | bigint | boolean | Date | null | undefined

/** The parameters behind the `?`. */
export type QueryValues = Readonly<Record<string, QueryValue | readonly QueryValue[]>>

type Values = Readonly<Record<string, unknown>>

/** An address, with the values for its parameters. */
export interface Place {
  readonly name: string
  readonly version: string | null
  readonly params: Values
  /** The version by the name of its parameter, which a path need not have. */
  readonly carried: Values
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
 * @throws TypeError there is no such name, or no path of it takes exactly the given parameters
 */
export function pathTo(routes: Addresses, place: Place): string {
  const { name, version, params, carried, query } = place
  const found = routes[`${version}:${name}`] ?? routes[name]
  if (found === undefined) throw new TypeError(`"routes" has no address "${name}".`)
  const paths = [found].flat()
  const all = { ...carried, ...params }
  // A path with a place for the version comes before one without.
  const tried = [all, params].flatMap((given) => paths.map((each) => fill(each, all, given)))
  const path = tried.find((each) => each !== null)
  if (path === undefined)
    throw new TypeError(
      `No path of "${name}" takes exactly these parameters (${Object.keys(params).join(', ')}), or one is empty: ${paths.join(', ')}.`,
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

/** A parameter is a whole segment, or stands in braces. */
const PARAMETER = /(?<=\/):(\w+)(?:<([^>]*)>)?|\{(\w+)\}/g

/** Fills in values; `null`: one is missing, or a given one has no place. A value of `<path>` may have slashes. */
function fill(pattern: string, values: Values, given: Values): string | null {
  const left = new Set(Object.keys(given).filter((name) => given[name] !== undefined))
  let isWhole = true
  const path = pattern.replace(
    PARAMETER,
    (_, one: string | undefined, kind: string | undefined, other: string) => {
      left.delete(one ?? other)
      const text = written(values[one ?? other] as QueryValue)
      const parts = kind === 'path' ? text.split('/') : [text]
      if (parts.some((part) => NO_SEGMENT.test(part))) isWhole = false
      return parts.map(encodeURIComponent).join('/')
    },
  )
  return isWhole && left.size === 0 ? path : null
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
