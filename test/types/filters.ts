// Filters: what a list declares are names that its source knows.
import {
  type ApiRequest,
  type ArraySource,
  type Behaviour,
  FieldFilter,
  type FilterBackend,
  type KeyedArraySource,
  type ListSource,
  OrderingFilter,
  PageNumberPagination,
  SearchFilter,
  type SeekableSource,
  arraySource,
  list,
  paginated,
} from 'colophon'
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
  expectType<Equal<typeof apart, Behaviour<ApiRequest>>>()
}

export function byHand(): void {
  articleList().get((request) => paginated(request, articles, brief))
  // the row as it is
  articleList().get(async (request) => await paginated(request, articles))
  // @ts-expect-error a person's serializer does not understand articles
  articleList().get((request) => paginated(request, articles, person))
}
