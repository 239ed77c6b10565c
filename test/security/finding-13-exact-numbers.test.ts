import { describe, expect, test } from 'vitest'
import { JSONParser } from '../../src/index.ts'
import { digitsIn } from '../../src/std/json/exact-json.ts'

const LIMIT = 2.5 * 1024 * 1024
const LONG = '12345678901234567890'
const type = { type: 'application', subtype: 'json', parameters: {} }
const parser = new JSONParser()

/** A list as large as a body may be, which ends with one number that loses digits. */
function listOf(item: (index: number) => string): string {
  const items: string[] = []
  for (let size = 0; size < LIMIT - 100; size += items.at(-1)!.length + 1) {
    items.push(item(items.length))
  }
  return `[${items.join(',')},${LONG}]`
}

/** The first rounds warm up; of the others so many are asked until both have had a quiet one. */
const [WARM, ROUNDS] = [3, 40]

/** CPU milliseconds of this thread: what others do on the machine counts only where it takes caches away. */
function cost(work: () => unknown): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

/** How many times as much as JSON.parse: the least of one by the least of the other, in turns. */
function ratioOf(text: string, most: number): number {
  const bytes = Buffer.from(text)
  let [ours, plain] = [Infinity, Infinity]
  for (let round = 0; round < ROUNDS && !(round > WARM && ours < most * plain); round++) {
    ours = Math.min(
      ours,
      cost(() => parser.parse(bytes, type)),
    )
    plain = Math.min(
      plain,
      cost(() => JSON.parse(new TextDecoder().decode(bytes)) as unknown),
    )
  }
  return ours / plain
}

/** With a reviver these were 45, 14, 12 and 8 times as much. */
describe('one long number in a large body costs a few times JSON.parse', () => {
  test.each<[string, number, (index: number) => string]>([
    ['integers', 10, (index) => String(index % 100_000)],
    ['texts', 5, (index) => `"text ${index}"`],
    ['texts that look like large powers', 5, () => '"1e999"'],
    ['objects', 5, (index) => `{"id":${index},"name":"item","ok":true}`],
  ])('%s', (_, most, item) => {
    const text = listOf(item)
    expect(ratioOf(text, most)).toBeLessThan(most)
    const value = parser.parse(Buffer.from(text), type) as number[]
    expect(digitsIn(value, String(value.length - 1))).toBe(LONG)
  })
})
