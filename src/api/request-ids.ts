import { randomBytes } from 'node:crypto'

/**
 * Makes the values of `X-Request-Id`: unique in this process by counting, across processes by a
 * random beginning. They say nothing about anyone and cost next to nothing.
 */
export function createRequestIds(): () => string {
  const prefix = `${randomBytes(6).toString('hex')}-`
  let count = 0
  return () => prefix + (++count).toString(36)
}
