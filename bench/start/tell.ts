import { writeSync } from 'node:fs'

/**
 * Tells the bench the port now, and on SIGTERM the microseconds of CPU time since the process began.
 * Straight to the pipe: a channel of node:child_process would be part of what is measured.
 */
export function tell(port: number): void {
  process.once('SIGTERM', () => {
    const { user, system } = process.cpuUsage()
    writeSync(1, `${user + system}\n`)
    process.exit()
  })
  writeSync(1, `${port}\n`)
}
