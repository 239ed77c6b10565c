import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const gc = runInNewContext('gc') as () => void

/** Bytes that this thread still holds, garbage excluded: other tests of the process do not change it. */
export function aliveBytes(): number {
  // The second one waits until buffers that the first found are given back.
  gc()
  gc()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}
