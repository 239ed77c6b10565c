import { expect, test } from 'vitest'
import { PURPOSES, type Purpose, deriveKey } from '../../../src/core/secrets/keys.ts'

const bytesOf = (secret: string, purpose: Purpose): string =>
  deriveKey(secret, purpose).export().toString('hex')

test('one secret gives the same key of 32 bytes for a purpose, and others for other purposes and secrets', () => {
  const keys = PURPOSES.map((purpose) => bytesOf('secret', purpose))
  expect(keys).toEqual(PURPOSES.map((purpose) => bytesOf('secret', purpose)))
  for (const key of keys) expect(key).toMatch(/^[0-9a-f]{64}$/)
  expect(new Set(keys).size).toBe(PURPOSES.length)
  for (const purpose of PURPOSES) expect(keys).not.toContain(bytesOf('Secret', purpose))
})

test('keys stay what they are from release to release: tokens depend on them', () => {
  expect(bytesOf('secret', 'token digest')).toBe(
    '2c0ca80b1d69864b9843d49a225babbef694f04d8166cd032060b17bf69c56a6',
  )
})
