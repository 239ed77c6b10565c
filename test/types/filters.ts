// Filters: what a list declares are names that its source knows.
import {
  type ApiRequest,
  type ArraySource,
  type Behaviour,
  CursorPagination,
  FieldFilter,
  OrderingFilter,
  PageNumberPagination,
  SearchFilter,
  arraySource,
  field,
  list,
  paginated,
  serializer,
} from 'colophon'
import type { KeyedArraySource, FilterBackend, ListSource, SeekableSource } from 'colophon/types'
import { type Equal, expectType } from './expect.ts'
import { api, articles, brief, members, person } from './fixtures.ts'

interface Book {
  readonly id: number
  readonly title: string
  readonly pages: number | null
}
declare const books: readonly Book[]
declare const booksOf: (author: number) => Promise<ArraySource<Book>>
const shelf = arraySource(books)
const articleList = () => api.endpoint('article-list')

export function fields(): void {
  articleList().get(
    list({
      source: shelf,
      // each prefix and each lookup
      searchFields: ['title', '^title', '=title', '$title', '@title', 'pages__gte'],
      orderingFields: ['id', 'pages'],
      ordering: ['-pages', { field: 'title', nulls: 'last' }],
      filterFields: ['pages', 'pages__isnull', 'id__in', 'title__istartswith'],
    }),
  )
  // one order needs no list
  articleList().get(list({ source: shelf, ordering: '-title' }))
  // `null`: there is none
  articleList().get(list({ source: shelf, searchFields: null, ordering: null }))
  // @ts-expect-error books have no such field
  articleList().get(list({ source: shelf, searchFields: ['name'] }))
  // @ts-expect-error nor one with a prefix
  articleList().get(list({ source: shelf, searchFields: ['^name'] }))
  // @ts-expect-error this is no lookup
  articleList().get(list({ source: shelf, searchFields: ['pages__over'] }))
  // @ts-expect-error one word is no list
  articleList().get(list({ source: shelf, searchFields: ['pages__in'] }))
  // @ts-expect-error books cannot be ordered by it
  articleList().get(list({ source: shelf, orderingFields: ['author'] }))
  // @ts-expect-error directions are the client's affair
  articleList().get(list({ source: shelf, orderingFields: ['-pages'] }))
  // @ts-expect-error there is no word for all of them
  articleList().get(list({ source: shelf, orderingFields: '__all__' }))
  // @ts-expect-error there is no such field to order by
  articleList().get(list({ source: shelf, ordering: '-author' }))
  // @ts-expect-error nor in the long form
  articleList().get(list({ source: shelf, ordering: { field: 'author' } }))
  // @ts-expect-error nor to filter by
  articleList().get(list({ source: shelf, filterFields: ['author'] }))
  // @ts-expect-error lookups are spelled in small letters
  articleList().get(list({ source: shelf, filterFields: ['title__iContains'] }))
  // @ts-expect-error what cannot be filtered knows no fields
  articleList().get(list({ source: articles, searchFields: ['title'] }))
}

const shown = serializer({
  number: field.integer({ source: 'id', readOnly: true }),
  heading: field.text({ source: 'title', until: 'v2' }),
  title: field.text({ since: 'v2' }),
  pages: field.integer({ nullable: true, writeOnly: true }),
  length: field.computed(({ pages }: { pages: number | null }) => pages ?? 0),
})
const short = serializer({ pages: field.integer({ nullable: true }) })

export function namesOfSerializers(): void {
  articleList().get(
    list({
      source: shelf,
      serializer: shown,
      searchFields: ['heading', '^title', { column: 'pages', lookup: 'exact' }],
      orderingFields: ['number', { name: 'pages', column: 'pages' }],
      ordering: ['-number', { field: 'title', nulls: 'last' }, { column: 'pages' }],
      filterFields: ['number__in', { name: 'longer', column: 'pages', lookup: 'gt' }],
    }),
  )
  const named = { source: shelf, serializer: shown } as const
  // @ts-expect-error clients know it as the number
  articleList().get(list({ ...named, filterFields: ['id'] }))
  // @ts-expect-error what is never shown gives nothing away
  articleList().get(list({ ...named, orderingFields: ['pages'] }))
  // @ts-expect-error no field of the books is behind it
  articleList().get(list({ ...named, searchFields: ['length'] }))
  // @ts-expect-error books have no such field to give a name to
  articleList().get(list({ ...named, filterFields: [{ name: 'isbn', column: 'isbn' }] }))
  // @ts-expect-error clients need a name for it
  articleList().get(list({ ...named, orderingFields: [{ column: 'pages' }] }))
  // one of several may have it
  const both = (request: ApiRequest) => (request.version === 'v1' ? shown : short)
  articleList().get(list({ source: shelf, serializer: both, orderingFields: ['number', 'pages'] }))
  // @ts-expect-error none of them has
  articleList().get(list({ source: shelf, serializer: both, orderingFields: ['id'] }))
  // cursors know both
  const keyed = arraySource(books, { key: 'id' })
  const pagination = new CursorPagination({ ordering: ['-number', 'id'] })
  articleList().get(list({ source: keyed, serializer: shown, pagination }))
  // @ts-expect-error a list that cannot seek has none
  articleList().get(list({ source: shelf, serializer: shown, pagination }))
  // @ts-expect-error without a serializer there is no number
  articleList().get(list({ source: keyed, pagination }))
}

export function sources(): void {
  // a function may give the source
  members
    .endpoint('article-list')
    .get(list({ source: ({ user }) => booksOf(user.id), orderingFields: ['title'] }))
  members
    .endpoint('article-list')
    // @ts-expect-error and its fields are known as well
    .get(list({ source: ({ user }) => booksOf(user.id), orderingFields: ['author'] }))
  // @ts-expect-error a key is a field
  arraySource(books, { key: 'isbn' })
  // @ts-expect-error numbers have no fields
  arraySource([1, 2, 3], { key: 'id' })
  const keyed = arraySource(books, { key: ['title', 'id'] })
  // with a key, a list can seek
  expectType<Equal<typeof keyed, KeyedArraySource<Book>>>()
  // without one it cannot
  expectType<Equal<typeof shelf, ArraySource<Book>>>()
  // @ts-expect-error and says so
  shelf.seek({ keys: [], position: null, reverse: false, limit: 1 })
  // which is what cursors ask for
  expectType<typeof keyed extends SeekableSource<Book, 'title'> ? true : false>()
  // a source that can be filtered is a list
  expectType<ArraySource<Book> extends ListSource<Book> ? true : false>()
}

declare class OwnRows implements FilterBackend {
  filter: FilterBackend['filter']
}

export function filters(): void {
  // for all, for a group, for an endpoint
  api.endpoint('article-list', { filters: [new SearchFilter(), new OrderingFilter()] })
  // for one list
  articleList().get(list({ source: shelf, filters: [new FieldFilter(), new OwnRows()] }))
  // @ts-expect-error a style is no filter
  articleList().get(list({ source: shelf, filters: [new PageNumberPagination()] }))
  // @ts-expect-error a class is not an object
  api.endpoint('article-list', { filters: [SearchFilter] })
  const apart = list({ source: shelf, filterFields: ['title'] })
  // made apart, a list suits any request
  expectType<typeof apart extends Behaviour<infer Rq> ? Equal<Rq, ApiRequest> : false>()
}

export function byHand(): void {
  articleList().get((request) => paginated(request, articles, brief))
  // the row as it is
  articleList().get(async (request) => await paginated(request, articles))
  // @ts-expect-error a person's serializer does not understand articles
  articleList().get((request) => paginated(request, articles, person))
}
