import { expect, test } from 'vitest'
import { NotFound } from '../../../src/core/errors/api-errors.ts'

test('a copy of an error has the stack of where it was thrown, for the log', () => {
  const error = new NotFound()
  for (const copy of [error.answeredWith(410), error.inWords(() => 'Gone.')])
    expect(copy.stack).toBe(error.stack)
  expect(error.stack).toContain('api-errors.test.ts')
})
