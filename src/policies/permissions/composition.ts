import type { Permission, Opinion, Refusal } from '../../core/ports/policies/permissions.ts'
import type { ApiRequest } from '../../core/ports/request.ts'
import type { ServiceFacts } from '../../core/ports/service-facts.ts'
import { type MaybePromise, after, isPromise } from '../../core/std/after.ts'
import type { AllOf, AnyOf } from '../../core/types/typed-settings.ts'
import { ConfigurationError } from '../../core/errors/configuration-error.ts'

/** The words of a negation's refusal: those of the negated permission would say the contrary. */
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
export function allOf<const L extends readonly Permission[]>(...permissions: L): AllOf<L> {
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
export function anyOf<const L extends readonly Permission[]>(...permissions: L): AnyOf<L> {
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
export function not<Target, Rq extends ApiRequest = ApiRequest>(
  permission: Permission<Target, unknown, Rq>,
  words: NotOptions | null = null,
): Permission<Target, unknown, Rq> {
  const [tree] = treesOf([permission], 'not')
  return new Composition(negated(tree!, words))
}

type Opinions = Map<Permission, MaybePromise<Opinion>>

/**
 * Permissions that are asked as one. Opinions about request and object count together (I14), and no leaf is asked the same
 * question twice.
 */
class Composition implements Permission {
  readonly tree: Tree
  readonly scopes: readonly string[]
  /** The method exists only if a leaf answers the question. */
  readonly hasPermission?: (request: ApiRequest) => MaybePromise<Opinion>
  readonly hasObjectPermission?: (request: ApiRequest, target: unknown) => MaybePromise<Opinion>
  readonly #ofRequests = new WeakMap<ApiRequest, Opinions>()

  constructor(tree: Tree) {
    const leaves = leavesOf(tree)
    this.tree = tree
    this.scopes = scopesIn(tree)
    const hasObjects = leaves.some((leaf) => leaf.hasObjectPermission)
    // If every leaf is asked once, opinions are not remembered: a map for each request would cost more than most questions.
    const isAskedOnce = !hasObjects && new Set(leaves).size === leaves.length
    const ofRequest = (request: ApiRequest): Ask =>
      isAskedOnce ? askOnce : this.#aboutRequest(request)
    if (leaves.some((leaf) => leaf.hasPermission))
      this.hasPermission = (request) => decide(tree, ofRequest(request), request)
    if (hasObjects)
      this.hasObjectPermission = (request, target) =>
        decide(tree, this.#aboutBoth(request, target), request)
  }

  check(service: ServiceFacts): string | null {
    const [missing = null] = leavesOf(this.tree).flatMap((leaf) => leaf.check?.(service) ?? [])
    return missing
  }

  /** Does it refuse every request of this method without a user? The demands of a negation are not known. */
  needsUser(method: string): boolean {
    return needs(this.tree, method)
  }

  #aboutRequest(request: ApiRequest): Ask {
    return asking(this.#opinionsOf(request), (permission) =>
      permission.hasPermission === undefined ? null : permission.hasPermission(request),
    )
  }

  #aboutBoth(request: ApiRequest, target: unknown): Ask {
    const aboutRequest = this.#aboutRequest(request)
    const aboutObject = asking(new Map(), (permission) =>
      permission.hasObjectPermission === undefined
        ? null
        : permission.hasObjectPermission(request, target),
    )
    // A leaf that refused the request is not asked about the object. If it has no opinion about the object, the first
    // opinion stays.
    return (leaf) =>
      after(aboutRequest(leaf, request), (first) =>
        isRefusal(first) ? first : after(aboutObject(leaf, request), (second) => second ?? first),
      )
  }

  /**
   * Opinions are kept only if the object is asked about later: an entry of a weak map costs work in each garbage collection.
   */
  #opinionsOf(request: ApiRequest): Opinions {
    const known = this.#ofRequests.get(request) ?? new Map()
    if (this.hasObjectPermission !== undefined) this.#ofRequests.set(request, known)
    return known
  }
}

/** The scopes that are needed in every case; alternatives need none. */
function scopesIn(tree: Tree): readonly string[] {
  if (isLeaf(tree)) return tree.negated ? [] : (tree.permission.scopes ?? [])
  return tree.operator === 'all' ? tree.operands.flatMap(scopesIn) : []
}

function needs(tree: Tree, method: string): boolean {
  if (isLeaf(tree)) return !tree.negated && (tree.permission.needsUser?.(method) ?? false)
  const { operator, operands } = tree
  return operator === 'all'
    ? operands.some((each) => needs(each, method))
    : operands.every((each) => needs(each, method))
}

type Ask = (leaf: Leaf, request: ApiRequest) => MaybePromise<Verdict>

function askOnce(leaf: Leaf, request: ApiRequest): MaybePromise<Verdict> {
  // If a leaf had no such method, it would ask about objects, and then `asking` would be used for all leaves.
  const opinion = leaf.permission.hasPermission!(request)
  if (isPromise(opinion)) return Promise.resolve(opinion).then((later) => verdictOf(later, leaf))
  return verdictOf(opinion, leaf)
}

