import { describe, expect, test } from 'vitest'
import { BoundedMap } from '../../src/std/bounded-map.ts'

describe('a bounded map', () => {
  test('forgets first what came first', () => {
    const map = new BoundedMap<string, number>(2)
    map.set('a', 1)
    map.set('b', 2)
    map.set('c', 3)
    expect([map.get('a'), map.get('b'), map.get('c'), map.size]).toEqual([undefined, 2, 3, 2])
  })

  test('a known key takes no room', () => {
    const map = new BoundedMap<string, number>(2)
    map.set('a', 1)
    map.set('b', 2)
    map.set('b', 3)
    expect([map.get('a'), map.get('b'), map.size]).toEqual([1, 3, 2])
  })

  test('stays bounded whatever comes', () => {
    const map = new BoundedMap<number, number>(10)
    for (let key = 0; key < 1000; key++) map.set(key, key)
    expect(map.size).toBe(10)
    expect(map.get(990)).toBe(990)
    expect(map.get(989)).toBeUndefined()
  })
})
