import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type ApiRequest, allOf, anyOf, not } from '../../../src/index.ts'
import type { Opinion, Permission } from '../../../src/types.ts'

/** What a permission says, as a number: −1 no, 0 no opinion, 1 yes. */
type Sign = -1 | 0 | 1
interface Leaf {
  readonly request: Sign | 'no rule'
  readonly object: Sign | 'no rule'
  readonly later: boolean
}
/** A number is the leaf of that number; the same one may stand in several places. */
type Formula = number | { readonly op: 'all' | 'any' | 'not'; readonly of: readonly Formula[] }

const LEAVES = 4

// ── the oracle: minimum, maximum and the negative of signs ───────────────────

const clear = (sign: Leaf['request']): Sign => (sign === 'no rule' ? 0 : sign)

/** Both levels of a leaf together: under an even number of negations a no goes first, else a yes. */
function whole({ request, object }: Leaf, negative: boolean): Sign {
  const [r, o] = [clear(request), clear(object)]
  if (r === 0 || o === 0) return (r + o) as Sign
  return (negative ? Math.max(r, o) : Math.min(r, o)) as Sign
}

function truth(
  formula: Formula,
  leaves: readonly Leaf[],
  level: 'request' | 'object',
  negative = false,
): number {
  if (typeof formula === 'number') {
    const leaf = leaves[formula]!
    return level === 'request' ? clear(leaf.request) : whole(leaf, negative)
  }
  const { op, of } = formula
  if (op === 'not') return 0 - truth(of[0]!, leaves, level, !negative)
  const values = of.map((part) => truth(part, leaves, level, negative))
  return op === 'all' ? Math.min(...values) : Math.max(...values)
}

// ── the real thing ───────────────────────────────────────────────────────────

interface Counted {
  readonly permission: Permission
  readonly asked: { request: number; object: number }
}

const OPINIONS = { '-1': false, 0: null, 1: true } as const

function permissionOf({ request, object, later }: Leaf): Counted {
  const asked = { request: 0, object: 0 }
  const answer = (level: 'request' | 'object', sign: Sign): Opinion | Promise<Opinion> => {
    asked[level] += 1
    return later ? Promise.resolve(OPINIONS[sign]) : OPINIONS[sign]
  }
  // Something to say about one level at least, or it would be no permission.
  const both = request === 'no rule' && object === 'no rule'
  const permission = {
    ...(request === 'no rule' ? {} : { hasPermission: () => answer('request', request) }),
    ...(object === 'no rule' && !both
      ? {}
      : { hasObjectPermission: () => answer('object', clear(object)) }),
  }
  return { permission, asked }
}

function compose(formula: Formula, leaves: readonly Counted[]): Permission {
  if (typeof formula === 'number') return leaves[formula]!.permission
  const parts = formula.of.map((part) => compose(part, leaves))
  if (formula.op === 'not') return not(parts[0]!)
  return formula.op === 'all' ? allOf(...parts) : anyOf(...parts)
}

function toSign(opinion: Opinion | undefined): number {
  if (opinion === undefined || opinion === null) return 0
  return opinion === true ? 1 : -1
}

const sign = fc.constantFrom<Leaf['request']>(-1, 0, 1, 'no rule')
const leaf = (later: fc.Arbitrary<boolean>): fc.Arbitrary<Leaf> =>
  fc.record({ request: sign, object: sign, later })
const pool = (later: fc.Arbitrary<boolean>) =>
  fc.array(leaf(later), { minLength: LEAVES, maxLength: LEAVES })
const { formula } = fc.letrec<{ formula: Formula; branch: Formula }>((tie) => ({
  formula: fc.oneof({ maxDepth: 4, withCrossShrink: true }, fc.nat(LEAVES - 1), tie('branch')),
  branch: fc.oneof(
    fc.record({
      op: fc.constantFrom<'all' | 'any'>('all', 'any'),
      of: fc.array(tie('formula'), { minLength: 1, maxLength: 3 }),
    }),
    fc.record({ op: fc.constant<'not'>('not'), of: fc.tuple(tie('formula')) }),
  ),
}))
/** A composition, not a bare permission. */
const composed = formula.map((inner): Formula => ({ op: 'all', of: [inner] }))

test('I14 any composition says what the logic says, each leaf asked once at most', async () => {
  await fc.assert(
    fc.asyncProperty(composed, pool(fc.boolean()), async (what, leaves) => {
      const counted = leaves.map(permissionOf)
      const permission = compose(what, counted)
      const request = {} as ApiRequest
      expect(toSign(await permission.hasPermission?.(request))).toBe(truth(what, leaves, 'request'))
      if (permission.hasObjectPermission !== undefined) {
        const opinion = await permission.hasObjectPermission(request, {})
        expect(toSign(opinion)).toBe(truth(what, leaves, 'object'))
      }
      for (const { asked } of counted) {
        expect(asked.request).toBeLessThanOrEqual(1)
        expect(asked.object).toBeLessThanOrEqual(1)
      }
    }),
    { numRuns: 2000 },
  )
})

test('the object alone, where the request was never asked about, gives the same', async () => {
  await fc.assert(
    fc.asyncProperty(composed, pool(fc.boolean()), async (what, leaves) => {
      const permission = compose(what, leaves.map(permissionOf))
      fc.pre(permission.hasObjectPermission !== undefined)
      const opinion = await permission.hasObjectPermission({} as ApiRequest, {})
      expect(toSign(opinion)).toBe(truth(what, leaves, 'object'))
    }),
  )
})

test('a no to the request stays a no to every object', () => {
  fc.assert(
    fc.property(composed, pool(fc.constant(false)), (what, leaves) => {
      const permission = compose(what, leaves.map(permissionOf))
      const request = {} as ApiRequest
      fc.pre(toSign(permission.hasPermission?.(request) as Opinion) === -1)
      const { hasObjectPermission = () => false } = permission
      expect(toSign(hasObjectPermission.call(permission, request, {}) as Opinion)).toBe(-1)
    }),
    { numRuns: 1000 },
  )
})

test('without promises there is none', () => {
  fc.assert(
    fc.property(composed, pool(fc.constant(false)), (what, leaves) => {
      const permission = compose(what, leaves.map(permissionOf))
      const request = {} as ApiRequest
      expect(permission.hasPermission?.(request)).not.toBeInstanceOf(Promise)
      expect(permission.hasObjectPermission?.(request, {})).not.toBeInstanceOf(Promise)
    }),
  )
})

test('not twice is as if never, and De Morgan holds', () => {
  fc.assert(
    fc.property(formula, formula, pool(fc.constant(false)), (a, b, leaves) => {
      const say = (what: Formula): number[] => {
        const permission = compose({ op: 'all', of: [what] }, leaves.map(permissionOf))
        const request = {} as ApiRequest
        return [
          toSign(permission.hasPermission?.(request) as Opinion),
          toSign(permission.hasObjectPermission?.(request, {}) as Opinion),
        ]
      }
      const inverse = (what: Formula): Formula => ({ op: 'not', of: [what] })
      expect(say(inverse(inverse(a)))).toEqual(say(a))
      expect(say(inverse({ op: 'all', of: [a, b] }))).toEqual(
        say({ op: 'any', of: [inverse(a), inverse(b)] }),
      )
    }),
  )
})
