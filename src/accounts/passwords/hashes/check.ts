import { timingSafeEqual } from 'node:crypto'

/** Does a password fit the hash that this was made from? One hash operation, away from the event loop. */
export type Check = (password: string) => Promise<boolean>

/** Reads hashes of one kind; `null`: of another kind, or more expensive than anybody may ask for. */
export type HashFormat = (encoded: string) => Check | null

type Callback = (error: Error | null, bytes: Buffer) => void

/** Compares with bytes that are worked out from a password. */
export function comparing(
  tag: Buffer,
  derive: (password: string, length: number, done: Callback) => void,
): Check {
  return (password) =>
    new Promise((resolve, reject) => {
      derive(password, tag.length, (error, bytes) =>
        error === null ? resolve(timingSafeEqual(bytes, tag)) : reject(error),
      )
    })
}
