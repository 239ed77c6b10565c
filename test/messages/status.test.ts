import { STATUS_CODES } from 'node:http'
import { expect, test } from 'vitest'
import { ENGLISH } from '../../src/messages/words.ts'

test.each([
  [200, 'OK'],
  [404, 'Not Found'],
  [429, 'Too Many Requests'],
  [418, ''],
])('%d is "%s"', (status, phrase) => {
  expect(ENGLISH.status(status)).toBe(phrase)
})

test('phrases are those that other programs print, but for names that RFC 9110 changed', () => {
  const changed = new Set([413, 422])
  for (const [status, phrase] of Object.entries(STATUS_CODES)) {
    const ours = ENGLISH.status(Number(status))
    if (ours !== '' && !changed.has(Number(status))) expect(ours).toBe(phrase)
  }
})
