import type { Include, UrlTable } from '../types/routes.ts'

/**
 * Names the addresses of an application. A path is text and parameters (`:name`, `:name<converter>`),
 * each a whole segment; several paths under one name are alternatives. Gives the table back as it is,
 * with the type of every parameter; what is wrong with it shows when it is compiled.
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
