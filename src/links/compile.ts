import type { Route, UrlTable, Urls } from '../types/routes.ts'
import { flatten } from './flatten.ts'
import { type RoutePattern, createMatch } from './match.ts'
import { parametersOf, parsePattern } from './pattern.ts'
import { refusal } from './refusal.ts'
import { createReverse } from './reverse.ts'
import { type FormatSuffixes, type SuffixRule, toSuffixRule } from './suffix.ts'
import { toTemplate } from './template.ts'

export type { FormatSuffixes } from './suffix.ts'

export interface UrlOptions {
  /**
   * Lets every address end in a format: `/items.json` is then `/items/` with `params.format` `'json'`,
   * and `reverse` takes a `format`. The path as it stands wins, so `/items/:name` has the name `a.json`.
   *
   * @default false
   */
  readonly formatSuffixes?: FormatSuffixes
}

/**
 * Reads a table of addresses once, for both directions. Matching is exact, no slash is added or
 * forgiven; at each segment text goes before parameters, and narrow converters (a list of choices,
 * `int`, `uuid`, `slug`) before wide ones (`str`, `path`). Paths in the table are plain text, not
 * percent-encoded. Throws `ConfigurationError`, with the address and the fix, for a table that
 * cannot work.
 *
 * @example
 * const urls = compileUrls(defineUrls({ 'user-detail': '/users/:id<int>/' }))
 * urls.match('/users/7/')?.params // { id: 7 }
 * urls.reverse('user-detail', { id: 7 }) // '/users/7/'
 */
export function compileUrls(table: UrlTable, options: UrlOptions = {}): Urls {
  const suffixes = toSuffixRule(options.formatSuffixes ?? false)
  const addresses = flatten(table).flatMap(({ name, paths }) =>
    paths.map((path) => toRoutePattern(name, path, suffixes)),
  )
  return {
    routes: addresses.map(({ route }) => route),
    match: createMatch(addresses, suffixes),
    ...createReverse(
      addresses.map(({ route, segments }) => toTemplate(route, segments)),
      suffixes,
    ),
  }
}

function toRoutePattern(name: string, path: string, suffixes: SuffixRule | null): RoutePattern {
  const segments = parsePattern(name, path)
  const parameters = parametersOf(segments).map((parameter) => parameter.name)
  if (suffixes && parameters.includes('format')) {
    throw refusal(name, path, 'format suffixes are on and give the parameter "format". Rename it.')
  }
  return { route: toRoute(name, path, parameters), segments }
}

function toRoute(name: string, path: string, parameters: readonly string[]): Route {
  const parts = name.split(':')
  return { name, localName: parts.at(-1) ?? name, namespace: parts.slice(0, -1), path, parameters }
}
