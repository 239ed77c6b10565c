import { pbkdf2, scrypt } from 'node:crypto'
import { once } from 'node:events'
import { promisify } from 'node:util'
import type { Requester } from '../../core/ports/credentials.ts'
import { ConfigurationError } from '../../core/errors/configuration-error.ts'
import { BoundedMap } from '../../core/std/bounded-map.ts'
import { keyedDigest, safeEqual, sha256 } from '../../core/secrets/digest.ts'
import { randomKey, randomToken } from '../../core/secrets/keys.ts'
import {
  type Check,
  type HashFormat,
  type PasswordCost,
  argon2Hash,
  checkedCost,
  checkAgainst,
  decoyHash,
  formatOf,
  hashPassword,
  isCurrent,
} from './argon2.ts'
import { ACCOUNT_LIMITS } from '../account-input.ts'
import type { BcryptAnswer, BcryptQuestion } from './bcrypt-worker.ts'
import type { HashQueue } from './hash-queue.ts'

const LONGEST: number = ACCOUNT_LIMITS.password
const REMEMBERED = 1024

const PBKDF2 = /^pbkdf2_(sha256|sha1)\$(\d{1,8})\$([^$]{1,128})\$([A-Za-z0-9+/]{27,43}=)$/
const MOST_ITERATIONS = 10_000_000
const derivePbkdf2 = promisify(pbkdf2)

/** Django's `pbkdf2_sha256$iterations$salt$hash`, and the same with `sha1`. */
const pbkdf2Hash: HashFormat = formatOf(PBKDF2, (digest, times, salt, tag) => {
  const iterations = Number(times)
  if (iterations < 1 || iterations > MOST_ITERATIONS) return null
  return checkAgainst(tag, (password, length) =>
    derivePbkdf2(password, salt, iterations, length, digest),
  )
})

const SCRYPT =
  /^scrypt\$(\d{1,8})\$([^$]{1,128})\$(\d{1,3})\$(\d{1,3})\$([A-Za-z0-9+/]{22,86}={0,2})$/
const deriveScrypt = promisify<string, string, number, object, Buffer>(scrypt)
const LARGEST_MEMORY = 2 ** 28
const MOST_WORK = 2 ** 24

/** Django's `scrypt$work_factor$salt$block_size$parallelism$hash`. */
const scryptHash: HashFormat = formatOf(SCRYPT, (work, salt, block, lanes, tag) => {
  const [N, r, p] = [Number(work), Number(block), Number(lanes)]
  // RFC 7914 §2: N is a power of two. At most 256 MiB, and a few seconds.
  const isPossible = Number.isInteger(Math.log2(N)) && N >= 2 && r >= 1 && p >= 1
  if (!isPossible || 128 * N * r > LARGEST_MEMORY || N * r * p > MOST_WORK) return null
  const options = { N, r, p, maxmem: 256 * r * (N + p + 2) }
  return checkAgainst(tag, (password, length) => deriveScrypt(password, salt, length, options))
})

const BETTER_AUTH = /^([0-9a-f]{32}):([0-9a-f]{128})$/

/** `salt:hash` of better-auth: scrypt of the password after NFKC, with the salt as its hexadecimal text. */
const betterAuthHash: HashFormat = formatOf(BETTER_AUTH, (salt, tag) => {
  const options = { N: 16_384, r: 16, p: 1, maxmem: 2 ** 26 }
  return checkAgainst(Buffer.from(tag, 'hex').toString('base64'), (password, length) =>
    deriveScrypt(password.normalize('NFKC'), salt, length, options),
  )
})

const BCRYPT = /^bcrypt(_sha256)?\$(\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53})$/
const FEWEST_ROUNDS = 4
const MOST_ROUNDS = 16

/** Django's `bcrypt_sha256$$2b$…` and `bcrypt$$2b$…`, on a thread: JavaScript holds up requests. */
const bcryptHash: HashFormat = formatOf(BCRYPT, (hashed, encoded, rounds) => {
  if (Number(rounds) < FEWEST_ROUNDS || Number(rounds) > MOST_ROUNDS) return null
  return (password) => askWorker({ password: hashed ? sha256(password) : password, encoded })
})

const HERE = import.meta.url
// The worker is not imported, so that its name has to follow the build's.
const WORKER = new URL(`./bcrypt-worker${HERE.slice(HERE.lastIndexOf('.'))}`, HERE)

async function askWorker(question: BcryptQuestion): Promise<boolean> {
  const { Worker } = await import('node:worker_threads')
  // The thread does not need the arguments that this process was started with.
  const worker = new Worker(WORKER, { workerData: question, execArgv: [] })
  const [answer] = (await once(worker, 'message')) as [BcryptAnswer]
  if (answer !== 'missing') return answer === 'fits'
  throw new ConfigurationError(
    'There are bcrypt hashes among the passwords, and the package bcryptjs is not installed. Run: npm install bcryptjs',
  )
}

