import { vi } from 'vitest'

/**
 * Repeats a check until it throws no error, and gives its result. The limit allows for a busy machine: a result that never
 * comes fails nevertheless.
 */
export const until = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: 120_000, interval: 20 })
