import { describe, expect, test } from 'vitest'
import { readMoment } from '../../../src/core/std/moment.ts'

describe('a point in time as people write it', () => {
  test.each([
    ['2027-01-31', '2027-01-31T00:00:00.000Z'],
    ['2027-01-31T18:00Z', '2027-01-31T18:00:00.000Z'],
    ['2027-01-31T18:00:30+01:00', '2027-01-31T17:00:30.000Z'],
    ['2027-01-31T18:00:30.5-00:30', '2027-01-31T18:30:30.500Z'],
    ['2027-01-31T18:00:30.123456789Z', '2027-01-31T18:00:30.123Z'],
    ['2028-02-29', '2028-02-29T00:00:00.000Z'],
  ])('%s is %s', (text, instant) => {
    expect(new Date(readMoment(text)!).toISOString()).toBe(instant)
  })

  test.each([
    '',
    'tomorrow',
    '2027',
    '2027-1-31',
    '2027-01-31T18:00',
    '2027-01-31 18:00Z',
    '2027-01-31T18:00+0100',
    '2027-01-31T18Z',
    '2027-01-31T25:00Z',
    '2027-02-30',
    '2027-02-30T10:00Z',
    '2027-13-01',
  ])('%j is none', (text) => expect(readMoment(text)).toBeNull())
})
