// Fields whose types follow from their options.
import {
  type ApiRequest,
  type FileStore,
  type InputOf,
  type OutputOf,
  type PatchOf,
  type RowOf,
  arraySource,
  field,
  serializer,
  unique,
  uniqueTogether,
} from 'colophon'
import type { CheckedFile } from 'colophon/types'
import { type Equal, expectType } from './expect.ts'

declare const store: FileStore
interface User {
  readonly id: number
}

const entry = serializer({
  owner: field.hidden(({ user }: { user: User }) => user.id, { source: 'owner_id' }),
  later: field.hidden(async () => 'x' as const),
  begins: field.dateTime({ zone: 'Europe/Berlin', naive: 'zone' }),
  changed: field.dateTime({ format: 'unix', as: 'date' }),
  length: field.duration({ format: 'seconds' }),
  span: field.duration({ format: 'iso' }),
  medium: field.choice({ groups: { Audio: { cd: 'CD' }, Video: ['dvd', 1] } }),
  odd: field.choice({ groups: 'Groups', alone: 'Alone' }),
  media: field.multipleChoice({ groups: { Audio: ['cd'] } }),
  from: field.ip({ version: 4 }),
  price: field.decimal({ rounding: 'halfUp' }),
  scan: field.file({ types: ['application/pdf'] }),
  photo: field.image({ store, nullable: true }),
  kept: field.file({ store: (key: string) => void key, required: false }),
  pages: field.list(field.image({ store })),
})

export function whatFollows(): void {
  expectType<
    Equal<
      RowOf<typeof entry>,
      {
        readonly begins: string | Date | number
        readonly changed: string | Date | number
        readonly length: number
        readonly span: number
        readonly medium: 'cd' | 'dvd' | 1
        readonly odd: 'groups' | 'alone'
        readonly media: readonly 'cd'[]
        readonly from: string
        readonly price: string | number | bigint | { toFixed(): string }
        readonly scan: string
        readonly photo: string | null
        readonly kept: string
        readonly pages: readonly string[]
      }
    >
  >()
  expectType<
    Equal<
      OutputOf<typeof entry>,
      {
        begins: string
        changed: number
        length: number
        span: string
        medium: 'cd' | 'dvd' | 1
        odd: 'groups' | 'alone'
        media: readonly 'cd'[]
        from: string
        price: string
        scan: string
        photo: string | null
        kept: string
        pages: string[]
      }
    >
  >()
  expectType<
    Equal<
      InputOf<typeof entry>,
      {
        owner_id: number
        later: 'x'
        begins: string
        changed: Date
        length: number
        span: number
        medium: 'cd' | 'dvd' | 1
        odd: 'groups' | 'alone'
        media: 'cd'[]
        from: string
        price: string
        scan: CheckedFile
        photo: string | null
        kept?: string
        pages: string[]
      }
    >
  >()
  expectType<Equal<PatchOf<typeof entry>['owner_id'], number | undefined>>()
}

export function whatIsRefused(request: ApiRequest): void {
  // @ts-expect-error no version 5
  field.ip({ version: 5 })
  // @ts-expect-error SVG is no image
  field.image({ types: ['image/svg+xml'] })
  // @ts-expect-error limits of pixels are for images
  field.file({ maxWidth: 100 })
  // @ts-expect-error a misspelt form
  field.dateTime({ format: 'unixtime' })
  // @ts-expect-error a misspelt rounding
  field.decimal({ rounding: 'half' })
  // @ts-expect-error it is never required of clients
  field.hidden(() => 1, { required: true })
  // @ts-expect-error a validator sees the file
  field.file({ store, validators: [(value: string) => value] })
  void request
}

interface Book {
  readonly id: number
  readonly title: string
  readonly organisation: number
}
const books = { key: 'id', source: arraySource<Book>([]) }

export function uniqueness(): void {
  unique(books, 'title', { ignoreCase: true })
  unique(({ user }: { user: User }) => (user.id === 1 ? books : books), 'title')
  uniqueTogether(books, ['title', 'organisation'], { ignoreCase: ['title'] })
  uniqueTogether(books, ['title', 'organisation'], {
    values: ({ user }: { user: User }) => ({ organisation: user.id }),
  })
  // @ts-expect-error no such column
  unique(books, 'isbn')
  // @ts-expect-error no such column
  uniqueTogether(books, ['title', 'isbn'])
  // @ts-expect-error no such column
  uniqueTogether(books, ['title'], { ignoreCase: ['isbn'] })
}
