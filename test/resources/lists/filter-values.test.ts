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