/** Asks a leaf that may be asked again, and remembers its opinion. */
function asking(known: Opinions, ask: (permission: Permission) => MaybePromise<Opinion>): Ask {
  return (leaf) => {
    const { permission } = leaf
    // A query would be sent each time that it is awaited; a promise of it is sent once.
    if (!known.has(permission))
      known.set(
        permission,
        after(ask(permission), (opinion) => opinion),
      )
    return after(known.get(permission)!, (opinion) => verdictOf(opinion, leaf))
  }
}

function treesOf(permissions: readonly Permission[], operator: string): readonly Tree[] {
  if (permissions.length === 0)
    throw new ConfigurationError(`${operator}() wants at least one permission.`)
  return permissions.map((permission) => {
    if (permission instanceof Composition) return permission.tree
    if (isPermission(permission)) return { permission, negated: false, words: null }
    throw new ConfigurationError(
      `${operator}() wants permissions, and got something without hasPermission() or hasObjectPermission(). Give objects, not classes: new IsAuthenticated().`,
    )
  })
}

function isPermission(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { hasPermission, hasObjectPermission } = value as Permission
  return typeof (hasPermission ?? hasObjectPermission) === 'function'
}

/** The words of a refusal that replace those of the permission. */
type Words = Omit<Refusal, 'allowed'>

interface Leaf {
  readonly permission: Permission
  readonly negated: boolean
  readonly words: Words | null
}

interface Branch {
  readonly operator: 'all' | 'any'
  readonly operands: readonly Tree[]
  readonly words: Words | null
}

/** Only leaves can be negated: see `negated`. */
type Tree = Leaf | Branch

/** `null`: no opinion, for all that is known so far. */
type Verdict = true | null | Refusal

function isLeaf(tree: Tree): tree is Leaf {
  return 'permission' in tree
}

/**
 * The opposite, by De Morgan's laws, so that only leaves are ever negated: not all is any not, not any
 * is all not. What the operands say of themselves would explain the contrary, so it is left out.
 */
function negated(tree: Tree, words: Words | null): Tree {
  if (isLeaf(tree)) return { ...tree, negated: !tree.negated, words }
  const operands = tree.operands.map((operand) => negated(operand, null))
  return { operator: tree.operator === 'all' ? 'any' : 'all', operands, words }
}

function leavesOf(tree: Tree): readonly Permission[] {
  return isLeaf(tree) ? [tree.permission] : tree.operands.flatMap(leavesOf)
}

/** Kleene's logic, from left to right as far as needed: a missing opinion that decides leaves none. */
function decide(tree: Tree, ask: Ask, request: ApiRequest): MaybePromise<Verdict> {
  if (isLeaf(tree)) return ask(tree, request)
  const { words } = tree
  const decided = decideFrom(0, START[tree.operator], tree, ask, request)
  if (words === null) return decided
  return after(decided, (verdict) => (isRefusal(verdict) ? { allowed: false, ...words } : verdict))
}

/** Asks the operands from this one on, and without waiting until one returns a promise. */
function decideFrom(
  from: number,
  before: Verdict,
  branch: Branch,
  ask: Ask,
  request: ApiRequest,
): MaybePromise<Verdict> {
  const { operator, operands } = branch
  let sofar = before
  for (let at = from; at < operands.length; at++) {
    const verdict = decide(operands[at]!, ask, request)
    if (isPromise(verdict))
      return Promise.resolve(verdict).then((later) =>
        settles(later, operator)
          ? later
          : decideFrom(at + 1, joined(sofar, later), branch, ask, request),
      )
    if (settles(verdict, operator)) return verdict
    sofar = joined(sofar, verdict)
  }
  return sofar
}

const START: Readonly<Record<Branch['operator'], Verdict>> = { all: true, any: { allowed: false } }

/** One no is enough against all, one yes for any. */
function settles(verdict: Verdict, operator: Branch['operator']): boolean {
  return operator === 'all' ? isRefusal(verdict) : verdict === true
}

/** Joins two verdicts: of several refusals, the first with a message or a code counts. */
function joined(sofar: Verdict, verdict: Verdict): Verdict {
  if (sofar === null || verdict === null) return null
  const explained = isRefusal(sofar) && (sofar.message !== undefined || sofar.code !== undefined)
  return explained ? sofar : verdict
}

function verdictOf(opinion: Opinion, leaf: Leaf): Verdict {
  const isNo = opinion === false || (typeof opinion === 'object' && opinion?.allowed === false)
  // No opinion has no opposite.
  if (opinion === null) return null
  // An opinion that is neither yes nor no is a no either way: a forgotten `return` must not give access.
  const agrees = leaf.negated ? isNo : opinion === true
  return agrees ? true : refusalOf(opinion, leaf)
}

function isRefusal(verdict: Verdict): verdict is Refusal {
  return verdict !== true && verdict !== null
}

/**
 * The refusal with the words of the composition, else of the opinion, else of the permission. The words of an agreement
 * explain no refusal.
 */
function refusalOf(opinion: Opinion, leaf: Leaf): Refusal {
  const { permission, words } = leaf
  if (leaf.negated) return { allowed: false, ...words }
  const own = typeof opinion === 'object' ? opinion : null
  const message = words?.message ?? own?.message ?? permission.message
  const code = words?.code ?? own?.code ?? permission.code
  return {
    allowed: false,
    ...(message === undefined ? {} : { message }),
    ...(code === undefined ? {} : { code }),
  }
}
