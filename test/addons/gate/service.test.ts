// From the code of a service to the verdict: what is changed here is a line of an application.
import { afterAll, describe, expect, test, vi } from 'vitest'
import { breakingIn, changesOf, isNamed, nameOf } from '../../../src/addons/gate/contract.ts'
import { contractsOf } from '../../../src/tools/cli/contract-commands.ts'
import {
  AllowAny,
  AnonRateThrottle,
  IsAdminUser,
  IsAuthenticated,
  TokenHasScope,
  allOf,
  field,
} from '../../../src/index.ts'
import { FIELDS, type Parts, basic, offsets, pages, serviceWith, token } from './service.ts'

const NOW = new Date('2026-11-23T12:00:00Z')
vi.setSystemTime(NOW)
afterAll(() => vi.useRealTimers())

/** What changes in version v1. */
async function changesIn(before: Partial<Parts>, after: Partial<Parts>) {
  const [saved, running] = await Promise.all(
    [before, after].map((parts) => contractsOf(serviceWith(parts))),
  )
  return changesOf(saved!, running!, NOW).find(({ version }) => version === 'v1')!
}

const without = (...names: readonly (keyof typeof FIELDS)[]) =>
  Object.fromEntries(
    Object.entries(FIELDS).filter(([name]) => !names.includes(name as keyof typeof FIELDS)),
  )
const withField = (members: object) => ({ fields: { ...FIELDS, ...members } as Parts['fields'] })
const DEPRECATED = { v1: { deprecatedAt: '2026-01-01', sunsetAt: '2027-06-01' } }

type Line = readonly [
  title: string,
  after: Partial<Parts>,
  found: readonly string[],
  before?: Partial<Parts>,
]

const BREAKING: readonly Line[] = [
  [
    'a field is removed',
    { fields: without('notes') },
    ['request-property-removed', 'response-property-removed'],
  ],
  [
    'a field that is only shown is removed',
    { fields: without('id') },
    ['response-property-removed'],
  ],
  [
    'a field is renamed',
    { fields: { ...without('notes'), remark: field.text() } },
    ['response-property-removed', 'request-required-property-added'],
  ],
  [
    'a field that clients have to send',
    withField({ mayor: field.text() }),
    ['request-required-property-added'],
  ],
  [
    'a field becomes required',
    withField({ notes: field.text() }),
    ['request-property-became-required'],
  ],
  [
    'a field is no longer read',
    withField({ name: field.text({ maxLength: 80, readOnly: true }) }),
    ['request-property-removed'],
  ],
  [
    'a field is no longer shown',
    withField({ notes: field.text({ required: false, writeOnly: true }) }),
    ['response-property-removed'],
  ],
  [
    'a choice is added',
    withField({ status: field.choice(['open', 'closed', 'ruined']) }),
    ['response-enum-value-added'],
  ],
  [
    'a choice is removed',
    withField({ status: field.choice(['open']) }),
    ['request-enum-value-removed', 'parameter-enum-value-removed'],
  ],
  [
    'a field may be null',
    withField({ area: field.float({ nullable: true }) }),
    ['response-became-nullable'],
  ],
  [
    'a field may not be null',
    withField({ opened: field.date({ required: false }) }),
    ['request-no-longer-nullable'],
  ],
  ['a number becomes whole', withField({ area: field.integer() }), ['request-type-narrowed']],
  [
    'a number becomes text',
    withField({ area: field.text() }),
    ['response-type-changed', 'request-type-changed'],
  ],
  [
    'a text has to be shorter',
    withField({ name: field.text({ maxLength: 40 }) }),
    ['request-max-length-lowered'],
  ],
  [
    'a date gets a time',
    withField({ opened: field.dateTime({ nullable: true, required: false }) }),
    ['response-format-changed', 'request-format-changed'],
  ],
  [
    'a field of the next version alone',
    withField({ notes: field.text({ required: false, since: 'v2' }) }),
    ['response-property-removed'],
  ],
  ['a filter is removed', { filterFields: ['status'] }, ['parameter-removed']],
  ['search is removed', { searchFields: [] }, ['parameter-removed']],
  [
    'a name of the ordering is removed',
    { orderingFields: ['name'] },
    ['parameter-enum-value-removed'],
  ],
  [
    'pages are smaller at most',
    { pagination: pages({ maxPageSize: 50 }) },
    ['parameter-maximum-lowered'],
  ],
  ['pages are of another style', { pagination: offsets }, ['parameter-removed']],
  [
    'there are no pages any more',
    { pagination: null },
    ['response-type-changed', 'parameter-removed'],
  ],
  [
    'anonymous clients are refused',
    { permissions: [new IsAuthenticated()] },
    ['anonymous-access-removed'],
  ],
  [
    'only staff may',
    { permissions: [new IsAdminUser()] },
    ['anonymous-access-removed', 'permission-added'],
  ],
  ['only staff may write', { toWrite: [new IsAdminUser()] }, ['permission-added']],
  [
    'one more scope is asked for',
    { toWrite: [new TokenHasScope({ scopes: ['read', 'write'] })] },
    ['security-scope-added'],
    { toWrite: [new TokenHasScope({ scopes: ['read'] })] },
  ],
  [
    'a scope is asked for',
    { toWrite: [new TokenHasScope({ scopes: ['write'] })] },
    ['permission-added'],
  ],
  [
    'both are asked for',
    { toWrite: [allOf(new IsAuthenticated(), new IsAdminUser())] },
    ['permission-added'],
  ],
  [
    'a scheme is taken away',
    { authentication: [token] },
    ['security-alternative-removed'],
    { authentication: [token, basic] },
  ],
  ['an address changes', { path: 'towns' }, ['operation-removed']],
  ['a method is removed', { methods: ['get'] }, ['operation-removed']],
  ['an endpoint is removed', { detail: false }, ['operation-removed']],
  ['deleting is no longer possible', { deletes: false }, ['operation-removed']],
  ['a version is removed', { versions: ['v2'] }, ['version-removed']],
  [
    'a version that has not ended is removed',
    { versions: ['v2'] },
    ['version-removed'],
    { life: DEPRECATED },
  ],
  [
    'the end comes earlier',
    { life: { v1: { ...DEPRECATED.v1, sunsetAt: '2027-02-01' } } },
    ['sunset-earlier'],
    { life: DEPRECATED },
  ],
]

