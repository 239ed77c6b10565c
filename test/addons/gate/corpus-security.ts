import type { Json, LabelledChange } from './corpus.ts'
import { operation } from './documents.ts'

const SCHEMES = {
  token: { type: 'http', scheme: 'bearer' },
  basic: { type: 'http', scheme: 'basic' },
  session: { type: 'apiKey', in: 'cookie', name: 'sessionid' },
  oauth: { type: 'oauth2', flows: {} },
}

/** Alternatives, each a record of schemes with their scopes. */
function open(security: readonly Json[] | undefined, schemes: Json = SCHEMES): Json {
  const members = security === undefined ? {} : { security }
  return operation(members, '/cities/', { components: { securitySchemes: schemes } })
}

const token = { token: [] }
const permissions = (...names: readonly string[]): Json =>
  operation({ security: [token], 'x-permissions': names }, '/cities/', {
    components: { securitySchemes: SCHEMES },
  })

/** Who may ask, and how clients prove who they are. */
export const security = (): readonly LabelledChange[] => [
  {
    title: 'anonymous clients are refused',
    before: open([{}, token]),
    after: open([token]),
    expected: ['breaking anonymous-access-removed'],
  },
  {
    title: 'an open operation asks for a token',
    before: open(undefined),
    after: open([token]),
    expected: ['breaking anonymous-access-removed', 'compatible security-alternative-added'],
  },
  {
    title: 'anonymous clients are let in',
    before: open([token]),
    after: open([token, {}]),
    expected: ['compatible anonymous-access-added'],
  },
  {
    title: 'a scheme is added as an alternative',
    before: open([token]),
    after: open([token, { basic: [] }]),
    expected: ['compatible security-alternative-added'],
  },
  {
    title: 'a scheme is taken away',
    before: open([token, { basic: [] }]),
    after: open([token]),
    expected: ['breaking security-alternative-removed'],
  },
  {
    title: 'a scheme is taken away where clients may be anyone, too',
    before: open([token, { basic: [] }, {}]),
    after: open([token, {}]),
    expected: ['breaking security-alternative-removed'],
  },
  {
    title: 'no scheme is left where clients may be anyone',
    before: open([token]),
    after: open([]),
    expected: ['compatible anonymous-access-added'],
  },
  {
    title: 'a second proof is asked for',
    before: open([token]),
    after: open([{ token: [], session: [] }]),
    expected: ['breaking security-alternative-removed', 'compatible security-alternative-added'],
  },
  {
    title: 'a second proof is no longer asked for',
    before: open([{ token: [], session: [] }]),
    after: open([token]),
    expected: ['compatible security-alternative-added'],
  },
  {
    title: 'a second proof is another',
    before: open([{ token: [], session: [] }]),
    after: open([{ token: [], basic: [] }]),
    expected: ['breaking security-alternative-removed', 'compatible security-alternative-added'],
  },
  {
    title: 'a scope is added',
    before: open([{ oauth: ['read'] }]),
    after: open([{ oauth: ['read', 'cities'] }]),
    expected: ['breaking security-scope-added'],
  },
  {
    title: 'a scope is taken away',
    before: open([{ oauth: ['read', 'cities'] }]),
    after: open([{ oauth: ['read'] }]),
    expected: ['compatible security-scope-removed'],
  },
  {
    title: 'a cookie gets another name',
    before: open([{ session: [] }]),
    after: open([{ session: [] }], { session: { ...SCHEMES.session, name: 'sid' } }),
    expected: ['breaking security-alternative-removed', 'compatible security-alternative-added'],
  },
  {
    title: 'a scheme is called otherwise',
    before: open([token]),
    after: open([{ key: [] }], { key: SCHEMES.token }),
    expected: [],
  },
  {
    title: 'the order of the alternatives',
    before: open([token, { basic: [] }]),
    after: open([{ basic: [] }, token]),
    expected: [],
  },
  {
    title: 'a scheme that no operation asks for is gone',
    before: operation({}, '/cities/', {
      components: {
        securitySchemes: { old: { type: 'http', scheme: 'basic', description: 'Old.' } },
      },
    }),
    after: operation({}),
    expected: [],
  },
  {
    title: 'a scheme is described otherwise',
    before: open([token]),
    after: open([token], { ...SCHEMES, token: { ...SCHEMES.token, description: 'A key' } }),
    expected: ['documentation description-changed'],
  },
  {
    title: 'a permission is added',
    before: permissions('IsAuthenticated'),
    after: permissions('IsAuthenticated', 'IsAdminUser'),
    expected: ['breaking permission-added'],
  },
  {
    title: 'a permission is taken away',
    before: permissions('IsAuthenticated', 'IsAdminUser'),
    after: permissions('IsAuthenticated'),
    expected: ['compatible permission-removed'],
  },
  {
    title: 'every user may do what staff could',
    before: permissions('IsAdminUser'),
    after: permissions('IsAuthenticated'),
    expected: ['compatible permission-removed'],
  },
  {
    title: 'staff may do what every user could',
    before: permissions('IsAuthenticated'),
    after: permissions('IsAdminUser'),
    expected: ['breaking permission-added'],
  },
  ...['AllowAny', 'IsAuthenticatedOrReadOnly', 'IsAuthenticated', 'IsAdminUser'].flatMap(
    (name, at, all): readonly LabelledChange[] =>
      at === 0
        ? []
        : [
            {
              title: `${name} lets fewer through than what stands before it`,
              before: permissions(all[at - 1]!),
              after: permissions(name),
              expected: ['breaking permission-added'],
            },
            {
              title: `${name} is implied by itself and what stands behind it`,
              before: permissions(all.at(-1)!),
              after: permissions(name, all.at(-1)!),
              expected: [],
            },
          ],
  ),
  {
    title: 'a permission is replaced',
    before: permissions('IsOwner'),
    after: permissions('IsEditor'),
    expected: ['breaking permission-added', 'compatible permission-removed'],
  },
]
