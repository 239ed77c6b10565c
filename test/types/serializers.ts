// A declaration: what it needs of rows, what it shows, and what input becomes, all by inference.
import {
  type ApiRequest,
  type InputOf,
  type MaybePromise,
  type OutputOf,
  type PatchOf,
  type RequestWith,
  type RowOf,
  type User,
  converted,
  extend,
  field,
  list,
  many,
  omit,
  partial,
  pick,
  retrieve,
  serializer,
} from 'colophon'
import type { ReadContext, InputSerializer, StandardSchema } from 'colophon/types'
import { type Equal, expectType } from './expect.ts'
import { type Article, api, articles, versioned } from './fixtures.ts'

// A promise would be shown as {}.
const later = async (row: { body: string }) => row.body.length
// @ts-expect-error values are shown at once
field.computed(later)
// @ts-expect-error not even sometimes
field.computed((row: { body: string }) => (row.body === '' ? 0 : later(row)))
field.computed((row: { body: string }): unknown => row.body)
// a computed value may ask for parts of a request that its endpoints have
field.computed((row: { owner: number }, { user }: { user: User }) => row.owner === user.id)

const address = serializer({
  street: field.text({ maxLength: 100 }),
  floor: field.integer({ required: false }),
})
interface Person {
  readonly id: number
  readonly name: string
}
declare const findPerson: (id: number) => MaybePromise<Person | null>
declare const anyRequest: ApiRequest
declare const shownLater: Promise<{ name: string }>
declare const point: StandardSchema<unknown, { lat: number; lon: number }>

const book = serializer(
  {
    id: field.integer({ readOnly: true }),
    title: field.text({ maxLength: 200 }),
    price: field.decimal({ maxDigits: 8, decimalPlaces: 2 }),
    published: field.date({ required: false, nullable: true }),
    created: field.dateTime({ as: 'date' }),
    status: field.choice(['draft', 'public'], { default: 'draft' }),
    tags: field.list(field.text(), { maxLength: 10 }),
    address: field.nested(address, { nullable: true }),
    authorName: field.text({ source: 'author.name', readOnly: true }),
    owner: field.related({ find: findPerson }, { source: 'owner_id' }),
    words: field.computed((row: { body: string }) => row.body.length),
    secret: field.text({ writeOnly: true }),
    pages: field.integer({ since: 'v2' }),
  },
  {
    validate(input, { partial: some, existing }) {
      // what is stored, and what was sent of it
      const whole = { ...existing, ...input }
      expectType<Equal<typeof whole.title, string | undefined>>()
      // the whole object may be a part of it
      expectType<Equal<typeof input.title, string | undefined>>()
      expectType<Equal<typeof input.owner_id, number | undefined>>()
      expectType<Equal<typeof some, boolean>>()
      // @ts-expect-error nobody sends what is read only
      return input.id
    },
  },
)

export function whatFollows(): void {
  // rows: what is shown, by their names; what is only written is not asked of them
  expectType<
    Equal<
      RowOf<typeof book>,
      {
        readonly id: number
        readonly title: string
        readonly price: string | number | bigint | { toFixed(): string }
        readonly published: string | Date | null
        readonly created: string | number | Date
        readonly status: 'draft' | 'public'
        readonly tags: readonly string[]
        readonly address: { readonly street: string; readonly floor: number } | null
        readonly author: { readonly name: string }
        readonly owner_id: number
        body: string
        readonly pages: number
      }
    >
  >()
  // output: by the names that clients know; what some versions lack may be absent
  expectType<
    Equal<
      OutputOf<typeof book>,
      {
        id: number
        title: string
        price: string
        published: string | null
        created: string
        status: 'draft' | 'public'
        tags: string[]
        address: { street: string; floor: number } | null
        authorName: string
        owner: number
        words: number
        pages?: number
      }
    >
  >()
  // input: what is read only is not there, what may be missing is optional, defaults are there
  expectType<
    Equal<
      InputOf<typeof book>,
      {
        title: string
        price: string
        published?: string | null
        created: Date
        status: 'draft' | 'public'
        tags: string[]
        address: { street: string; floor?: number } | null
        owner_id: number
        secret: string
        pages?: number
      }
    >
  >()
  // a partial one has what was sent, also within objects
  expectType<Equal<PatchOf<typeof book>['title'], string | undefined>>()
  expectType<
    Equal<NonNullable<PatchOf<typeof book>['address']>, { street?: string; floor?: number }>
  >()
  // @ts-expect-error an output has no member that is only written
  void ({} as OutputOf<typeof book>).secret
  // @ts-expect-error an input has none that is only read
  void ({} as InputOf<typeof book>).words
}