const COMPATIBLE: readonly Line[] = [
  ['nothing changes', {}, []],
  [
    'a field that is only shown is added',
    withField({ code: field.text({ readOnly: true }) }),
    ['response-property-added'],
  ],
  [
    'a field that may be left out is added',
    withField({ mayor: field.text({ required: false }) }),
    ['request-property-added', 'response-property-added'],
  ],
  [
    'a picture that may be left out is added',
    withField({ picture: field.image({ required: false }) }),
    ['response-property-added'],
  ],
  [
    'a text may be longer',
    withField({ name: field.text({ maxLength: 200 }) }),
    ['request-max-length-raised'],
  ],

  ['a filter is added', { filterFields: ['status', 'area__lt', 'area__gt'] }, ['parameter-added']],
  [
    'a name of the ordering is added',
    { orderingFields: ['name', 'area', 'opened'] },
    ['parameter-enum-value-added'],
  ],
  [
    'pages may be larger',
    { pagination: pages({ maxPageSize: 500 }) },
    ['parameter-maximum-raised'],
  ],
  ['a scheme is added', { authentication: [token, basic] }, ['security-alternative-added']],
  [
    'everyone may write',
    { toWrite: [new AllowAny()] },
    ['anonymous-access-added', 'permission-removed'],
  ],
  [
    'every user may do what staff could',
    { toWrite: [new IsAuthenticated()] },
    ['permission-removed'],
    { toWrite: [new IsAdminUser()] },
  ],
  [
    'the next version gets a field',
    withField({ code: field.text({ readOnly: true, since: 'v2' }) }),
    [],
  ],
  [
    'the end of the version is announced',
    { life: DEPRECATED },
    ['operation-deprecated', 'sunset-announced'],
  ],
  [
    'a version that has ended is removed',
    { versions: ['v2'] },
    ['version-retired'],
    { life: { v1: { deprecatedAt: '2025-01-01', sunsetAt: '2026-01-01' } } },
  ],
  ['an endpoint is added', {}, ['operation-added'], { detail: false }],
  [
    'a plain handler is throttled',
    { plain: true, throttles: [new AnonRateThrottle({ rate: '100/day' })] },
    ['response-error-status-added'],
    { plain: true },
  ],
]

describe('what breaks clients of v1', () => {
  for (const [title, after, codes, before = {}] of BREAKING)
    test(title, async () => {
      const changes = await changesIn(before, after)
      const found = breakingIn(changes).map(({ code }) => code)
      expect(found).toEqual(expect.arrayContaining([...codes]))
    })
})

describe('what does not', () => {
  for (const [title, after, codes, before = {}] of COMPATIBLE)
    test(title, async () => {
      const found = await changesIn(before, after)
      expect(breakingIn(found)).toEqual([])
      expect(found.changes.map(({ code }) => code)).toEqual(expect.arrayContaining([...codes]))
      if (codes.length === 0) expect(found.changes).toEqual([])
    })
})

test('a change has a place and a sentence that a developer understands', async () => {
  const changes = await changesIn(
    {},
    withField({ status: field.choice(['open', 'closed', 'ruined']) }),
  )
  const [first] = breakingIn(changes)
  expect(first).toEqual({
    code: 'response-enum-value-added',
    class: 'breaking',
    at: 'GET /v1/cities/ answer 200 results[].status',
    sentence: 'New values: ruined. Clients that read it as it was fail, or misread it.',
    advice:
      'Change it for a new version only: `until` and `since` of the field, or a serializer of that version.',
  })
  expect(isNamed(first!, nameOf(first!))).toBe(true)
  expect(isNamed(first!, 'response-enum-value-added at * answer 200 *status')).toBe(true)
  expect(isNamed(first!, 'response-enum-value-added at POST *')).toBe(false)
})

test('there are at least thirty of them', () => {
  expect(BREAKING.length + COMPATIBLE.length).toBeGreaterThanOrEqual(30)
})
