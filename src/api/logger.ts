import type { Logger } from '../contract/kernel.ts'

/** One JSON object a line, on standard error: what collectors of logs read without being told how. */
export function standardErrorLogger(): Logger {
  const writer =
    (level: string) =>
    (record: Readonly<Record<string, unknown>>): void => {
      process.stderr.write(
        `${JSON.stringify({ time: new Date().toISOString(), level, ...record })}\n`,
      )
    }
  return { error: writer('error'), info: writer('info') }
}
