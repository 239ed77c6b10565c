import { vi } from 'vitest'

/**
 * Asks again until nothing is thrown, and gives what came of it. The bound is for a machine that does other work: what
 * never comes fails all the same.
 */
export const until = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: 120_000, interval: 20 })
