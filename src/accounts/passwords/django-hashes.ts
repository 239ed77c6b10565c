import { pbkdf2, scrypt } from 'node:crypto'
import { once } from 'node:events'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import { ConfigurationError } from '../../errors/configuration-error.ts'
import { sha256 } from '../../std/crypto/digest.ts'
import { type HashFormat, comparing, formatOf } from './argon2.ts'
import type { BcryptAnswer, BcryptQuestion } from './bcrypt-worker.ts'

const PBKDF2 = /^pbkdf2_(sha256|sha1)\$(\d{1,8})\$([^$]{1,128})\$([A-Za-z0-9+/]{27,43}=)$/
const MOST_ITERATIONS = 10_000_000
const derivePbkdf2 = promisify(pbkdf2)

/** Django's `pbkdf2_sha256$iterations$salt$hash`, and the same with `sha1`. */
export const pbkdf2Hash: HashFormat = formatOf(PBKDF2, (digest, times, salt, tag) => {
  const iterations = Number(times)
  if (iterations < 1 || iterations > MOST_ITERATIONS) return null
  return comparing(tag, (password, length) =>
    derivePbkdf2(password, salt, iterations, length, digest),
  )
})

const SCRYPT =
  /^scrypt\$(\d{1,8})\$([^$]{1,128})\$(\d{1,3})\$(\d{1,3})\$([A-Za-z0-9+/]{22,86}={0,2})$/
const deriveScrypt = promisify<string, string, number, object, Buffer>(scrypt)
const LARGEST_MEMORY = 2 ** 28
const MOST_WORK = 2 ** 24

/** Django's `scrypt$work_factor$salt$block_size$parallelism$hash`. */
export const scryptHash: HashFormat = formatOf(SCRYPT, (work, salt, block, lanes, tag) => {
  const [N, r, p] = [Number(work), Number(block), Number(lanes)]
  // RFC 7914 §2: N is a power of two. At most 256 MiB, and a few seconds.
  const isPossible = Number.isInteger(Math.log2(N)) && N >= 2 && r >= 1 && p >= 1
  if (!isPossible || 128 * N * r > LARGEST_MEMORY || N * r * p > MOST_WORK) return null
  const options = { N, r, p, maxmem: 256 * r * (N + p + 2) }
  return comparing(tag, (password, length) => deriveScrypt(password, salt, length, options))
})

const BCRYPT = /^bcrypt(_sha256)?\$(\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53})$/
const FEWEST_ROUNDS = 4
const MOST_ROUNDS = 16

/** Django's `bcrypt_sha256$$2b$…` and `bcrypt$$2b$…`, on a thread: JavaScript holds up requests. */
export const bcryptHash: HashFormat = formatOf(BCRYPT, (hashed, encoded, rounds) => {
  if (Number(rounds) < FEWEST_ROUNDS || Number(rounds) > MOST_ROUNDS) return null
  return (password) => askWorker({ password: hashed ? sha256(password) : password, encoded })
})

const HERE = import.meta.url
// The worker is not imported, so that its name has to follow the build's.
const WORKER = new URL(`./bcrypt-worker${HERE.slice(HERE.lastIndexOf('.'))}`, HERE)

async function askWorker(question: BcryptQuestion): Promise<boolean> {
  // What this process was started with is not meant for the thread.
  const worker = new Worker(WORKER, { workerData: question, execArgv: [] })
  const [answer] = (await once(worker, 'message')) as [BcryptAnswer]
  if (answer !== 'missing') return answer === 'fits'
  throw new ConfigurationError(
    'There are bcrypt hashes among the passwords, and the package bcryptjs is not installed. Run: npm install bcryptjs',
  )
}
