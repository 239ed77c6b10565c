import { expect, test } from 'vitest'
import { deriveKey } from '../../src/std/derive-key.ts'

test('one secret gives the same key for a purpose, and others for other purposes and secrets', () => {
  const key = deriveKey('secret', 'cursors')
  expect(key).toHaveLength(32)
  expect(deriveKey('secret', 'cursors')).toEqual(key)
  expect(deriveKey('secret', 'tokens')).not.toEqual(key)
  expect(deriveKey('Secret', 'cursors')).not.toEqual(key)
})

test('keys stay what they are from release to release: tokens depend on them', () => {
  expect(Buffer.from(deriveKey('secret', 'token digest')).toString('hex')).toBe(
    '2c0ca80b1d69864b9843d49a225babbef694f04d8166cd032060b17bf69c56a6',
  )
})
