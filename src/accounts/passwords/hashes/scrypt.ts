import { scrypt } from 'node:crypto'
import { type Check, comparing } from './check.ts'

const DJANGO =
  /^scrypt\$(\d{1,8})\$([^$]{1,128})\$(\d{1,3})\$(\d{1,3})\$([A-Za-z0-9+/]{22,86}={0,2})$/
const LARGEST_MEMORY = 2 ** 28
const MOST_WORK = 2 ** 24

/** Django's `scrypt$work_factor$salt$block_size$parallelism$hash`. */
export function scryptHash(encoded: string): Check | null {
  const found = DJANGO.exec(encoded)
  if (found === null) return null
  const [, workFactor, salt, blockSize, parallelism, tag] = found as unknown as readonly string[]
  const cost = { N: Number(workFactor), r: Number(blockSize), p: Number(parallelism) }
  if (!isBearable(cost)) return null
  const options = { ...cost, maxmem: 256 * cost.r * (cost.N + cost.p + 2) }
  return comparing(Buffer.from(tag!, 'base64'), (password, length, done) =>
    scrypt(password, salt!, length, options, done),
  )
}

/** RFC 7914 §2: N is a power of two. At most 256 MiB, and a few seconds. */
function isBearable({ N, r, p }: { readonly N: number; readonly r: number; readonly p: number }) {
  return (
    Number.isInteger(Math.log2(N)) &&
    N >= 2 &&
    r >= 1 &&
    p >= 1 &&
    128 * N * r <= LARGEST_MEMORY &&
    N * r * p <= MOST_WORK
  )
}
