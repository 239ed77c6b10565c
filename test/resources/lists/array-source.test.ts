import { expect, test } from 'vitest'
import { arraySource } from '../../../src/resources/lists/array-source.ts'
import { testListSource } from '../../contract/list-source.ts'
import { testQuerySource } from '../../contract/query-source.ts'
import { type Item, testSeekableSource } from '../../contract/seekable-source.ts'

testListSource('an array', async (size) =>
  arraySource(Array.from({ length: size }, (_, index) => ({ id: index + 1 }))),
)

const open = async (items: readonly Item[]) => {
  const rows = [...items]
  const remove = (id: number) => {
    const place = rows.findIndex((item) => item.id === id)
    rows.splice(place, place === -1 ? 0 : 1)
  }
  return { source: arraySource<Item>(rows, { key: 'id' }), remove }
}

testQuerySource('an array', open, { runs: 200 })
testSeekableSource('an array', open, { runs: 200 })

test('what happens to the array shows in its pages, which come without a promise', () => {
  const rows = ['red']
  const source = arraySource(rows)
  rows.push('green')
  expect(source.count()).toBe(2)
  expect(source.slice(0, 5)).toEqual(['red', 'green'])
})
