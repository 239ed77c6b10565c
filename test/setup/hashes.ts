import crypto, { type Argon2Parameters } from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { onTestFinished, vi } from 'vitest'

/** The parameters that decide the time of an argon2 hash. */
export interface Work {
  readonly memory: number
  readonly passes: number
  readonly parallelism: number
  readonly tagLength: number
  /** In bytes. */
  readonly message: number
}

/** Records the calls of argon2 until the end of the test. */
export function argon2Work(): Work[] {
  const work: Work[] = []
  const { argon2 } = crypto
  const spy = vi.spyOn(crypto, 'argon2').mockImplementation((kind, parameters, done) => {
    work.push(workOf(parameters))
    argon2(kind, parameters, done)
  })
  syncBuiltinESMExports()
  onTestFinished(() => {
    spy.mockRestore()
    syncBuiltinESMExports()
  })
  return work
}

function workOf({ message, memory, passes, parallelism, tagLength }: Argon2Parameters): Work {
  return { memory, passes, parallelism, tagLength, message: Buffer.from(message as string).length }
}
