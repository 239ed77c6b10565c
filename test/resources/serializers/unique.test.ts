import { expect, test } from 'vitest'
import { type ErrorDetail, arraySource, unique } from '../../../src/index.ts'
import type { ReadContext } from '../../../src/resources/serializers/declaration.ts'

const rows = [
  { id: 1, isbn: 'a', pages: 10 },
  { id: 2, isbn: 'b', pages: 20 },
]
const books = { key: 'id', source: arraySource<(typeof rows)[number]>(rows) }
const context = (existing: object | null) => ({ existing }) as ReadContext

test.each([
  ['a taken value', 'a', null, 'unique'],
  ['a free value', 'c', null, null],
  ['its own value', 'a', rows[0]!, null],
  ['that of another', 'b', rows[0]!, 'unique'],
  ['its own, while it is not a row of these', 'a', {}, 'unique'],
])('%s', async (_title, value, existing, code) => {
  const said = await unique(books, 'isbn')(value, context(existing))
  expect((said as ErrorDetail | null)?.code ?? null).toBe(code)
})

test('a value that the column cannot hold is in no row', async () => {
  expect(await unique(books, 'pages')('abc', context(null))).toBe(null)
  expect(await unique(books, 'pages')(2n ** 80n, context(null))).toBe(null)
})

test('what else goes wrong comes out', async () => {
  const broken = { ...books.source, where: () => books.source, slice: () => [] }
  const source = { ...broken, where: () => ({ ...broken, slice: async () => fail() }) } as never
  await expect(unique({ key: 'id', source }, 'isbn')('a', context(null))).rejects.toThrow(
    'the disk',
  )
})

function fail(): never {
  throw new Error('the disk')
}
