import type { Include, UrlTable } from '../types/routes.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'

/**
 * Names the addresses of an application. A path is text and parameters (`:name`, `:name<converter>`),
 * each a whole segment; several paths under one name are alternatives. `serve` refuses what cannot work.
 *
 * @example
 * const urls = defineUrls({
 *   'article-list': '/articles/',
 *   'article-detail': '/articles/:id<int>/',
 *   v1: include('/v1', { 'report-list': '/reports/' }), // v1:report-list is /v1/reports/
 * })
 */
export function defineUrls<const T extends UrlTable>(table: T): T {
  return table
}

/**
 * Mounts a table under a prefix. Its name in the outer table is its namespace: the names in it are
 * reached as `namespace:name`. The prefix may hold parameters.
 *
 * @example
 * defineUrls({ v1: include('/v1', { 'report-list': '/reports/' }) })
 */
export function include<const P extends `/${string}`, const T extends UrlTable>(
  prefix: P,
  table: T,
): Include<P, T> {
  return { prefix, table }
}

/** The addresses of a resource: of all of it, and of one (X1). */
export type ResourceUrls<
  Name extends string,
  Prefix extends `/${string}`,
  Lookup extends string,
> = {
  readonly [K in `${Name}-list`]: Prefix
} & { readonly [K in `${Name}-detail`]: DetailPath<Prefix, Lookup> }

type DetailPath<Prefix extends `/${string}`, Lookup extends string> = Prefix extends `${string}/`
  ? `${Prefix}${Lookup}/`
  : `${Prefix}/${Lookup}`

/**
 * The two addresses of a resource, for `defineUrls`: `article-list` is the prefix, and `article-detail` has
 * the parameter `lookup` behind it. Actions get lines of their own.
 *
 * @throws ConfigurationError `lookup` is no parameter
 * @example
 * const urls = defineUrls({
 *   ...resourceUrls('article', '/articles/', ':id<int>'),
 *   'article-publish': '/articles/:id<int>/publish/',
 * })
 */
export function resourceUrls<
  const Name extends string,
  const Prefix extends `/${string}`,
  const Lookup extends `:${string}`,
>(name: Name, prefix: Prefix, lookup: Lookup): ResourceUrls<Name, Prefix, Lookup> {
  if (!lookup.startsWith(':')) {
    throw new ConfigurationError(
      `resourceUrls("${name}"): "${lookup}" must be a parameter, such as ":id<int>".`,
    )
  }
  const detail = prefix.endsWith('/') ? `${prefix}${lookup}/` : `${prefix}/${lookup}`
  const table = { [`${name}-list`]: prefix, [`${name}-detail`]: detail }
  return table as ResourceUrls<Name, Prefix, Lookup>
}

/** The error that refuses an address of the table, with its name and path in front. */
export function addressRefusal(
  name: string,
  path: string | null,
  problem: string,
): ConfigurationError {
  const address = path === null ? `"${name}"` : `"${name}" (${path})`
  return new ConfigurationError(`Address ${address}: ${problem}`)
}

/** An entry of the table with everything that the includes around it add. */
interface NamedAddress {
  readonly name: string
  readonly paths: readonly string[]
}

/** The addresses in the order of the table. Refuses a name that occurs twice. */
export function flattenTable(table: UrlTable): NamedAddress[] {
  const addresses = openTable(table, '', '')
  const seen = new Set<string>()
  for (const { name } of addresses) {
    if (seen.has(name))
      throw addressRefusal(name, null, 'the name occurs twice. Rename one of the two.')
    seen.add(name)
  }
  return addresses
}

function openTable(table: UrlTable, namespace: string, prefix: string): NamedAddress[] {
  return Object.entries(table).flatMap(([key, entry]: [string, unknown]) => {
    const name = checkName(namespace + key)
    if (isInclude(entry))
      return openTable(entry.table, `${name}:`, join(prefix, checkPath(name, entry.prefix)))
    const paths: readonly unknown[] = Array.isArray(entry) ? entry : [entry]
    if (!paths.length) throw addressRefusal(name, null, 'it has no path. Write at least one.')
    return { name, paths: paths.map((path) => join(prefix, checkPath(name, path))) }
  })
}

/** A colon in a key is the same as an include, so names with empty parts would be ambiguous. */
function checkName(name: string): string {
  if (!name.split(':').includes('')) return name
  throw addressRefusal(name, null, 'a part of the name is empty. Write "name" or "namespace:name".')
}

function checkPath(name: string, path: unknown): string {
  if (typeof path !== 'string') {
    throw addressRefusal(name, null, 'write a path, a list of paths or include(prefix, table).')
  }
  if (path.startsWith('/')) return path
  throw addressRefusal(name, path, `a path starts with a slash. Write "/${path}".`)
}

function isInclude(entry: unknown): entry is Include<string, UrlTable> {
  return typeof entry === 'object' && entry !== null && 'prefix' in entry && 'table' in entry
}

/** A slash at the end of the prefix and the one at the start of the path are one slash. */
function join(prefix: string, path: string): string {
  return prefix.endsWith('/') ? prefix.slice(0, -1) + path : prefix + path
}
