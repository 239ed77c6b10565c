/** Milliseconds of the processor that reading a MiB of JSON took on the machine for which bounds are written. */
const REFERENCE_COST = 2.5
const REFERENCE = `[${'12345,'.repeat(2 ** 20 / 6)}1]`

/** How many times slower than that machine this one is just now, at least 1: bounds of time are multiplied by it. */
export function slowness(): number {
  const runs = Array.from({ length: 5 }, () => cpuOf(() => JSON.parse(REFERENCE)))
  return Math.max(1, Math.min(...runs) / REFERENCE_COST)
}

function cpuOf(work: () => unknown): number {
  const start = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(start)
  return (user + system) / 1000
}
