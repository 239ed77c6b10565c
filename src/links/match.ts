import type { Match, Route, Urls } from '../types/routes.ts'
import { decodeSegments } from './encoding.ts'
import type { Segment } from './pattern.ts'
import { refusal } from './refusal.ts'
import { type SuffixRule, splitSuffix, stemOf } from './suffix.ts'
import { type Found, type Node, createNode, find, insert } from './trie.ts'

/** A route with its path read. */
export interface RoutePattern {
  readonly route: Route
  readonly segments: readonly Segment[]
}

/** Finds the route of a path: the path as it stands first, then, where suffixes are on, without its format. */
export function createMatch(
  addresses: readonly RoutePattern[],
  suffixes: SuffixRule | null,
): Urls['match'] {
  const plain = buildTrie(addresses)
  const stems = suffixes && buildStems(addresses)
  const fixed = suffixes?.required ? new Map<string, Match>() : fixedPaths(addresses)
  return function match(path) {
    const known = fixed.get(path)
    if (known) return known
    const segments = decodeSegments(path)
    if (!path.startsWith('/')) return null
    const found = suffixes?.required ? null : find(plain, segments)
    if (found) return toMatch(found)
    return suffixes && stems && matchSuffix(stems, segments, suffixes)
  }
}

function buildTrie(addresses: readonly RoutePattern[]): Node {
  const root = createNode()
  for (const { route, segments } of addresses) {
    const standing = insert(root, segments, route)
    if (standing) throw ambiguous(route, standing, 'Change or remove one of the two.')
  }
  return root
}

/** Two paths of one name may differ in the last slash only: the first is then taken. */
function buildStems(addresses: readonly RoutePattern[]): Node {
  const root = createNode()
  for (const { route, segments } of addresses) {
    const standing = insert(root, stemOf(segments), route)
    if (standing && standing.name !== route.name) {
      throw ambiguous(route, standing, 'With a format suffix they are one. Change or remove one.')
    }
  }
  return root
}

function ambiguous(route: Route, standing: Route, fix: string): Error {
  const other = `"${standing.name}" (${standing.path})`
  return refusal(route.name, route.path, `it is the same address as ${other}. ${fix}`)
}

/** Paths without parameters, found in one step. One with `%` is left out: there it is text, in a request an escape. */
function fixedPaths(addresses: readonly RoutePattern[]): ReadonlyMap<string, Match> {
  const fixed = addresses.filter(
    ({ route }) => !route.parameters.length && !route.path.includes('%'),
  )
  return new Map(fixed.map(({ route }) => [route.path, { route, params: NO_PARAMS }]))
}

const NO_PARAMS: Match['params'] = Object.freeze(Object.create(null))

function toMatch({ route, values }: Found): { route: Route; params: Record<string, unknown> } {
  // Without a prototype: a parameter that a path does not have is not there.
  const params: Record<string, unknown> = Object.create(null)
  route.parameters.forEach((name, index) => {
    params[name] = values[index]
  })
  return { route, params }
}

function matchSuffix(stems: Node, segments: readonly string[], rule: SuffixRule): Match | null {
  const split = splitSuffix(segments, rule)
  const found = split && find(stems, split.stem)
  if (!found) return null
  const match = toMatch(found)
  match.params['format'] = split.format
  return match
}
