import type { Match, Route, UrlTable } from '../types/routes.ts'
import { flatten, refusal } from './address-table.ts'
import { noReverseMatch } from './explain-no-link.ts'
import { type FormatSuffixes, type SuffixRule, toSuffixRule } from './format-suffix.ts'
import { type RoutePattern, createMatch } from './match.ts'
import { parametersOf, parsePattern } from './path-pattern.ts'
import { type Params, Templates, toTemplate } from './templates.ts'

/** Both sides of an address table: which route a path is, and which path a route is. */
export interface Urls {
  readonly routes: readonly Route[]
  readonly templates: Templates
  /** The route of a path, whatever query stands behind it. Throws `ParseError` where the percent-encoding is broken. */
  match(target: string): Match | null
  /** Throws `NoReverseMatch`. */
  reverse(name: string, params?: Params): string
  /** `null` where `reverse` would throw, without the cost of an error. */
  find(name: string, params?: Params): string | null
}

/**
 * Reads a table of addresses once, for both directions. Matching is exact, no slash is added or
 * forgiven; at each segment text goes before parameters, and narrow converters before wide ones. Paths
 * in the table are plain text, not percent-encoded. A path as it stands wins over one with a format
 * suffix, so `/items/:name` has the name `a.json`.
 */
export function compileUrls(
  table: UrlTable,
  { formatSuffixes = false }: { readonly formatSuffixes?: FormatSuffixes } = {},
): Urls {
  const suffixes = toSuffixRule(formatSuffixes)
  const addresses = flatten(table).flatMap(({ name, paths }) =>
    paths.map((path) => toRoutePattern(name, path, suffixes)),
  )
  const templates = new Templates(
    addresses.map(({ route, segments }) => toTemplate(route, segments)),
    suffixes,
  )
  const find = (name: string, params: Params = {}): string | null =>
    templates.find(templates.byName.get(name) ?? [], params)
  return {
    routes: addresses.map(({ route }) => route),
    templates,
    match: createMatch(addresses, suffixes),
    find,
    reverse(name, params = {}) {
      const path = find(name, params)
      if (path === null) throw noReverseMatch(name, params, templates)
      return path
    },
  }
}

function toRoutePattern(name: string, path: string, suffixes: SuffixRule | null): RoutePattern {
  const segments = parsePattern(name, path)
  const parameters = parametersOf(segments).map((parameter) => parameter.name)
  if (suffixes && parameters.includes('format')) {
    throw refusal(name, path, 'format suffixes are on and give the parameter "format". Rename it.')
  }
  const parts = name.split(':')
  const localName = parts.at(-1) ?? name
  return {
    route: { name, localName, namespace: parts.slice(0, -1), path, parameters },
    segments,
  }
}
