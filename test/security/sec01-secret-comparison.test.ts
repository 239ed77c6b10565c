// SEC1: the time of a comparison tells nothing about a secret. More: test/std/crypto/digest.test.ts, test/house/security-table.test.ts.
import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { safeEqual } from '../../src/std/crypto/digest.ts'

const SECRETS = String.raw`(?:token|secret|key|digest|tag|mac|signature)`
/** `===` between two values of which both are called like a secret. */
const COMPARED = new RegExp(
  String.raw`\b\w*${SECRETS}(?:\.\w+)?\)?\s*[!=]==\s*(?:\w+\.)*\w*${SECRETS}\b(?!\()`,
  'i',
)

test('no two secrets are compared with ===', () => {
  const lines = globSync('src/{accounts,authentication,std}/**/*.ts').flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => COMPARED.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  )
  expect(lines).toEqual([])
})

test.each([
  ['of the same length', 'a'.repeat(40), 'b'.repeat(40)],
  ['that is shorter', 'a'.repeat(40), 'a'.repeat(39)],
  ['that is empty', 'a'.repeat(40), ''],
  ['of as many letters and more bytes', 'a'.repeat(40), 'ä'.repeat(40)],
])('a wrong secret %s is refused and throws nothing', (_, secret, sent) => {
  expect(safeEqual(secret, sent)).toBe(false)
})

test('a wrong first letter takes as long as a wrong last one', () => {
  const secret = 'k'.repeat(4096)
  const [first, last] = [`x${secret.slice(1)}`, `${secret.slice(1)}x`]
  // The quickest of many short rounds, by turns: a busy machine makes rounds slower, never quicker.
  const quickest = [Infinity, Infinity]
  for (let round = 0; round < 60; round++) {
    for (const [i, sent] of [first, last].entries()) {
      quickest[i] = Math.min(quickest[i]!, time(secret, sent))
    }
  }
  const ratio = quickest[0]! / quickest[1]!
  // A comparison that stops at the first difference is some ten times faster for the first.
  expect(ratio).toBeGreaterThan(0.5)
  expect(ratio).toBeLessThan(2)
})

function time(secret: string, sent: string): number {
  const begun = performance.now()
  for (let i = 0; i < 500; i++) safeEqual(secret, sent)
  return performance.now() - begun
}
