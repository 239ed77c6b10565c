import type { Match, Route, UrlTable } from '../types/routes.ts'
import { flattenTable, addressRefusal } from './address-table.ts'
import type { Converter } from './converters.ts'
import { keptIn } from '../std/once.ts'
import { decodeSegments, isDots } from './encoding.ts'
import { noReverseMatch } from './explain-no-link.ts'
import {
  type FormatSuffixes,
  type SuffixRule,
  splitSuffix,
  stemOf,
  toSuffixRule,
} from './format-suffix.ts'
import {
  type Segment,
  endsWithSlash,
  isRest,
  pathParameters,
  parsePattern,
} from './path-pattern.ts'
import { type Params, PathTemplates, toTemplate } from './templates.ts'

/** Both directions of an address table: from a path to its route, and from a route to its path. */
export interface Urls {
  readonly routes: readonly Route[]
  readonly templates: PathTemplates
  /**
   * The route of a path; the query behind the path does not matter. Throws `ParseError` if the percent-encoding is broken.
   */
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
  const addresses = flattenTable(table).flatMap(({ name, paths }) =>
    paths.map((path) => toRoutePattern(name, path, suffixes)),
  )
  const templates = new PathTemplates(
    addresses.map(({ route, segments }) => toTemplate(route, segments)),
    suffixes,
  )
  const pathTo = (name: string, params: Params = {}): string | null =>
    templates.find(templates.byName.get(name) ?? [], params)
  return {
    routes: addresses.map(({ route }) => route),
    templates,
    match: createMatch(addresses, suffixes),
    find: pathTo,
    reverse(name, params = {}) {
      const path = pathTo(name, params)
      if (path === null) throw noReverseMatch(name, params, templates)
      return path
    },
  }
}

function toRoutePattern(name: string, path: string, suffixes: SuffixRule | null): RoutePattern {
  const segments = parsePattern(name, path)
  const parameters = pathParameters(segments).map((parameter) => parameter.name)
  if (suffixes && parameters.includes('format')) {
    throw addressRefusal(
      name,
      path,
      'format suffixes are on and give the parameter "format". Rename it.',
    )
  }
  const parts = name.split(':')
  const localName = parts.at(-1) ?? name
  return {
    route: { name, localName, namespace: parts.slice(0, -1), path, parameters },
    segments,
  }
}

interface RoutePattern {
  readonly route: Route
  readonly segments: readonly Segment[]
}

/** Finds the route of a path: the path as it stands first, then, where suffixes are on, without its format. */
function createMatch(
  addresses: readonly RoutePattern[],
  suffixes: SuffixRule | null,
): (target: string) => Match | null {
  const plain = buildTrie(addresses, false)
  const stems = suffixes && buildTrie(addresses, true)
  const fixed = suffixes?.required ? new Map<string, Match>() : fixedPaths(addresses)
  return function match(target) {
    const cut = target.indexOf('?')
    const path = cut < 0 ? target : target.slice(0, cut)
    const known = fixed.get(path)
    if (known) return known
    const segments = decodeSegments(path)
    if (!path.startsWith('/')) return null
    const found = suffixes?.required ? null : find(plain, segments)
    if (found || !suffixes || !stems) return found
    const split = splitSuffix(segments, suffixes)
    return split && find(stems, split.stem, split.format)
  }
}

/** A trie of the paths, or of their stems. Two stems of one name may be the same, and then the first one is taken. */
function buildTrie(addresses: readonly RoutePattern[], ofStems: boolean): Node {
  const root = createNode()
  const fix = ofStems
    ? 'With a format suffix they are one. Change or remove one.'
    : 'Change or remove one of the two.'
  for (const { route, segments } of addresses) {
    const standing = insert(root, ofStems ? stemOf(segments) : segments, route)
    if (standing === null || (ofStems && standing.name === route.name)) continue
    const other = `"${standing.name}" (${standing.path})`
    throw addressRefusal(route.name, route.path, `it is the same address as ${other}. ${fix}`)
  }
  return root
}

