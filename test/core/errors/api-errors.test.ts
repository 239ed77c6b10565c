import { expect, test } from 'vitest'
import { NotFound, stackless } from '../../../src/core/errors/api-errors.ts'

test('a copy of an error has the stack of where it was thrown, for the log', () => {
  const error = new NotFound()
  const copies = [error.answeredWith(410), error.inWords(() => 'Gone.')]
  for (const copy of [...copies, ...copies.map((each) => each.answeredWith(404))])
    expect(copy.stack).toBe(error.stack)
  expect(error.stack).toContain('api-errors.test.ts')
})

test('a copy is an error of the same class, and shows what the first shows', () => {
  for (const error of [new NotFound('Gone.'), stackless(() => new NotFound('Gone.'))]) {
    const copy = error.answeredWith(410, { Link: '</>' })
    expect(copy).toBeInstanceOf(NotFound)
    expect(String(copy)).toBe('NotFound: Gone.')
    expect({ ...copy }).toEqual({ ...error, status: 410, headers: { Link: '</>' } })
    expect(error).toMatchObject({ status: 404, headers: {} })
    expect(copy.stack).toBe(error.stack)
  }
})

test('the usual words of an error, which are those of many requests, cannot be changed', () => {
  const { detail } = new NotFound()
  expect(() => Object.assign(detail, { message: 'row 17 of bob' })).toThrow(TypeError)
  expect(new NotFound().detail).toEqual(detail)
})
