import fc from 'fast-check'
import { expect, test } from 'vitest'
import { momentValue } from '../../../src/resources/lists/filter-values.ts'

test('a date means what its text means, whatever its year and digits', () => {
  const dates = fc.oneof(fc.date({ noInvalidDate: false }), fc.date({ min: new Date(0) }))
  fc.assert(
    fc.property(dates, (date) => {
      expect(momentValue(date)).toBe(momentValue(date.toJSON()))
    }),
    { numRuns: 1000 },
  )
})

test.each([
  ['9999-12-31T23:59:59-00:01', undefined],
  ['9999-12-31T23:59:59-14:00', undefined],
  ['0000-01-01T00:00:00+14:00', undefined],
  ['9999-12-31T23:59:59+14:00', '9999-12-31 09:59:59'],
  ['9999-12-31T23:59:59.5Z', '9999-12-31 23:59:59.5'],
  ['0001-01-01T00:00:00+00:01', '0000-12-31 23:59:00'],
])('the point in time %s is %j', (text, meant) => {
  expect(momentValue(text)).toBe(meant)
})
