// An SQL list knows its fields: the columns of its rows, and the names that it was given beside them.
import type { Condition } from 'colophon/types'
import { type SqlSource, sqlSource } from 'colophon/sql'
import { openSqlite } from 'colophon/sqlite'
import { type Equal, expectType } from './expect.ts'

interface Tables {
  article: { id: number; title: string; author_id: number | null }
  author: { id: number; name: string }
}

const database = openSqlite({ path: 'articles.sqlite' })
const query = database
  .kysely<Tables>()
  .selectFrom('article')
  .leftJoin('author', 'author.id', 'article.author_id')
  .select(['article.id', 'title as name'])

export function fields(): void {
  const articles = sqlSource({
    database,
    query,
    key: 'article.id',
    fields: { author: 'author.name' },
  })
  expectType<
    Equal<typeof articles, SqlSource<{ id: number; name: string }, 'id' | 'name' | 'author'>>
  >()

  const key = { descending: false, nulls: 'last' } as const
  articles.orderBy([{ ...key, field: 'name' }])
  articles.orderBy([{ ...key, field: 'author' }])
  articles.where([{ field: 'author', operator: 'icontains', value: 'x' }])
  void articles.seek({ keys: [{ ...key, field: 'id' }], position: null, reverse: false, limit: 1 })

  // @ts-expect-error the table has a title, the rows call it name
  articles.orderBy([{ ...key, field: 'title' }])
  // @ts-expect-error there is no such field
  articles.where([{ field: 'auhtor', operator: 'equals', value: 1 }])
  // @ts-expect-error there is no such operator
  articles.where([{ field: 'id', operator: 'like', value: 1 }])
  void articles.seek({
    // @ts-expect-error nor is there one to start at
    keys: [{ ...key, field: 'author_id' }],
    position: null,
    reverse: false,
    limit: 1,
  })
}

export function withoutFields(): void {
  const articles = sqlSource({ database, query, key: 'article.id' })
  // what is narrowed stays what it was
  expectType<Equal<ReturnType<typeof articles.where>, typeof articles>>()
  // @ts-expect-error nothing else was named
  articles.orderBy([{ field: 'author', descending: false, nulls: 'last' }])
}

/** What `where` of a source of one's own is given can be named (newcomer 15). */
export function named({ field, parameter }: Condition<'id' | 'title'>): void {
  expectType<Equal<typeof field, 'id' | 'title'>>()
  expectType<Equal<typeof parameter, string | undefined>>()
}
