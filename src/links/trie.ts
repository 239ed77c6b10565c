import type { Route } from '../types/routes.ts'
import type { Converter } from './converters.ts'
import { isDots } from './encoding.ts'
import { type Segment, endsWithSlash, isRest } from './pattern.ts'

/** Routes by segment. A node stands for the segments before it; every node is visited at most once per path. */
export interface Node {
  readonly literals: Map<string, Node>
  /** Narrow converters first, then in the order written. */
  readonly branches: Branch[]
  /** The route that ends here. */
  route: Route | null
  /** The routes whose last parameter takes everything from here, without and with a slash after it. */
  rest: Route | null
  restWithSlash: Route | null
}

interface Branch {
  readonly converter: Converter
  readonly node: Node
}

/** A route, and its values in path order. */
export interface Found {
  readonly route: Route
  readonly values: readonly unknown[]
}

export function createNode(): Node {
  return { literals: new Map(), branches: [], route: null, rest: null, restWithSlash: null }
}

/** Puts a route where its segments lead. Gives back the route that stands there already, and then changes nothing. */
export function insert(root: Node, segments: readonly Segment[], route: Route): Route | null {
  let node = root
  for (const segment of segments) {
    if (isRest(segment))
      return settle(node, endsWithSlash(segments) ? 'restWithSlash' : 'rest', route)
    node =
      typeof segment === 'string' ? literalOf(node, segment) : branchOf(node, segment.converter)
  }
  return settle(node, 'route', route)
}

/** The route of these segments: at each one text goes before parameters, and narrow ones before wide ones. */
export function find(root: Node, segments: readonly string[]): Found | null {
  const values: unknown[] = []
  const route = descend(root, segments, 0, values)
  return route && { route, values }
}

function settle(node: Node, place: 'route' | 'rest' | 'restWithSlash', route: Route): Route | null {
  const standing = node[place]
  node[place] ??= route
  return standing
}

function literalOf(node: Node, text: string): Node {
  const next = node.literals.get(text) ?? createNode()
  node.literals.set(text, next)
  return next
}

function branchOf(node: Node, converter: Converter): Node {
  const known = node.branches.find((branch) => branch.converter.key === converter.key)
  if (known) return known.node
  const next = createNode()
  node.branches.push({ converter, node: next })
  node.branches.sort((a, b) => a.converter.width - b.converter.width)
  return next
}

function descend(
  node: Node,
  segments: readonly string[],
  at: number,
  values: unknown[],
): Route | null {
  const segment = segments[at]
  if (segment === undefined) return node.route
  const literal = node.literals.get(segment)
  return (
    (literal && descend(literal, segments, at + 1, values)) ??
    descendBranches(node, segments, at, segment, values) ??
    takeRest(node, segments, at, values)
  )
}

function descendBranches(
  node: Node,
  segments: readonly string[],
  at: number,
  segment: string,
  values: unknown[],
): Route | null {
  for (const { converter, node: next } of node.branches) {
    const value = converter.parse(segment)
    if (value === undefined) continue
    values.push(value)
    const route = descend(next, segments, at + 1, values)
    if (route) return route
    values.pop()
  }
  return null
}

function takeRest(
  node: Node,
  segments: readonly string[],
  at: number,
  values: unknown[],
): Route | null {
  if (node.rest === null && node.restWithSlash === null) return null
  if (segments.slice(at).some(isDots)) return null
  const ends = node.restWithSlash !== null && segments.at(-1) === ''
  const beforeSlash = ends ? segments.slice(at, -1).join('/') : ''
  if (beforeSlash !== '') {
    values.push(beforeSlash)
    return node.restWithSlash
  }
  const rest = node.rest ? segments.slice(at).join('/') : ''
  if (rest === '') return null
  values.push(rest)
  return node.rest
}
