import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const gc = runInNewContext('gc') as () => void

/** The bytes that this thread still holds, without garbage; other tests of the process do not change them. */
export function aliveBytes(): number {
  // The second collection waits for the release of buffers that the first one found.
  gc()
  gc()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}
