import { describe, expect, test } from 'vitest'
import { BoundedMap } from '../../../src/core/std/bounded-map.ts'

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

  test('what is used stays, however much else comes once', () => {
    const map = new BoundedMap<string, number>(3)
    map.set('used', 1)
    for (let key = 0; key < 1000; key++) {
      map.set(String(key), key)
      expect(map.get('used')).toBe(1)
    }
    expect([map.size, map.get('999'), map.get('997')]).toEqual([3, 999, undefined])
  })

  test('where everything is used, what was used first is forgotten first', () => {
    const map = new BoundedMap<string, number>(3)
    for (const key of ['a', 'b', 'c']) map.set(key, 1)
    for (const key of ['a', 'b', 'c']) map.get(key)
    map.set('d', 1)
    expect(['a', 'b', 'c', 'd'].map((key) => map.get(key))).toEqual([undefined, 1, 1, 1])
  })

  test('forgets what it is asked to forget', () => {
    const map = new BoundedMap<string, number>(2)
    map.set('a', 1)
    map.delete('a')
    map.delete('never there')
    expect([map.get('a'), map.size]).toEqual([undefined, 0])
  })

  test('weighs what it keeps', () => {
    const map = new BoundedMap<string, string>(100, { most: 10, of: (_, text) => text.length })
    map.set('a', '1234')
    map.set('b', '1234')
    map.get('a')
    map.set('c', '12345')
    expect(['a', 'b', 'c'].map((key) => map.get(key))).toEqual(['1234', undefined, '12345'])
    map.delete('c')
    map.set('a', '1')
    map.set('d', '123456789')
    expect(['a', 'd'].map((key) => map.get(key))).toEqual(['1', '123456789'])
  })

  test('what is too heavy alone is not kept, and drives nothing out', () => {
    const map = new BoundedMap<string, string>(100, { most: 10, of: (_, text) => text.length })
    map.set('a', '1234')
    map.set('b', '12345678901')
    expect([map.get('a'), map.get('b'), map.size]).toEqual(['1234', undefined, 1])
    map.set('a', '12345678901')
    expect(map.size).toBe(0)
  })

  test('stays bounded whatever comes', () => {
    const map = new BoundedMap<number, number>(10)
    for (let key = 0; key < 1000; key++) map.set(key, key)
    expect(map.size).toBe(10)
    expect(map.get(990)).toBe(990)
    expect(map.get(989)).toBeUndefined()
  })
})
