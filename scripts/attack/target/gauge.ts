// Loaded into the service with `node --import`: measures the event loop from inside, and reports over IPC, which no attack on
// the port can reach.
import { monitorEventLoopDelay } from 'node:perf_hooks'

/** Milliseconds between two looks. Each reading contains as much, which is subtracted. */
const RESOLUTION = 5

/** The reading of the gauge. */
export interface Reading {
  /** The longest standstill of the event loop since the last reset, in milliseconds. */
  readonly standstill: number
  /** In bytes. */
  readonly heap: number
}

/** An order to the gauge. */
export interface Order {
  readonly id: number
  /** Begins a new measurement. */
  readonly reset?: boolean
  /** Collects garbage first, so that the heap holds only live objects. */
  readonly collect?: boolean
}

const delay = monitorEventLoopDelay({ resolution: RESOLUTION })
delay.enable()

process.on('message', ({ id, reset, collect }: Order) => {
  // Only the next look can tell of a standstill.
  setTimeout(() => {
    const standstill = Math.max(0, delay.max / 1e6 - RESOLUTION)
    if (collect === true) globalThis.gc?.()
    if (reset === true) delay.reset()
    const reading: Reading = { standstill, heap: process.memoryUsage().heapUsed }
    process.send?.({ id, reading })
  }, RESOLUTION * 4)
})
// The gauge must not keep the process from ending.
process.channel?.unref()
// If the attacker was killed, the service ends too.
process.once('disconnect', () => process.exit(1))