export async function calling(row: RowOf<typeof book>): Promise<void> {
  expectType<Equal<ReturnType<typeof book.represent>, OutputOf<typeof book>>>()
  const complete = await book.parse({}, anyRequest)
  expectType<Equal<typeof complete, InputOf<typeof book>>>()
  const part = await book.parse({}, anyRequest, { partial: true, existing: row })
  expectType<Equal<typeof part, PatchOf<typeof book>>>()
  const all = await many(address).parse([], anyRequest)
  expectType<Equal<typeof all, { street: string; floor?: number }[]>>()
  // @ts-expect-error a row that lacks members
  book.represent({ id: 1 }, anyRequest)
  // @ts-expect-error a row whose title is another type
  book.represent({ ...row, title: 5 }, anyRequest)
  // @ts-expect-error null where it may not be
  book.represent({ ...row, title: null }, anyRequest)
}

const articleShape = { id: field.integer(), title: field.text() }

export const endpoints = [
  // a source whose rows fit
  api
    .endpoint('article-list')
    .get(list({ source: articles, serializer: serializer(articleShape) })),
  // rows may have more than is shown
  api
    .endpoint('article-list')
    .get(list({ source: articles, serializer: serializer({ id: field.integer() }) })),
  api
    .endpoint('article-list')
    // @ts-expect-error rows have no pages
    .get(list({ source: articles, serializer: serializer({ pages: field.integer() }) })),
  api
    .endpoint('article-list')
    // @ts-expect-error their number is no text
    .get(list({ source: articles, serializer: serializer({ id: field.text() }) })),
  api.endpoint('article-list').get(
    list({
      // @ts-expect-error what is computed needs a body
      source: articles,
      serializer: serializer({ n: field.computed((row: { body: string }) => row.body.length) }),
    }),
  ),
  api.endpoint('article-list').get(
    list({
      // @ts-expect-error there is no name of that source
      source: articles,
      serializer: serializer({ title: field.text({ source: 'headline' }) }),
    }),
  ),
  // one object likewise
  api.endpoint('article-detail').get(
    retrieve({
      find: (): Article | null => null,
      serializer: serializer({ title: field.text() }),
    }),
  ),
  api.endpoint('article-detail').get(
    retrieve({
      // @ts-expect-error articles have no pages
      find: (): Article | null => null,
      serializer: serializer({ pages: field.integer() }),
    }),
  ),
  // a plain object still is a serializer
  api
    .endpoint('article-list')
    .get(list({ source: articles, serializer: { represent: ({ id }) => id } })),
  versioned
    .endpoint('edition')
    .get(retrieve({ find: (): Article | null => null, serializer: serializer(articleShape) })),
]

