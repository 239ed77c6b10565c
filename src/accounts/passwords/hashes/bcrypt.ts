import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { ConfigurationError } from '../../../errors/configuration-error.ts'
import { sha256 } from '../../../std/crypto/digest.ts'
import type { Check } from './check.ts'
import type { BcryptAnswer, BcryptQuestion } from './bcrypt-worker.ts'

const DJANGO = /^bcrypt(_sha256)?\$(\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53})$/
const FEWEST_ROUNDS = 4
const MOST_ROUNDS = 16

/**
 * Django's `bcrypt_sha256$$2b$…` and `bcrypt$$2b$…`. The package `bcryptjs` does the work, on a thread
 * of its own: it is JavaScript, and would hold up every request.
 */
export function bcryptHash(encoded: string): Check | null {
  const found = DJANGO.exec(encoded)
  if (found === null) return null
  const [, hashed, bcrypt, rounds] = found as unknown as readonly string[]
  if (Number(rounds) < FEWEST_ROUNDS || Number(rounds) > MOST_ROUNDS) return null
  return (password) =>
    askWorker({ password: hashed ? sha256(password) : password, encoded: bcrypt! })
}

const HERE = import.meta.url
// The worker is not imported, so that its name has to follow the build's.
const WORKER = new URL(`./bcrypt-worker${HERE.slice(HERE.lastIndexOf('.'))}`, HERE)

/** @throws ConfigurationError the package is not installed */
async function askWorker(question: BcryptQuestion): Promise<boolean> {
  // What this process was started with is not meant for the thread.
  const worker = new Worker(WORKER, { workerData: question, execArgv: [] })
  const [answer] = (await once(worker, 'message')) as [BcryptAnswer]
  if (answer !== 'missing') return answer === 'fits'
  throw new ConfigurationError(
    'There are bcrypt hashes among the passwords, and the package bcryptjs is not installed. Run: npm install bcryptjs',
  )
}
