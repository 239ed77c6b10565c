// Cursors: the source must be able to begin at a row, and know what the style orders by.
import { CursorPagination, type Ordering, arraySource, list } from 'colophon'
import type { LinkedPage, ListSource, Paginator, SeekableSource } from 'colophon/types'
import { type Equal, expectType } from './expect.ts'
import { type Article, api, articles, members } from './fixtures.ts'

type Field = 'id' | 'title' | 'created'
declare const feed: SeekableSource<Article, Field>
declare function feedOf(author: number): SeekableSource<Article, Field>
declare const dynamic: string
declare const ordering: Ordering

const articleList = () => api.endpoint('article-list')

export function sources(): void {
  // by default the newest come first
  articleList().get(list({ source: feed, pagination: new CursorPagination() }))
  articleList().get(list({ source: feed, pagination: new CursorPagination({ pageSize: 5 }) }))
  // @ts-expect-error which needs something to be new by
  articleList().get(list({ source: untimed, pagination: new CursorPagination() }))
  // a source that cannot begin at a row
  // @ts-expect-error does not do
  articleList().get(list({ source: articles, pagination: new CursorPagination() }))
  // @ts-expect-error nor one that a function gives
  articleList().get(list({ source: () => articles, pagination: new CursorPagination() }))
  // a function that gives a source which can
  members
    .endpoint('article-list')
    .get(list({ source: ({ user }) => feedOf(user.id), pagination: new CursorPagination() }))
  // an array can, once its rows can be told apart
  const rows = [{ id: 1, created: '2024' }]
  articleList().get(
    list({ source: arraySource(rows, { key: 'id' }), pagination: new CursorPagination() }),
  )
  // @ts-expect-error and only then
  articleList().get(list({ source: arraySource(rows), pagination: new CursorPagination() }))
}
declare const untimed: SeekableSource<Article, 'id' | 'title'>

export function orderings(): void {
  const served = <S extends SeekableSource<Article, Field>>(
    source: S,
    pagination: Paginator<S, LinkedPage>,
  ) => articleList().get(list({ source, pagination }))
  served(feed, new CursorPagination({ ordering: 'title' }))
  served(feed, new CursorPagination({ ordering: '-title' }))
  served(feed, new CursorPagination({ ordering: ['-title', 'id'] }))
  served(feed, new CursorPagination({ ordering: { field: 'title', nulls: 'last' } }))
  served(feed, new CursorPagination({ ordering: ['id', { field: 'title', descending: true }] }))
  // @ts-expect-error a slip of the pen
  served(feed, new CursorPagination({ ordering: '-crated' }))
  // @ts-expect-error in a list
  served(feed, new CursorPagination({ ordering: ['id', '-crated'] }))
  // @ts-expect-error in an object
  served(feed, new CursorPagination({ ordering: { field: 'crated' } }))
  // @ts-expect-error in a list of objects
  served(feed, new CursorPagination({ ordering: ['id', { field: 'crated' }] }))
  const [slip, crated] = ['crated', new CursorPagination({ ordering: 'crated' })] as const
  // @ts-expect-error seen by the list itself too
  articleList().get(list({ source: feed, pagination: crated }))
  // @ts-expect-error and where a function gives the source
  articleList().get(list({ source: () => feed, pagination: crated }))
  // @ts-expect-error also from a constant
  served(feed, new CursorPagination({ ordering: slip }))
  // what only the running program knows asks for nothing
  served(feed, new CursorPagination({ ordering: dynamic }))
  served(feed, new CursorPagination({ ordering: [dynamic, 'id'] }))
  served(feed, new CursorPagination({ ordering: { field: dynamic } }))
  served(feed, new CursorPagination({ ordering }))
  // but what stands beside it does
  // @ts-expect-error
  served(feed, new CursorPagination({ ordering: [dynamic, 'crated'] }))
}

export function options(): void {
  const made: unknown[] = []
  // @ts-expect-error an order there must be
  made.push(new CursorPagination({ ordering: null }))
  // @ts-expect-error of words
  made.push(new CursorPagination({ ordering: 7 }))
  // @ts-expect-error rows without a value stand at one end
  made.push(new CursorPagination({ ordering: { field: 'id', nulls: 'middle' } }))
  // @ts-expect-error a cursor is of a user, or of none
  made.push(new CursorPagination({ bindTo: 'session' }))
  // @ts-expect-error no offsets, so none to cut off
  made.push(new CursorPagination({ offsetCutoff: 1000 }))
  const page = new CursorPagination().paginate(feed, {} as never)
  // the page has links and no count
  expectType<Equal<Awaited<typeof page>, LinkedPage | null>>()
}

export function settings(): void {
  // a style of all lists may ask for more than some sources can
  api.endpoint('article-list', { pagination: new CursorPagination() })
  // which a list that is known finds when it starts
  expectType<CursorPagination extends Paginator<ListSource<unknown>> ? false : true>()
}
