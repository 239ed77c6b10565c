import { pbkdf2 } from 'node:crypto'
import { type Check, comparing } from './check.ts'

const DJANGO = /^pbkdf2_(sha256|sha1)\$(\d{1,8})\$([^$]{1,128})\$([A-Za-z0-9+/]{27,43}=)$/
const MOST_ITERATIONS = 10_000_000

/** Django's `pbkdf2_sha256$iterations$salt$hash`, and the same with `sha1`. */
export function pbkdf2Hash(encoded: string): Check | null {
  const found = DJANGO.exec(encoded)
  if (found === null) return null
  const [, digest, times, salt, tag] = found as unknown as readonly string[]
  const iterations = Number(times)
  if (iterations < 1 || iterations > MOST_ITERATIONS) return null
  return comparing(Buffer.from(tag!, 'base64'), (password, length, done) =>
    pbkdf2(password, salt!, iterations, length, digest!, done),
  )
}
