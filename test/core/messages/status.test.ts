import { STATUS_CODES } from 'node:http'
import { expect, test } from 'vitest'
import { ENGLISH } from '../../../src/core/messages/words.ts'

/** As RFC 9110 names them. */
const RENAMED = { 413: 'Content Too Large', 422: 'Unprocessable Content' }
/** No answer of an application: of other layers, or of other protocols. */
const LEFT_OUT = Object.fromEntries(
  [100, 101, 102, 103, 207, 208, 226, 305, 407, 418, 423, 424, 425, 451]
    .concat([505, 506, 507, 508, 509, 510, 511])
    .map((status) => [status, '']),
)

test.each([
  [200, 'OK'],
  [404, 'Not Found'],
  [429, 'Too Many Requests'],
  [418, ''],
])('%d is "%s"', (status, phrase) => {
  expect(ENGLISH.status(status)).toBe(phrase)
})

test('phrases are those that other programs print, but for names that RFC 9110 changed', () => {
  const phrases = Object.keys(STATUS_CODES).map((status) => [
    status,
    ENGLISH.status(Number(status)),
  ])
  const left = Object.fromEntries(phrases)
  expect(left).toEqual({ ...STATUS_CODES, ...RENAMED, ...LEFT_OUT })
})
