import type { Opinion, Permission } from '../contract/permission.ts'
import type { ApiRequest, MaybePromise } from '../contract/request.ts'
import { after } from '../std/after.ts'
import { decide } from './decide.ts'
import { type Leaf, type Tree, leavesOf } from './tree.ts'
import { type Verdict, heard, isRefusal } from './verdict.ts'

type Opinions = Map<Permission, MaybePromise<Opinion>>

/**
 * A permission made of permissions (I14). About the object, a leaf says what it says of the object
 * together with what it said of the request; for that it is not asked again: no leaf is asked the same
 * thing twice.
 */
export class Composition implements Permission {
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
    return asking(this.#knownOf(request), (permission) =>
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
    // What refused the request is not asked about the object; what says nothing there said it before.
    return (leaf) =>
      after(aboutRequest(leaf), (first) =>
        isRefusal(first) ? first : after(aboutObject(leaf), (second) => second ?? first),
      )
  }

  #knownOf(request: ApiRequest): Opinions {
    const known = this.#ofRequests.get(request) ?? new Map()
    this.#ofRequests.set(request, known)
    return known
  }
}

/** Asks a leaf, or remembers what its permission said. */
function asking(
  known: Opinions,
  ask: (permission: Permission) => MaybePromise<Opinion>,
): (leaf: Leaf) => MaybePromise<Verdict> {
  return (leaf) => {
    const { permission } = leaf
    if (!known.has(permission)) known.set(permission, ask(permission))
    return after(known.get(permission)!, (opinion) => heard(opinion, leaf))
  }
}
