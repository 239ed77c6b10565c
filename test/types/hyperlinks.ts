// Links: what they ask of rows, what input becomes, and which names and parameters there are.
import {
  type ApiRequest,
  type InputOf,
  type MaybePromise,
  type OutputOf,
  type PatchOf,
  type RowOf,
  defineUrls,
  field,
  hyperlinks,
  include,
  serializer,
} from 'colophon'
import { type Equal, expectType } from './expect.ts'

declare const request: ApiRequest

interface Person {
  readonly id: number
  readonly name: string
}
declare const findPerson: (id: number) => MaybePromise<Person | null>
declare const findTeam: (key: string) => MaybePromise<Person | null>

const article = serializer({
  url: field.identity('article-detail'),
  slug: field.identity({ route: 'article-by-slug', param: 'slug' }),
  page: field.identity('page-detail', { source: 'page_id', nullable: true }),
  part: field.identity({
    route: 'part-detail',
    params: (row: { readonly book: number; readonly number: number }) => ({
      book: row.book,
      number: row.number,
    }),
  }),
  author: field.hyperlink('user-detail', { source: 'author_id' }),
  editor: field.hyperlink('user-detail', { source: 'editor_id', nullable: true, required: false }),
  owner: field.hyperlink(
    { route: 'user-detail', find: findPerson },
    { source: 'owner_id', as: 'row' },
  ),
  team: field.hyperlink({ route: 'team-detail', key: field.uuid() }, { source: 'team_key' }),
  tags: field.list(field.hyperlink('tag-detail'), { source: 'tag_ids' }),
  seen: field.hyperlink('user-detail', { readOnly: true, source: 'seen_by.id' }),
})
type Row = RowOf<typeof article>
type Input = InputOf<typeof article>

expectType<
  Equal<
    Row,
    {
      readonly id: string | number | bigint
      readonly slug: string | number | bigint
      readonly page_id: string | number | bigint | null
      readonly book: number
      readonly number: number
      readonly author_id: number
      readonly editor_id: number | null
      readonly owner_id: number
      readonly team_key: string
      readonly tag_ids: readonly number[]
      readonly seen_by: { readonly id: number }
    }
  >
>()
expectType<Equal<OutputOf<typeof article>['url'], string>>()
expectType<Equal<OutputOf<typeof article>['page'], string | null>>()
expectType<Equal<OutputOf<typeof article>['part'], string>>()
expectType<Equal<OutputOf<typeof article>['editor'], string | null>>()
expectType<Equal<OutputOf<typeof article>['tags'], string[]>>()
// the input holds keys, or rows where that was asked for
expectType<Equal<Input['author_id'], number>>()
expectType<Equal<Input['editor_id'], number | null | undefined>>()
expectType<Equal<Input['owner_id'], Person>>()
expectType<Equal<Input['team_key'], string>>()
expectType<Equal<Input['tag_ids'], number[]>>()
expectType<Equal<PatchOf<typeof article>['author_id'], number | undefined>>()
// links to the row itself are only shown (U27)
expectType<Equal<'id' extends keyof Input ? true : false, false>>()
expectType<Equal<'slug' extends keyof Input ? true : false, false>>()

declare const row: Row
article.represent(row, request)
// @ts-expect-error the row must hold the key
article.represent({ ...row, author_id: undefined }, request)
// @ts-expect-error a key may be null only where the field may be
article.represent({ ...row, author_id: null }, request)
// @ts-expect-error nobody writes a link to the row itself
field.identity('article-detail', { required: true })
// @ts-expect-error an option that there is not
field.hyperlink('user-detail', { sourse: 'author_id' })
// @ts-expect-error keys are found by the type that they are read as
field.hyperlink({ route: 'team-detail', key: field.uuid(), find: findPerson })

const urls = defineUrls({
  'article-list': '/articles/',
  'article-detail': '/articles/:id<int>/',
  'tag-detail': '/tags/:slug<slug>/',
  either: ['/either/:id<int>/', '/either/:id<slug>/'],
  v1: include('/v1', { 'user-detail': '/users/:id<int>/', 'team-detail': '/teams/:key<uuid>/' }),
  v2: include('/v2', { 'user-detail': '/users/:id<int>/' }),
})
const link = hyperlinks(urls)
const linked = serializer({
  url: link.identity('article-detail'),
  tag: link.identity({ route: 'tag-detail', param: 'slug' }, { source: 'tag_slug' }),
  author: link.hyperlink('user-detail', { source: 'author_id' }),
  old: link.hyperlink('v1:user-detail', { source: 'old_id', nullable: true }),
  team: link.hyperlink(
    { route: 'team-detail', param: 'key', find: findTeam },
    { source: 'team_key', as: 'row' },
  ),
  either: link.hyperlink('either', { source: 'any_key' }),
})
expectType<
  Equal<
    RowOf<typeof linked>,
    {
      readonly id: number
      readonly tag_slug: string
      readonly author_id: number
      readonly old_id: number | null
      readonly team_key: string
      readonly any_key: string | number
    }
  >
>()
expectType<Equal<InputOf<typeof linked>['author_id'], number>>()
expectType<Equal<InputOf<typeof linked>['old_id'], number | null>>()
expectType<Equal<InputOf<typeof linked>['team_key'], Person>>()
expectType<Equal<InputOf<typeof linked>['any_key'], string | number>>()
// @ts-expect-error no such address
link.identity('article-detial')
// @ts-expect-error no such namespace
link.hyperlink('v3:user-detail')
// @ts-expect-error its key is not called id: which parameter is it?
link.identity('tag-detail')
// @ts-expect-error an address without a key
link.identity('article-list')
// @ts-expect-error a parameter that it does not take
link.hyperlink({ route: 'tag-detail', param: 'id' })
// @ts-expect-error a number is no slug
link.hyperlink({ route: 'tag-detail', param: 'slug', find: findPerson })
