import { kept } from '../../scripts/pictures/rows.ts'
import {
  type App,
  IsAuthenticatedOrReadOnly,
  SearchFilter,
  SessionAuthentication,
  arraySource,
  configurationOf,
  create,
  defineApi,
  defineUrls,
  destroy,
  field,
  list,
  partialUpdate,
  retrieve,
  serializer,
  update,
} from '../../src/index.ts'
import { ActAs, actAsPages, actAsUrls, loginPages, loginUrls } from '../../src/browsable.ts'
import type { Accounts } from '../../src/accounts.ts'

export const HOSTILE = '"><img src=x onerror=alert(1)><script>alert(2)</script>'

export interface Book {
  readonly id: number
  readonly title: string
  readonly author_id: number
  readonly editor_id: number | null
  readonly kind: 'novel' | 'play'
  readonly tags: readonly string[]
  readonly done: boolean
  readonly owner: string
}

const authors = Array.from({ length: 300 }, (_, at) => ({ id: at + 1, name: `Author ${at + 1}` }))
const author = serializer({
  id: field.integer({ readOnly: true }),
  url: field.identity('author-detail'),
  name: field.text({ maxLength: 50 }),
})
const book = serializer({
  url: field.identity('book-detail'),
  title: field.text({ maxLength: 20, helpText: 'As on the cover.' }),
  author: field.hyperlink('author-detail', { source: 'author_id' }),
  editor: field.related(
    { find: (id) => authors.find((one) => one.id === id), list: 'author-list' },
    { source: 'editor_id', required: false, nullable: true },
  ),
  kind: field.choice({ novel: 'A novel', play: 'A play' }),
  tags: field.list(field.text(), { required: false, default: [] }),
  done: field.boolean({ default: false }),
})
/** Names that a form, or an object, has by nature. */
const odd = serializer({
  action: field.text({ label: HOSTILE, helpText: HOSTILE }),
  dataset: field.text({ maxLength: 50 }),
  elements: field.text({ maxLength: 50, default: '' }),
  querySelector: field.choice({ [HOSTILE]: HOSTILE, b: 'B' }),
  'a"b<i>': field.text({ maxLength: 50, default: HOSTILE }),
})

/** A service with forms of all kinds, whose books lie open. */
export function formService(accounts: Accounts, books: Book[]): App {
  const actAs = new ActAs({ accounts })
  const api = defineApi({
    urls: defineUrls({
      ...loginUrls,
      ...actAsUrls,
      'book-list': '/books/',
      'book-detail': '/books/:id<int>/',
      'author-list': '/authors/',
      'author-detail': '/authors/:id<int>/',
      odd: '/odd/',
    }),
    accounts,
    authentication: [new SessionAuthentication({ sessions: accounts.sessions, actAs })],
    permissions: [new IsAuthenticatedOrReadOnly()],
    filters: [new SearchFilter()],
    pagination: null,
    logger: { error: console.error },
  })
  const { find, save, remove } = kept(books)
  return api.serve(
    [
      ...loginPages(api, { accounts }),
      ...actAsPages(api, { accounts, actAs }),
      api
        .endpoint('book-list')
        .get(
          list({
            source: ({ user }) =>
              arraySource(books.filter(({ owner }) => user.isStaff || owner === user.username)),
            serializer: book,
          }),
        )
        .post(
          create({
            serializer: book,
            save: (input, { user }) => {
              const made = {
                editor_id: null,
                ...input,
                id: books.length + 1,
                owner: user.username,
              } as Book
              books.push(made)
              return made
            },
          }),
        ),
      api
        .endpoint('book-detail')
        .get(retrieve({ find, serializer: book }))
        .put(update({ find, serializer: book, save }))
        .patch(partialUpdate({ find, serializer: book, save }))
        .delete(destroy({ find, remove })),
      api
        .endpoint('author-list')
        .get(list({ source: arraySource(authors), serializer: author, searchFields: ['name'] })),
      api.endpoint('author-detail').get(
        retrieve({
          find: kept(authors).find,
          serializer: author,
        }),
      ),
      api
        .endpoint('odd', { permissions: [] })
        .get(() => ({ [HOSTILE]: HOSTILE }))
        .post(create({ serializer: odd, save: (input) => input }))
        .put(create({ serializer: odd, save: (input) => input })),
    ],
    { configuration: configurationOf() },
  )
}