export function options(): void {
  // choices are their literals
  const status = serializer({ it: field.choice(['a', 1]), many: field.multipleChoice({ x: 'X' }) })
  expectType<Equal<InputOf<typeof status>, { it: 'a' | 1; many: 'x'[] }>>()
  // @ts-expect-error no default but one of them
  field.choice(['a', 'b'], { default: 'c' })
  // @ts-expect-error a text has no smallest value
  field.text({ min: 1 })
  // @ts-expect-error nor a duty that is misspelt
  field.text({ maxLength: 5, requierd: false })
  // @ts-expect-error a number is no default of texts
  field.text({ default: 5 })
  // validators get the value
  field.list(field.integer(), {
    validators: [
      (items) => {
        expectType<Equal<typeof items, readonly number[]>>()
      },
    ],
  })
  field.dateTime({
    as: 'date',
    validators: [
      (at) => {
        expectType<Equal<typeof at, Date>>()
      },
    ],
  })
  // a decimal may be shown as a number, and long integers as text
  const numbers = serializer({
    price: field.decimal({ coerceToString: false }),
    key: field.bigInteger({ coerceToString: true }),
    at: field.dateTime({ as: 'milliseconds' }),
  })
  expectType<Equal<OutputOf<typeof numbers>, { price: number; key: string; at: string }>>()
  expectType<Equal<InputOf<typeof numbers>, { price: string; key: bigint; at: number }>>()
  // items may be null; dictionaries have any names
  const lists = serializer({
    them: field.list(field.integer({ nullable: true })),
    by: field.dictionary(field.boolean()),
  })
  expectType<
    Equal<InputOf<typeof lists>, { them: (number | null)[]; by: Record<string, boolean> }>
  >()
  // validators of other libraries give their output
  const place = serializer({ at: field.schema(point, { required: false }) })
  expectType<Equal<InputOf<typeof place>, { at?: { lat: number; lon: number } }>>()
  // a relation gives the key, or the row
  const related = serializer({
    key: field.related({ find: findPerson }),
    row: field.related({ find: findPerson }, { as: 'row' }),
    text: field.related({ key: field.uuid(), find: (key) => key.length }),
    store: field.related({ key: 'id', find: findPerson }, { as: 'row' }),
    user: field.related({
      find: (key, { user }: RequestWith<{ user: Person }>) => (key === user.id ? user : null),
    }),
  })
  expectType<
    Equal<
      InputOf<typeof related>,
      { key: number; row: Person; text: string; store: Person; user: number }
    >
  >()
  // @ts-expect-error only what a serializer is can be nested
  field.nested({ street: field.text() })
  // @ts-expect-error and only fields can be declared
  serializer({ a: 'text' })
}

export function validators(): void {
  // newcomer 8: validators say what they must know of the request
  serializer(
    {
      title: field.text({
        validators: [
          (value, { request }: ReadContext<RequestWith<{ user: User }>>) => {
            expectType<Equal<typeof value, string>>()
            expectType<Equal<typeof request.user, User>>()
          },
        ],
      }),
    },
    {
      validate(input, { request }: ReadContext<RequestWith<{ user: User }>>) {
        expectType<Equal<typeof input.title, string | undefined>>()
        return request.user.isStaff ? null : 'no'
      },
    },
  )
  // @ts-expect-error a text is no number
  field.text({ validators: [(value: number) => (value > 5 ? null : 'no')] })
}

export function renamed(): void {
  // newcomer 9: a member that has another name from some version on is in every input
  const two = serializer({
    subject: field.text({ source: 'title', until: 'v2' }),
    title: field.text({ since: 'v2' }),
  })
  expectType<Equal<InputOf<typeof two>, { title: string }>>()
  expectType<Equal<PatchOf<typeof two>, { title?: string }>>()
  // twice, and of another type each time
  const three = serializer({
    heading: field.text({ source: 'title', until: 'v2' }),
    subject: field.text({ source: 'title', since: 'v2', until: 'v3' }),
    title: field.integer({ since: 'v3', nullable: true }),
  })
  expectType<Equal<InputOf<typeof three>, { title: string | number | null }>>()
  // a version between them has neither
  const gap = serializer({
    subject: field.text({ source: 'title', until: 'v2' }),
    title: field.text({ since: 'v3' }),
  })
  expectType<Equal<InputOf<typeof gap>, { title?: string }>>()
  // one that may be left out makes a member that may be missing; a default does not
  const optional = serializer({
    subject: field.text({ source: 'title', until: 'v2', required: false }),
    title: field.text({ since: 'v2' }),
  })
  expectType<Equal<InputOf<typeof optional>, { title?: string }>>()
  const filled = serializer({
    subject: field.text({ source: 'title', until: 'v2', default: '' }),
    title: field.text({ since: 'v2' }),
  })
  expectType<Equal<InputOf<typeof filled>, { title: string }>>()
  // two members that follow each other are none that is renamed
  const others = serializer({ a: field.text({ until: 'v2' }), b: field.text({ since: 'v2' }) })
  expectType<Equal<InputOf<typeof others>, { a?: string; b?: string }>>()
}

