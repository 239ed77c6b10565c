import { expect, test } from 'vitest'
import { toRowObjects } from '../../src/std/row-objects.ts'

test('rows become objects with their members in the order of the columns', () => {
  const objects = toRowObjects({
    columns: ['b', 'a'],
    values: [
      [1, null],
      ['x', 2],
    ],
  })
  expect(objects).toEqual([
    { b: 1, a: null },
    { b: 'x', a: 2 },
  ])
  expect(JSON.stringify(objects[0])).toBe('{"b":1,"a":null}')
})

test('of two columns of one name the last one shows', () => {
  expect(toRowObjects({ columns: ['id', 'id'], values: [[1, 2]] })).toEqual([{ id: 2 }])
})
