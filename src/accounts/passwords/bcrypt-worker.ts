import { parentPort, workerData } from 'node:worker_threads'

export interface BcryptQuestion {
  readonly password: string
  readonly encoded: string
}

/** `missing`: the package is not installed. */
export type BcryptAnswer = 'fits' | 'differs' | 'missing'

// oxlint-disable-next-line require-post-message-target-origin -- a thread has no origin
parentPort?.postMessage(await answer(workerData as BcryptQuestion))

async function answer({ password, encoded }: BcryptQuestion): Promise<BcryptAnswer> {
  const bcrypt = await import('bcryptjs').catch(() => null)
  if (bcrypt === null) return 'missing'
  // Versions before 3 are CommonJS modules, which certainly have only a default.
  return (bcrypt.default ?? bcrypt).compareSync(password, encoded) ? 'fits' : 'differs'
}
