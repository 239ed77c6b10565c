import { expect, test } from 'vitest'
import {
  PURPOSES,
  type Purpose,
  deriveKey,
  randomKey,
  randomToken,
} from '../../../src/core/secrets/keys.ts'

const bytesOf = (secret: string, purpose: Purpose): string =>
  deriveKey(secret, purpose).export().toString('hex')

test('one secret gives the same key of 32 bytes for a purpose, and others for other purposes and secrets', () => {
  const keys = PURPOSES.map((purpose) => bytesOf('secret', purpose))
  expect(keys).toEqual(PURPOSES.map((purpose) => bytesOf('secret', purpose)))
  for (const key of keys) expect(key).toMatch(/^[0-9a-f]{64}$/)
  expect(new Set(keys).size).toBe(PURPOSES.length)
  for (const purpose of PURPOSES) expect(keys).not.toContain(bytesOf('Secret', purpose))
})

test('keys stay what they are from release to release: tokens and sessions depend on them', () => {
  expect(PURPOSES.map((purpose) => [purpose, bytesOf('secret', purpose)])).toEqual([
    ['token digest', '2c0ca80b1d69864b9843d49a225babbef694f04d8166cd032060b17bf69c56a6'],
    ['token siv', '50a12fdc96e761377188bca843001d27ae685ec38adfe6055aab17bd9567bc58'],
    ['session digest', '81583d623baa6f8de0c83a1b75154d3c5cb85df3047dfb98b8a2f2e2c424f901'],
    ['csrf of session', '62e3a5b838da7612a7110ad074f4f44f104a6876e4fa14375abcda9b74379869'],
    ['factor digest', '0831c426733c0a7240c4c09bc5108d1c45e7e2e73cddd00106de62bde319165a'],
    ['family digest', 'f3a05f14dec6e853608abd2dc42724b0946b5ec4ac163f6e905ec627649be95e'],
    ['sealed text siv', '5be2ef9b0992247d35b50a918999e61bab025c78505baa45fe57d90f3bd43c4b'],
  ])
})

test('a key of chance has 32 bytes, and a token as many as it is to have, and both are others each time', () => {
  const made = [randomKey(), randomKey()].map((key) => key.export().toString('hex'))
  const tokens = [0, 1].map(() => randomToken(32, 'hex'))
  for (const text of [...made, ...tokens]) expect(text).toMatch(/^[0-9a-f]{64}$/)
  expect(new Set([...made, ...tokens]).size).toBe(4)
  expect(randomToken(3, 'base64url')).toMatch(/^[\w-]{4}$/)
})
