import { ConfigurationError } from '../errors/configuration-error.ts'

/** The addresses of a resource: of all of it, and of one (X1). */
export type ResourceUrls<
  Name extends string,
  Prefix extends `/${string}`,
  Lookup extends string,
> = {
  readonly [K in `${Name}-list`]: Prefix
} & { readonly [K in `${Name}-detail`]: DetailPath<Prefix, Lookup> }

/** With a slash at its end where the prefix has one. */
type DetailPath<Prefix extends `/${string}`, Lookup extends string> = Prefix extends `${string}/`
  ? `${Prefix}${Lookup}/`
  : `${Prefix}/${Lookup}`

/**
 * The two addresses of a resource, as lines for `defineUrls`: `article-list` is the prefix, and
 * `article-detail` has the parameter behind it that one of them is found by. Actions get lines of their own.
 *
 * @throws ConfigurationError the last one is no parameter
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
