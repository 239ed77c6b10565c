// Loaded into the service with `node --import`: measures its event loop from inside, and tells it over IPC, which no
// attack on the port can reach.
import { monitorEventLoopDelay } from 'node:perf_hooks'

/** Milliseconds between two looks; so much belongs to every reading, and is taken off. */
const RESOLUTION = 5

/** What the service tells about itself. */
export interface Reading {
  /** Milliseconds of the longest standstill of the event loop since the last reset. */
  readonly standstill: number
  /** Bytes. */
  readonly heap: number
}

/** What is asked of it. */
export interface Order {
  readonly id: number
  /** Begin a new measurement. */
  readonly reset?: boolean
  /** Collect garbage first, so that the heap is what is really kept. */
  readonly collect?: boolean
}

const delay = monitorEventLoopDelay({ resolution: RESOLUTION })
delay.enable()

process.on('message', ({ id, reset, collect }: Order) => {
  // A standstill is known when the next look comes.
  setTimeout(() => {
    const standstill = Math.max(0, delay.max / 1e6 - RESOLUTION)
    if (collect === true) globalThis.gc?.()
    if (reset === true) delay.reset()
    const reading: Reading = { standstill, heap: process.memoryUsage().heapUsed }
    process.send?.({ id, reading })
  }, RESOLUTION * 4)
})
// Who only measures keeps no process from ending.
process.channel?.unref()
// Nor does anything stay behind where the attacker was killed.
process.once('disconnect', () => process.exit(1))
