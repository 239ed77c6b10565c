import crypto, { type Argon2Parameters } from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { onTestFinished, vi } from 'vitest'

/** What one hash of argon2 costs: everything that its time depends on. */
export interface Work {
  readonly memory: number
  readonly passes: number
  readonly parallelism: number
  readonly tagLength: number
  /** In bytes. */
  readonly message: number
}

/** Writes down what argon2 is asked for, until the test is over. */
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