/** Our own format first, then those that a user table of Django or better-auth may hold. */
const FORMATS = [argon2Hash, pbkdf2Hash, scryptHash, bcryptHash, betterAuthHash]

/** The result of comparing a password with a stored hash; `unreadable`: an unknown kind, or a cost that is not checked. */
export type PasswordComparison = 'fits' | 'differs' | 'unreadable'

interface HasherOptions {
  /** The cost of new hashes. */
  readonly cost: PasswordCost
  readonly queue: HashQueue
  /** Receives what keeps hashes from being checked, such as a missing package. */
  readonly onError: (error: unknown) => void
}

/** Hashes and checks passwords, with the same work for every user. */
export class PasswordHasher {
  readonly #options: HasherOptions
  /** A hash that is checked in place of the missing one of a user. */
  readonly decoy: string

  constructor(options: HasherOptions) {
    this.#options = options
    this.decoy = decoyHash(checkedCost(options.cost))
  }

  /** Hashes a password. `null`: makes a text that no password fits. */
  async encode(password: string | null, requester?: Requester): Promise<string> {
    if (password === null) return unusablePassword()
    const { queue, cost } = this.#options
    return queue.run(() => hashPassword(password, cost), requester)
  }

  isCurrent(encoded: string): boolean {
    return isCurrent(encoded, this.#options.cost)
  }

  /**
   * Checks a password in the turn of its client; `begin` is done just before. Every path costs one hash (I5): also without a
   * user (`null`) or a password, and for a text that cannot be one.
   */
  async verify(
    password: string,
    encoded: string | null,
    requester?: Requester,
    begin?: () => Promise<void>,
  ): Promise<PasswordComparison> {
    const check = encoded === null ? null : readHash(encoded)
    // The decoy is read each time, as hashes of users are.
    const work = check ?? readHash(this.decoy)!
    const possible = isPossiblePassword(password)
    const fits = await this.#options.queue.run(async () => {
      await begin?.()
      return this.#worked(work, possible ? password : '')
    }, requester)
    if (fits === null) return 'unreadable'
    if (check === null && encoded !== null && !isUnusable(encoded)) return 'unreadable'
    return fits && check !== null && possible ? 'fits' : 'differs'
  }

  /** Does the check. If it fails before it has done its work, the decoy is checked instead. `null`: the check failed. */
  async #worked(check: Check, password: string): Promise<boolean | null> {
    try {
      return await check(password)
    } catch (error) {
      this.#options.onError(error)
      await readHash(this.decoy)!(password)
      return null
    }
  }
}

/** `null`: no password fits the hash, or it cannot be read here. */
export function readHash(encoded: string): Check | null {
  for (const format of FORMATS) {
    const check = format(encoded)
    if (check !== null) return check
  }
  return null
}

/** A text in place of a hash, different each time. Django's begin alike. */
export function unusablePassword(): string {
  return `!${randomToken(16, 'base64url')}`
}

/** Is it no hash at all, rather than one that cannot be read? */
export function isUnusable(encoded: string): boolean {
  return encoded.startsWith('!')
}

/** Could this be a password? At most 4,096 bytes, so that no client has a book hashed. */
export function isPossiblePassword(password: string): boolean {
  return (
    password.length <= LONGEST && Buffer.byteLength(password) <= LONGEST && password.isWellFormed()
  )
}

interface Right {
  readonly digest: string
  readonly until: number
}

/** A password that a client has sent, and the stored hash that it is to fit. */
export interface SentPassword {
  /** `''`: the client is not known. */
  readonly client: string
  readonly password: string
  readonly encoded: string
}

/**
 * Passwords that were found right a moment ago, so that a client of Basic authentication does not pay
 * a full hash on each request (I6). Only right ones are kept, each for the client that sent it, as digests under a key
 * that never leaves this process, together with the stored hash: a new password makes the old one unknown at once.
 */
export class RecentPasswords {
  readonly #milliseconds: number
  readonly #now: () => number
  readonly #digest = keyedDigest(randomKey())
  readonly #right = new BoundedMap<string, Right>(REMEMBERED)

  constructor(milliseconds: number, now: () => number) {
    this.#milliseconds = milliseconds
    this.#now = now
  }

  /**
   * Is the password the right one? `limited`: a wrong password makes the right one forgotten at once. So no two guesses of a
   * client are compared with it, unless a full check was right between them, which the limits of wrong credentials count.
   */
  knows(sent: SentPassword, limited: boolean): boolean {
    const name = this.#nameOf(sent)
    const right = this.#right.get(name)
    const knows = safeEqual(right?.digest ?? '', this.#digest(sent.password))
    if (knows && right!.until > this.#now()) return true
    if (limited) this.#right.delete(name)
    return false
  }

  add(sent: SentPassword): void {
    if (this.#milliseconds <= 0) return
    const right = { digest: this.#digest(sent.password), until: this.#now() + this.#milliseconds }
    this.#right.set(this.#nameOf(sent), right)
  }

  #nameOf({ client, encoded }: SentPassword): string {
    return this.#digest(JSON.stringify([client, encoded]))
  }
}
