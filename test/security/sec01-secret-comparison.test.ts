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
  const ratios = Array.from({ length: 9 }, () => time(secret, first) / time(secret, last))
  const median = ratios.toSorted((a, b) => a - b)[4]!
  // A comparison that stops at the first difference is some ten times faster for the first.
  expect(median).toBeGreaterThan(0.5)
  expect(median).toBeLessThan(2)
})

function time(secret: string, sent: string): number {
  const begun = performance.now()
  for (let i = 0; i < 5000; i++) safeEqual(secret, sent)
  return performance.now() - begun
}
