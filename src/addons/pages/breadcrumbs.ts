// The place of a page among the addresses of the service: the endpoints above it, and those one segment below.
import { ParseError } from '../../core/errors/api-errors.ts'
import type { contextOf } from '../../core/pipeline/context.ts'
import { withQuery } from '../../core/std/http/query.ts'
import type { Match } from '../../core/types/routes.ts'

type Context = ReturnType<typeof contextOf>

/** An address with its name. */
export interface NamedLink {
  readonly name: string
  readonly url: string
  readonly isCurrent: boolean
}

/** The most segments that become breadcrumbs: a client's path may have thousands. */
const MOST_CRUMBS = 24

/** The endpoints at the beginnings of the path, the shortest first (W3), with or without a trailing slash, and none twice. */
export function breadcrumbsOf(request: Context): readonly NamedLink[] {
  const { path } = request
  const found: (NamedLink & { readonly match: Match })[] = []
  for (const cut of ['/', ...beginnings(path)]) {
    const match = matchAt(cut, request)
    if (match === null || isSame(match, found.at(-1)?.match)) continue
    const name = titleOf(match.route.name, request)
    found.push({ name, url: withFormat(cut, request), isCurrent: cut === path, match })
  }
  return found.map(({ name, url, isCurrent }) => ({ name, url, isCurrent }))
}

/** Served addresses one segment below: extra actions (W9), and the resources that belong to this object. */
export function furtherFrom(request: Context): readonly NamedLink[] {
  const { path, urls, params, suffixed } = request
  const own = matchAt(path, request)?.route
  if (own === undefined || suffixed) return []
  const start = shapeOf(own.path.endsWith('/') ? own.path : `${own.path}/`)
  const further = urls.routes.filter((route) => {
    const shape = shapeOf(route.path)
    return shape.startsWith(start) && /^[^/:]+\/?$/.test(shape.slice(start.length))
  })
  return further.flatMap(({ name, parameters }) => {
    // A child has another name for the key of its parent.
    const given = parameters.map((each, at) => [each, params[own.parameters[at]!]] as const)
    const url = urls.find(name, Object.fromEntries(given))
    return url === null ? [] : [{ name: titleOf(name, request), url, isCurrent: false }]
  })
}

/** The route of an address; `null`: no route matches, or the address cannot be read. */
export function matchAt(target: string, { urls }: Context): Match | null {
  try {
    return urls.match(target)
  } catch (error) {
    if (error instanceof ParseError) return null
    throw error
  }
}

/** A path without the names of its parameters: `/notes/:/lines/`. */
function shapeOf(path: string): string {
  return path.replaceAll(/:\w+(?:<[^>]*>)?/g, ':')
}

/** `/a/b/` → `/a`, `/a/`, `/a/b`, `/a/b/`. */
function beginnings(path: string): readonly string[] {
  const slashes = [...path.matchAll(/(?!^)\//g)].slice(0, MOST_CRUMBS / 2)
  const cuts = slashes.flatMap(({ index: at }) => [path.slice(0, at), path.slice(0, at + 1)])
  return cuts.includes(path) || path === '/' ? cuts : [...cuts, path]
}

function isSame(match: Match, other: Match | undefined): boolean {
  return (
    match.route.name === other?.route.name &&
    JSON.stringify(match.params) === JSON.stringify(other.params)
  )
}

function titleOf(name: string, { service }: Context): string {
  return service.endpoints.get(name)!.facts.title
}

function withFormat(url: string, { query, settings }: Context): string {
  const parameter = settings.urlFormatOverride
  const format = parameter === null ? null : query.peek(parameter)
  return parameter === null || format === null ? url : withQuery(url, parameter, format)
}
