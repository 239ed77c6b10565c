// I2 as a property: a cursor opens if and only if all that it is bound to is the same.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  CursorPagination,
  FieldFilter,
  OrderingFilter,
  SearchFilter,
  URLPathVersioning,
  configurationOf,
  defineApi,
  list,
} from '../../src/index.ts'
import { Endless, SECRET, byHeader, cursorAt, withCursor } from './cursor-bindings.ts'
import { doors } from './doors.ts'

const source = new Endless()
const style = { pageSize: 2, ordering: 'id' } as const
const api = defineApi({
  urls: { any: '/:version<v1|v2>/:land/:town/any/', own: '/:version<v1|v2>/:land/:town/own/' },
  versioning: new URLPathVersioning(),
  allowedVersions: ['v1', 'v2'],
  authentication: [byHeader],
  filters: [new FieldFilter(), new SearchFilter(), new OrderingFilter()],
})
const rows = list({
  source,
  filterFields: ['name', 'size__gte'],
  searchFields: ['name'],
  orderingFields: ['id', 'size'],
})
const app = api.serve(
  [
    api.endpoint('any', { pagination: new CursorPagination(style) }).get(rows),
    api
      .endpoint('own', { pagination: new CursorPagination({ ...style, bindTo: 'user' }) })
      .get(rows),
  ],
  { configuration: configurationOf(SECRET) },
)

/** What is asked, and nothing of how it is spelled. */
const ANSWERS = {
  endpoint: fc.constantFrom('any', 'own'),
  version: fc.constantFrom('v1', 'v2'),
  land: fc.constantFrom('a', 'b', 'a b'),
  town: fc.constantFrom('a', 'b', 'ä'),
  user: fc.constantFrom(null, '1', '2', '12'),
  name: fc.constantFrom('', 'x', 'y', 'x,y', '"'),
  size__gte: fc.constantFrom('', '1', '11'),
  search: fc.constantFrom('', 'x', 'y'),
  ordering: fc.constantFrom('', 'size', '-size'),
}
const QUESTION = fc.record(ANSWERS)
type Question = typeof QUESTION extends fc.Arbitrary<infer Q> ? Q : never

const PARAMETERS = ['name', 'size__gte', 'search', 'ordering'] as const

/** Two questions that differ in few things, if in any. */
const PAIR = fc
  .tuple(
    QUESTION,
    QUESTION,
    fc.subarray(Object.keys(ANSWERS) as (keyof Question)[], { maxLength: 2 }),
  )
  .map(([first, other, changed]): readonly [Question, Question] => {
    const changes = Object.fromEntries(changed.map((key) => [key, other[key]]))
    return [first, { ...first, ...changes }]
  })

/** Written by hand, without the code that is tested. */
function boundTo({
  endpoint,
  land,
  town,
  name,
  size__gte,
  search,
  ordering,
  user,
}: Question): string {
  const asker = endpoint === 'own' ? (user ?? 'none') : 'any'
  return [endpoint, land, town, name, size__gte, search, ordering, asker].join('|')
}

/** How one address spells a question. */
const SPELLING = fc.record({
  order: fc.shuffledSubarray([...PARAMETERS], { minLength: PARAMETERS.length }),
  before: fc.subarray([...PARAMETERS]),
  isEscaped: fc.boolean(),
  hasEmpty: fc.boolean(),
  noise: fc.constantFrom('', '_=1', 'utm=x&utm=y', '&&'),
  format: fc.constantFrom('', 'format=json'),
})
type Spelling = typeof SPELLING extends fc.Arbitrary<infer S> ? S : never

function spelled(question: Question, how: Spelling): string {
  const { order, before, isEscaped, hasEmpty, noise, format } = how
  const escaped = (text: string): string =>
    isEscaped
      ? [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
      : encodeURIComponent(text)
  const pairs = order
    .filter((name) => hasEmpty || question[name] !== '')
    .map((name) => `${escaped(name)}=${escaped(question[name])}`)
  // Values that a later one hides, which has to be there.
  const hidden = before
    .filter((name) => hasEmpty || question[name] !== '')
    .map((name) => `${name}=hidden`)
  const { version, land, town, endpoint } = question
  const query = [...hidden, noise, ...pairs, format].filter(Boolean).join('&')
  const path = `/${version}/${escaped(land)}/${escaped(town)}/${endpoint}/`
  return query === '' ? path : `${path}?${query}`
}

const headersOf = ({ user }: Question) => (user === null ? {} : { 'x-user': user })

describe.each(doors(app))('$name', (door) => {
  test('a cursor opens exactly where it is bound to the same', async () => {
    const outcomes = { 200: 0, 404: 0 }
    const property = fc.asyncProperty(
      PAIR,
      SPELLING,
      SPELLING,
      async ([made, used], how, other) => {
        const cursor = await cursorAt(door, spelled(made, how), headersOf(made))
        source.reads = 0
        const path = withCursor(spelled(used, other), cursor)
        const { status } = await door.send({ method: 'GET', path, headers: headersOf(used) })
        const isSame = boundTo(made) === boundTo(used)
        expect({ status, reads: source.reads }).toEqual(
          isSame ? { status: 200, reads: 1 } : { status: 404, reads: 0 },
        )
        outcomes[isSame ? 200 : 404] += 1
      },
    )
    await fc.assert(property, { numRuns: door.name === 'fetch door' ? 500 : 150 })
    // Neither answer is rare enough to prove nothing.
    expect(Math.min(outcomes[200], outcomes[404])).toBeGreaterThan(30)
  })
})
