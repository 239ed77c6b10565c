// A declaration: from it follow the row that is needed, what is shown, and what input becomes.
import { type InputOf, type OutputOf, type PatchOf, type RowOf, field, list, serializer } from 'colophon'
import { type Equal, expectType } from './expect.ts'
import { api, articles } from './fixtures.ts'

const article = serializer({
  id: field.integer({ readOnly: true }),
  title: field.text({ maxLength: 200 }),
  note: field.text({ required: false, nullable: true }),
  authorName: field.text({ source: 'author_name', readOnly: true }),
  words: field.text({ source: 'author.name', readOnly: true, nullable: true }),
  secret: field.text({ writeOnly: true, validators: [(v) => { expectType<Equal<typeof v, string>>() }] }),
  kind: field.text({ default: 'x', source: 'the_kind' }),
  fresh: field.integer({ since: 'v2' }),
}, { validate: (input) => { expectType<Equal<typeof input.title, string | undefined>>() } })

export const x: RowOf<typeof article> = 1
export const y: OutputOf<typeof article> = 1
export const z: InputOf<typeof article> = 1
export const w: PatchOf<typeof article> = 1
export const e = [
  api.endpoint('article-list').get(list({ source: articles, serializer: article })),
  api.endpoint('article-list').get(list({ source: articles, serializer: serializer({ id: field.integer(), title: field.text() }) })),
  api.endpoint('article-list').get(list({ source: articles, serializer: serializer({ id: field.text(), title: field.text() }) })),
]
