// SEC1: the time of a comparison tells nothing about a secret. More: test/core/secrets/digest.test.ts, test/house/security-table.test.ts.
import crypto from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { expect, test, vi } from 'vitest'
import { safeEqual } from '../../src/core/secrets/digest.ts'

const SECRETS = String.raw`(?:token|secret|key|digest|tag|mac|signature)`
/** `===` between two values of which both are called like a secret. */
const COMPARED = new RegExp(
  String.raw`\b\w*${SECRETS}(?:\.\w+)?\)?\s*[!=]==\s*(?:\w+\.)*\w*${SECRETS}\b(?!\()`,
  'i',
)

/** Keys of tables, of settings and of converters, which are no secrets. */
const OTHER_KEYS = [
  'src/core/urls/compile-urls.ts: const known = node.branches.find((branch) => branch.converter.key === converter.key)',
  'src/tools/cli/doctor/doctor-command.ts: const found = weakSecrets(app.service).filter((each) => each.key === key)',
  'src/tools/cli/inspect/write.ts: ...(key !== null && parameterOf(key) !== key.name',
]

test('no two secrets are compared with ===', () => {
  const lines = globSync('src/**/*.ts').flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => COMPARED.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  )
  expect(lines.toSorted()).toEqual(OTHER_KEYS)
})

test.each([
  ['of the same length', 'a'.repeat(40), 'b'.repeat(40)],
  ['that is shorter', 'a'.repeat(40), 'a'.repeat(39)],
  ['that is empty', 'a'.repeat(40), ''],
  ['of as many letters and more bytes', 'a'.repeat(40), 'ä'.repeat(40)],
])('a wrong secret %s is refused and throws nothing', (_, secret, sent) => {
  expect(safeEqual(secret, sent)).toBe(false)
})

test('texts of one length are compared by timingSafeEqual, whole and once', () => {
  const compared: (readonly [number, number])[] = []
  const { timingSafeEqual } = crypto
  const spy = vi.spyOn(crypto, 'timingSafeEqual').mockImplementation((one, other) => {
    compared.push([one.byteLength, other.byteLength])
    return timingSafeEqual(one, other)
  })
  syncBuiltinESMExports()
  const secret = 'k'.repeat(40)
  for (const sent of [`x${secret.slice(1)}`, `${secret.slice(1)}x`, secret]) safeEqual(secret, sent)
  spy.mockRestore()
  syncBuiltinESMExports()
  expect(compared).toEqual([40, 40, 40].map((bytes) => [bytes, bytes]))
})
