import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { rowsAsText, textOf } from '../../src/replies/rows-as-text.ts'

const TEXT = { bytes: Buffer.from('{"a":1},{"a":2}'), count: 2 }

function opened() {
  let looks = 0
  const rows = rowsAsText(TEXT, () => {
    looks += 1
    return [{ a: 1 }, { a: 2 }]
  })
  return { rows: rows as { a: number }[], looks: () => looks }
}

describe('rows that are there as text', () => {
  test('are not made while nobody looks at them', async () => {
    const { rows, looks } = opened()
    const handedOn = { deep: [{ rows }], again: await Promise.resolve(rows) }
    expect([handedOn.again.length, Array.isArray(rows), typeof rows]).toEqual([2, true, 'object'])
    expect((rows as object) instanceof Promise).toBe(false)
    expect(Object.getPrototypeOf(rows)).toBe(Array.prototype)
    expect(textOf(handedOn.again)).toBe(TEXT)
    expect(looks()).toBe(0)
  })

  test.each<[string, (rows: { a: number }[]) => unknown, unknown]>([
    ['an index', (rows) => rows[1], { a: 2 }],
    ['an index that is none', (rows) => rows[2], undefined],
    ['at()', (rows) => rows.at(-1), { a: 2 }],
    ['a spread', (rows) => [...rows], [{ a: 1 }, { a: 2 }]],
    ['map', (rows) => rows.map(({ a }) => a), [1, 2]],
    ['concat', (rows) => [0].concat(rows as never), [0, { a: 1 }, { a: 2 }]],
    ['what map makes', (rows) => Object.getPrototypeOf(rows.map(String)), Array.prototype],
    ['keys', (rows) => Object.keys(rows), ['0', '1']],
    ['in', (rows) => 1 in rows, true],
    ['a descriptor', (rows) => Object.getOwnPropertyDescriptor(rows, 'length')?.value, 2],
    ['JSON', (rows) => JSON.stringify({ rows }), '{"rows":[{"a":1},{"a":2}]}'],
    ['console.log', (rows) => inspect({ rows }), '{ rows: [ { a: 1 }, { a: 2 } ] }'],
    ['freezing', (rows) => Object.isFrozen(Object.freeze(rows)), true],
    ['another value', (rows) => ((rows[0] = { a: 5 }), rows), [{ a: 5 }, { a: 2 }]],
    ['a new one', (rows) => (rows.push({ a: 3 }), rows), [{ a: 1 }, { a: 2 }, { a: 3 }]],
    ['copyWithin', (rows) => rows.copyWithin(0, 1), [{ a: 2 }, { a: 2 }]],
    ['a new length', (rows) => ((rows.length = 1), rows), [{ a: 1 }]],
    ['deleting', (rows) => Reflect.deleteProperty(rows, 0) && Object.keys(rows), ['1']],
    [
      'a member of its own',
      (rows) => Object.defineProperty(rows, 0, { value: { a: 9 } })[0],
      { a: 9 },
    ],
  ])('at the first look, %s, they are an array like any other', (_, look, expected) => {
    const { rows, looks } = opened()
    expect(look(rows)).toEqual(expected)
    expect(textOf(rows)).toBeNull()
    void [...rows]
    expect(looks()).toBe(1)
  })

  test('a row that cannot be shown is none for any look', () => {
    const rows = rowsAsText(TEXT, () => {
      throw new RangeError('no such row')
    })
    expect(() => rows[0]).toThrow('no such row')
    expect(() => [...rows]).toThrow('no such row')
  })

  test.each([[[]], [{}], ['[]'], [null], [undefined]])('%o has no text', (value) => {
    expect(textOf(value)).toBeNull()
  })
})
