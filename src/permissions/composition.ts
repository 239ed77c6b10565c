import type { Opinion } from '../contract/decisions.ts'
import type { Permission, ApiRequest, MaybePromise } from '../contract/request.ts'
import type { GrantOf, Grants, Targets } from '../types/scope.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'
import { after } from '../std/after.ts'
import {
  type Leaf,
  type Tree,
  type Verdict,
  decide,
  isRefusal,
  leavesOf,
  negated,
  verdictOf,
} from './tree.ts'

/** What the refusal of a negation says: the words of the permission inside would say the contrary. */
export interface NotOptions {
  /** @default the usual text of a refusal */
  readonly message?: string | object
  /** @default 'permission_denied' */
  readonly code?: string
}

/**
 * All of these permissions must agree (Z20, I14), asked from left to right until one refuses. The
 * refusal is that permission's, with its message and code. Each one's proof about the user counts.
 *
 * @throws ConfigurationError an operand is no permission, or there is none
 * @example
 * anyOf(new IsAdminUser(), allOf(new IsAuthenticated(), new IsOwner()))
 */
export function allOf<const L extends readonly Permission[]>(
  ...permissions: L
): Permission<Targets<L>, Grants<L>> {
  const operands = treesOf(permissions, 'allOf')
  return new Composition({ operator: 'all', operands, words: null })
}

/**
 * One of these permissions must agree (Z20, I14), asked from left to right until one does. Where all
 * refuse, the refusal is that of the first with a message or a code. A permission with rules for objects
 * only leaves the request open, and what refused the request does not count at the object (Z22).
 *
 * @throws ConfigurationError an operand is no permission, or there is none
 * @example
 * api.endpoint('draft', { permissions: [anyOf(new IsAdminUser(), new IsOwner())] })
 */
export function anyOf<const L extends readonly Permission[]>(
  ...permissions: L
): Permission<Targets<L>, GrantOf<L[number]>> {
  const operands = treesOf(permissions, 'anyOf')
  return new Composition({ operator: 'any', operands, words: null })
}

/**
 * Refuses where the permission agrees and agrees where it refuses, about the request and about the
 * object alike; where it has no opinion, there is none (I14, D21). It proves nothing about the user.
 *
 * @throws ConfigurationError it is no permission
 * @example
 * not(new IsSuspended(), { message: 'This account is suspended.' })
 */
export function not<Target>(
  permission: Permission<Target>,
  words: NotOptions | null = null,
): Permission<Target> {
  const [tree] = treesOf([permission], 'not')
  return new Composition(negated(tree!, words))
}

type Opinions = Map<Permission, MaybePromise<Opinion>>

/**
 * A permission made of permissions (I14). A leaf's opinion about the object counts together
 * with its opinion about the request. For that it is not asked again: no leaf is asked the same thing
 * twice.
 */
class Composition implements Permission {
  readonly tree: Tree
  /** There only where some leaf has something to say. */
  readonly hasPermission?: (request: ApiRequest) => MaybePromise<Opinion>
  readonly hasObjectPermission?: (request: ApiRequest, target: unknown) => MaybePromise<Opinion>
  readonly #ofRequests = new WeakMap<ApiRequest, Opinions>()

  constructor(tree: Tree) {
    const leaves = leavesOf(tree)
    this.tree = tree
    if (leaves.some((leaf) => leaf.hasPermission))
      this.hasPermission = (request) => decide(tree, this.#aboutRequest(request))
    if (leaves.some((leaf) => leaf.hasObjectPermission))
      this.hasObjectPermission = (request, target) => decide(tree, this.#aboutBoth(request, target))
  }

  #aboutRequest(request: ApiRequest): (leaf: Leaf) => MaybePromise<Verdict> {
    return asking(this.#opinionsOf(request), (permission) =>
      permission.hasPermission === undefined ? null : permission.hasPermission(request),
    )
  }

  #aboutBoth(request: ApiRequest, target: unknown): (leaf: Leaf) => MaybePromise<Verdict> {
    const aboutRequest = this.#aboutRequest(request)
    const aboutObject = asking(new Map(), (permission) =>
      permission.hasObjectPermission === undefined
        ? null
        : permission.hasObjectPermission(request, target),
    )
    // What refused the request is not asked about the object; without an opinion there, the first one stays.
    return (leaf) =>
      after(aboutRequest(leaf), (first) =>
        isRefusal(first) ? first : after(aboutObject(leaf), (second) => second ?? first),
      )
  }

  /** Remembered for the object only: an entry of a weak map costs work in each garbage collection. */
  #opinionsOf(request: ApiRequest): Opinions {
    const known = this.#ofRequests.get(request) ?? new Map()
    if (this.hasObjectPermission !== undefined) this.#ofRequests.set(request, known)
    return known
  }
}

/** Asks the permission of a leaf, or remembers its opinion. */
function asking(
  known: Opinions,
  ask: (permission: Permission) => MaybePromise<Opinion>,
): (leaf: Leaf) => MaybePromise<Verdict> {
  return (leaf) => {
    const { permission } = leaf
    if (!known.has(permission)) known.set(permission, ask(permission))
    return after(known.get(permission)!, (opinion) => verdictOf(opinion, leaf))
  }
}

/** The trees of what an operator is given; a composition brings its own. */
function treesOf(permissions: readonly Permission[], operator: string): readonly Tree[] {
  if (permissions.length === 0)
    throw new ConfigurationError(`${operator}() wants at least one permission.`)
  return permissions.map((permission) => treeOf(permission, operator))
}

function treeOf(permission: Permission, operator: string): Tree {
  if (permission instanceof Composition) return permission.tree
  if (isPermission(permission)) return { permission, negated: false, words: null }
  throw new ConfigurationError(
    `${operator}() wants permissions, and got something without hasPermission() or hasObjectPermission(). Give objects, not classes: new IsAuthenticated().`,
  )
}

function isPermission(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { hasPermission, hasObjectPermission } = value as Permission
  return typeof (hasPermission ?? hasObjectPermission) === 'function'
}