/**
 * Paths without parameters, which are found in one step. A path with `%` is left out: the table has it as text, a request as
 * an escape.
 */
function fixedPaths(addresses: readonly RoutePattern[]): ReadonlyMap<string, Match> {
  const params: Match['params'] = Object.freeze(Object.create(null))
  const fixed = addresses
    .map(({ route }) => route)
    .filter(({ path, parameters }) => !parameters.length && !path.includes('%'))
  return new Map(fixed.map((route) => [route.path, { route, params }]))
}

/** Routes by segment. A node stands for the segments before it; every node is visited at most once per path. */
interface Node {
  readonly literals: Map<string, Node>
  /** Narrow converters first, then in the order written. */
  readonly branches: { readonly converter: Converter; readonly node: Node }[]
  /** The route that ends at this node. */
  route: Route | null
  /** Routes whose last parameter takes the rest of the path, without and with a slash after it. */
  rest: Route | null
  restWithSlash: Route | null
}

function createNode(): Node {
  return { literals: new Map(), branches: [], route: null, rest: null, restWithSlash: null }
}

/** Inserts a route at its segments, unless another route stands there: then it gives that route back. */
function insert(root: Node, segments: readonly Segment[], route: Route): Route | null {
  let node = root
  for (const segment of segments) {
    if (isRest(segment))
      return settle(node, endsWithSlash(segments) ? 'restWithSlash' : 'rest', route)
    node =
      typeof segment === 'string'
        ? keptIn(node.literals, segment, createNode)
        : branchOf(node, segment.converter)
  }
  return settle(node, 'route', route)
}

/** The route of these segments: at each one text goes before parameters, and narrow ones before wide ones. */
function find(root: Node, segments: readonly string[], format?: string): Match | null {
  const values: unknown[] = []
  const route = descend(root, 0, { segments, values })
  if (route === null) return null
  // The object has no prototype, so parameters that the path lacks are `undefined`.
  const params: Record<string, unknown> = Object.create(null)
  route.parameters.forEach((name, index) => {
    params[name] = values[index]
  })
  if (format !== undefined) params['format'] = format
  return { route, params }
}

function settle(node: Node, place: 'route' | 'rest' | 'restWithSlash', route: Route): Route | null {
  const standing = node[place]
  node[place] ??= route
  return standing
}

function branchOf(node: Node, converter: Converter): Node {
  const known = node.branches.find((branch) => branch.converter.key === converter.key)
  if (known) return known.node
  const next = createNode()
  node.branches.push({ converter, node: next })
  node.branches.sort((a, b) => a.converter.width - b.converter.width)
  return next
}

/** A path on its way through the nodes, with the values of its parameters so far. */
interface Walk {
  readonly segments: readonly string[]
  readonly values: unknown[]
}

function descend(node: Node, at: number, walk: Walk): Route | null {
  const segment = walk.segments[at]
  if (segment === undefined) return node.route
  const literal = node.literals.get(segment)
  return (
    (literal && descend(literal, at + 1, walk)) ??
    descendBranches(node, at, segment, walk) ??
    takeRest(node, at, walk)
  )
}

function descendBranches(node: Node, at: number, segment: string, walk: Walk): Route | null {
  for (const { converter, node: next } of node.branches) {
    const value = converter.parse(segment)
    if (value === undefined) continue
    walk.values.push(value)
    const route = descend(next, at + 1, walk)
    if (route) return route
    walk.values.pop()
  }
  return null
}

function takeRest({ rest, restWithSlash }: Node, at: number, walk: Walk): Route | null {
  if (rest === null && restWithSlash === null) return null
  const tail = walk.segments.slice(at)
  if (tail.some(isDots)) return null
  const text = tail.join('/')
  // The segments are asked, because a text may also end in a slash that was written `%2F`.
  const endsInSlash = restWithSlash !== null && tail.at(-1) === '' && text.length > 1
  const [route, value] = endsInSlash ? [restWithSlash, text.slice(0, -1)] : [rest, text]
  if (route === null || value === '') return null
  walk.values.push(value)
  return route
}
