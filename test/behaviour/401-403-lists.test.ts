// Done-when 2: whatever the schemes and their order, a known user who is denied gets 403, and of somebody
// whom nobody knows the first scheme alone decides.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  AuthenticationFailed,
  BasicAuthentication,
  NotAuthenticated,
  PermissionDenied,
  TokenAuthentication,
  defineApi,
  handleException,
} from '../../src/index.ts'
import type { Authenticator } from '../../src/types.ts'
import { client } from '../../src/testing.ts'
import { ada, quiet, says, tokens } from './fixtures.ts'

type Outcome = 'names a user' | 'names nobody in particular' | 'is not attempted' | 'fails'
interface Scheme {
  readonly outcome: Outcome
  /** `undefined`: it has no challenge operation (A47). */
  readonly challenge: string | null | undefined
  readonly later: boolean
}

function schemeOf({ outcome, challenge, later }: Scheme): Authenticator {
  const answer = () => {
    if (outcome === 'fails') throw new AuthenticationFailed('of the scheme')
    if (outcome === 'is not attempted') return null
    return { user: outcome === 'names a user' ? ada : null, auth: null }
  }
  return {
    authenticate: later ? async () => answer() : answer,
    ...(challenge === undefined ? {} : { authenticateHeader: () => challenge }),
  }
}

/** What a request to a denied endpoint gets, by the rules A2, A3, A40, A42 and A46. */
function expected(schemes: readonly Scheme[]): unknown {
  const decisive = schemes.find(({ outcome }) => outcome !== 'is not attempted')
  const named = decisive !== undefined && decisive.outcome !== 'fails'
  if (named || schemes.length === 0)
    return { status: 403, challenge: null, code: 'nobody', detail: 'Nobody may.' }
  const challenge = schemes[0]!.challenge || null
  const failed = decisive !== undefined
  return {
    status: challenge === null ? 403 : 401,
    challenge,
    code: failed ? 'authentication_failed' : 'not_authenticated',
    detail: failed ? 'of the scheme' : NotAuthenticated.detail,
  }
}

async function ask(authentication: readonly Authenticator[], headers = {}): Promise<object> {
  const seen: { code?: string } = {}
  const api = defineApi({
    urls: { a: '/a/' },
    authentication,
    permissions: [says(false, { message: 'Nobody may.', code: 'nobody' })],
    exceptionHandler: (error, request) => {
      seen.code = (error as PermissionDenied).code
      return handleException(error, request)
    },
  })
  const app = api.serve([api.endpoint('a').get(() => 'never')], quiet)
  const answer = await client(app).get('/a/', { headers })
  const { detail } = answer.data as { detail: string }
  return { status: answer.status, challenge: answer.header('www-authenticate'), ...seen, detail }
}

const outcome = fc.constantFrom<Outcome>(
  'names a user',
  'names nobody in particular',
  'is not attempted',
  'fails',
)
const scheme = fc.record({
  outcome,
  challenge: fc.constantFrom(undefined, null, '', 'Basic realm="api"', 'Token', 'x'),
  later: fc.boolean(),
})

test('A40–A47 any list of schemes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(scheme, { maxLength: 5 }), async (schemes) => {
      expect(await ask(schemes.map(schemeOf))).toEqual(expected(schemes))
    }),
    { numRuns: 500 },
  )
})

test('a known user who is denied gets 403 in whatever order the schemes stand', async () => {
  const lists = fc
    .array(scheme, { maxLength: 4 })
    .map((schemes) => schemes.filter((one) => one.outcome !== 'fails'))
    .chain((others) =>
      fc.shuffledSubarray(
        [{ outcome: 'names a user', challenge: 'Basic', later: false } as Scheme, ...others],
        { minLength: others.length + 1 },
      ),
    )
  await fc.assert(
    fc.asyncProperty(lists, async (schemes) => {
      expect(await ask(schemes.map(schemeOf))).toMatchObject({ status: 403, challenge: null })
    }),
    { numRuns: 200 },
  )
})

describe('the same with the schemes there are', () => {
  const basic = new BasicAuthentication({
    users: { authenticate: async (_, password) => (password === 'right' ? ada : null) },
  })
  const token = new TokenAuthentication({ tokens })
  const pool = [
    basic,
    token,
    schemeOf({ outcome: 'is not attempted', challenge: null, later: true }),
  ]
  const lists = fc.shuffledSubarray(pool, { minLength: 1 })
  const right = [
    [basic, `Basic ${btoa('ada:right')}`],
    [token, 'Token k-ada'],
  ] as const
  const first = (schemes: readonly Authenticator[]) => {
    const challenge = schemes[0]!.authenticateHeader?.({} as never) ?? null
    return { status: challenge === null ? 403 : 401, challenge }
  }

  test('right credentials of a scheme in the list: 403', async () => {
    await fc.assert(
      fc.asyncProperty(lists, fc.constantFrom(...right), async (schemes, [of, authorization]) => {
        const answer = await ask(schemes, { authorization })
        expect(answer).toMatchObject(
          schemes.includes(of) ? { status: 403, challenge: null } : first(schemes),
        )
      }),
    )
  })

  test('wrong ones, or none: what the first scheme alone says', async () => {
    const wrong = fc.constantFrom({}, { authorization: 'Basic x' }, { authorization: 'Token x' })
    await fc.assert(
      fc.asyncProperty(lists, wrong, async (schemes, headers) => {
        expect(await ask(schemes, headers)).toMatchObject(first(schemes))
      }),
    )
  })
})
