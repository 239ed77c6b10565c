import { describe, expect, test, vi } from 'vitest'
import { JSONParser } from '../../src/index.ts'
import { digitsIn } from '../../src/core/std/json/exact-json.ts'
import { expectLinear } from '../setup/linear.ts'

const LIMIT = 2.5 * 1024 * 1024
const LONG = '12345678901234567890'
const type = { type: 'application', subtype: 'json', parameters: {} }
const parser = new JSONParser()

type Item = (index: number) => string

/** A list of so many bytes, which ends with one number that loses digits. */
function listOf(item: Item, bytes: number): Buffer {
  const items: string[] = []
  for (let size = 0; size < bytes - 100; size += items.at(-1)!.length + 1) {
    items.push(item(items.length))
  }
  return Buffer.from(`[${items.join(',')},${LONG}]`)
}

/** With a reviver, which is called for each value, these cost 45, 14, 12 and 8 times as much as JSON.parse. */
describe.each<[string, Item]>([
  ['integers', (index) => String(index % 100_000)],
  ['texts', (index) => `"text ${index}"`],
  ['texts that look like large powers', () => '"1e999"'],
  ['objects', (index) => `{"id":${index},"name":"item","ok":true}`],
])('one long number in a large body of %s', (_, item) => {
  test('is found by one JSON.parse, without a reviver', () => {
    const body = listOf(item, LIMIT)
    const parse = vi.spyOn(JSON, 'parse')
    const value = parser.parse(body, type) as number[]
    const asked = parse.mock.calls.map(([text, reviver]) => [text.length, reviver])
    parse.mockRestore()
    // The number is replaced by a short one.
    expect(asked).toEqual([[body.length - LONG.length + '1e200'.length, undefined]])
    expect(digitsIn(value, String(value.length - 1))).toBe(LONG)
  })

  test('costs what the bytes cost', async () => {
    const bodies = new Map([LIMIT / 8, LIMIT].map((bytes) => [bytes, listOf(item, bytes)]))
    await expectLinear((bytes) => parser.parse(bodies.get(bytes)!, type), { size: LIMIT / 8 })
  })
})