export function derived(): void {
  const full = extend(address, { floor: field.text(), city: field.text() })
  expectType<Equal<OutputOf<typeof full>, { street: string; floor: string; city: string }>>()
  const brief = pick(book, ['id', 'title'])
  expectType<Equal<OutputOf<typeof brief>, { id: number; title: string }>>()
  expectType<Equal<InputOf<typeof brief>, { title: string }>>()
  // @ts-expect-error there is no such field
  pick(book, ['name'])
  const rest = omit(address, ['floor'])
  expectType<Equal<RowOf<typeof rest>, { readonly street: string }>>()
  const loose = partial(address)
  expectType<Equal<InputOf<typeof loose>, { street?: string; floor?: number }>>()
  // whoever saves needs a serializer that reads
  const save: <I>(reader: InputSerializer<never, unknown, never, I>) => I = () => undefined as never
  expectType<Equal<ReturnType<typeof saved>['street'], string>>()
  const saved = () => save(address)
  // @ts-expect-error one that only shows does not
  save({ represent: () => 1 })
}

// Fields that a version has in another form: what rows need, and what input becomes, is that of the newer fields.
{
  const person = serializer({
    ...converted(
      { name: field.text({ nullable: true }) },
      {
        until: 'v2',
        show: ({ first, last }: { first: string; last: string }) => ({ name: `${first} ${last}` }),
        read: ({ name }) => ({ first: name ?? '', last: '' }),
      },
    ),
    first: field.text({ since: 'v2' }),
    last: field.text({ since: 'v2', nullable: true }),
  })
  expectType<Equal<RowOf<typeof person>, { first: string; last: string }>>()
  expectType<Equal<InputOf<typeof person>, { first: string; last: string | null }>>()
  expectType<Equal<PatchOf<typeof person>, { first?: string; last?: string | null }>>()
  expectType<
    Equal<OutputOf<typeof person>, { name?: string | null; first?: string; last?: string | null }>
  >()
  const gap = serializer({
    ...converted(
      { name: field.text() },
      {
        until: 'v2',
        show: (row: { id: number }) => ({ name: String(row.id) }),
        read: ({ name }) => ({ key: name }),
      },
    ),
    key: field.text({ since: 'v3' }),
  })
  expectType<Equal<InputOf<typeof gap>, { key?: string }>>()
  converted(
    { name: field.text() },
    // @ts-expect-error a text, as the field has it
    { until: 'v2', show: (row: { id: number }) => ({ name: row.id }) },
  )
  converted(
    { name: field.text() },
    // @ts-expect-error no such field
    { until: 'v2', show: () => ({ name: '' }), read: ({ title }) => ({ title }) },
  )
  converted(
    { name: field.text() },
    // @ts-expect-error values are shown at once
    { until: 'v2', show: async () => ({ name: '' }) },
  )
  converted(
    { name: field.text() },
    // @ts-expect-error what is stored is given at once
    { until: 'v2', show: () => ({ name: '' }), read: async ({ name }) => ({ key: name }) },
  )
  converted(
    { name: field.text() },
    // @ts-expect-error not even sometimes
    { until: 'v2', show: () => ({ name: '' }), read: ({ name }) => (name ? { name } : shownLater) },
  )
  converted(
    { name: field.text() },
    // @ts-expect-error there is always something to store
    { until: 'v2', show: () => ({ name: '' }), read: ({ name }) => (name ? { key: name } : null) },
  )
}
