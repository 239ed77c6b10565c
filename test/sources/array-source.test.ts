import { expect, test } from 'vitest'
import { arraySource } from '../../src/sources/array-source.ts'
import { testListSource } from '../contract/list-source.ts'

testListSource('an array', async (size) =>
  arraySource(Array.from({ length: size }, (_, index) => ({ id: index + 1 }))),
)

test('what happens to the array shows in its pages, which come without a promise', () => {
  const rows = ['red']
  const source = arraySource(rows)
  rows.push('green')
  expect(source.count()).toBe(2)
  expect(source.slice(0, 5)).toEqual(['red', 'green'])
})
