import { expect, test } from 'vitest'
import { freePort } from '../../../../scripts/servers/run-server.ts'
import { errorText, failureOf, outageOf } from '../../../../src/core/std/text/error-text.ts'
import { ConstraintViolation } from '../../../../src/core/errors/storage-errors.ts'

/** A line for each reason. */
const reasonsIn = (error: unknown) =>
  errorText(error)
    .split('\n')
    .filter((line) => !line.startsWith('    at '))

const coded = (message: string, code: unknown) => Object.assign(new Error(message), { code })

test('a request to a closed port names the port, and what the system calls it', async () => {
  const error = await fetch(`http://127.0.0.1:${await freePort()}/`).catch(
    (thrown: unknown) => thrown,
  )
  expect(reasonsIn(error)).toEqual([
    'TypeError: fetch failed',
    expect.stringMatching(/^cause: Error: connect ECONNREFUSED 127\.0\.0\.1:\d+$/),
  ])
})

test('the errors of an AggregateError are there, with their own causes', () => {
  const second = new Error('second', { cause: coded('refused', 'ECONNREFUSED') })
  const all = new AggregateError([new Error('first'), second], 'all failed', { cause: 'bad luck' })
  expect(reasonsIn(all)).toEqual([
    'AggregateError: all failed',
    'cause: bad luck',
    'one of its errors: Error: first',
    'one of its errors: Error: second',
    'cause: Error: refused (ECONNREFUSED)',
  ])
})

test('each reason has its stack, and the first text is that of before', () => {
  const error = new Error('outer', { cause: new Error('inner') })
  const text = errorText(error)
  expect(text.startsWith(`${error.stack}\ncause: Error: inner\n    at `)).toBe(true)
})

test('properties, which may hold parameters and keys, are not in it', () => {
  const cause = Object.assign(coded('syntax', '42601'), {
    parameters: ['secret'],
    password: 'secret',
  })
  const text = errorText(Object.assign(new Error('failed', { cause }), { detail: 'secret' }))
  expect(text).toContain('syntax (42601)')
  expect(text).not.toContain('secret')
  expect(errorText(new Error('a', { cause: { password: 'secret' } }))).not.toContain('secret')
  for (const code of ['a secret of words', 'x'.repeat(41), { secret: 1 }])
    expect(reasonsIn(coded('message', code))).toEqual(['Error: message'])
})

test('of what refuses a row, the value that is there already is not in it', () => {
  const cause = coded(`Duplicate entry 'alice@example.org' for key 'email'`, 'ER_DUP_ENTRY')
  const inner = new ConstraintViolation('unique', { table: 'a', columns: ['email'], cause })
  const text = errorText(new Error('outer', { cause: inner }))
  expect(text).toContain('cause: Error (ER_DUP_ENTRY)')
  expect(text).not.toContain('alice')
  expect(outageOf(inner).error).not.toContain('alice')
})

test('circles end, and so do chains and texts without an end', () => {
  const one = new Error('one')
  one.cause = new AggregateError([one, new Error('two', { cause: one })], 'all')
  expect(reasonsIn(one)).toHaveLength(3)
  let chain = new Error('0')
  for (let at = 1; at < 1000; at++) chain = new Error(String(at), { cause: chain })
  expect(reasonsIn(chain)).toHaveLength(17)
  expect(reasonsIn(chain).at(-1)).toBe('and further errors')
  const long = new Error('outer', { cause: new Error('x'.repeat(1_000_000), { cause: 'last' }) })
  expect(errorText(long).length).toBeLessThan(20_000)
  expect(
    errorText(new AggregateError(Array.from({ length: 10_000 }, (_, at) => new Error(`${at}`))))
      .length,
  ).toBeLessThan(40_000)
})

test('an outage is one line, in which nothing stands twice', () => {
  const cause = new AggregateError([coded('connect ECONNREFUSED ::1:5432', 'ECONNREFUSED')], '')
  expect(outageOf(new Error('The database is away', { cause }))).toEqual({
    error: 'The database is away: AggregateError: connect ECONNREFUSED ::1:5432',
    err: expect.any(Error),
  })
  expect(outageOf(new Error('away: broken', { cause: new Error('broken') })).error).toBe(
    'away: broken',
  )
})

test.each([
  ['a text', 'text', 'text'],
  ['nothing', undefined, 'undefined'],
  ['an object without a prototype', Object.create(null), 'an error that has no text'],
])('what is no error has its text alone: %s', (_, thrown, error) => {
  expect(failureOf(thrown)).toEqual({ error })
})

test('an error whose members throw does no harm', () => {
  const hostile = Object.defineProperty(new Error('a'), 'cause', {
    get() {
      throw new Error('never')
    },
  })
  expect(reasonsIn(hostile)).toEqual(['Error: a'])
  expect(failureOf(hostile).err).toBe(hostile)
})
