// Facts that only Linux tells.
import { readdirSync, readlinkSync } from 'node:fs'

/** The number of files of a folder that this process has open. */
export function openFiles(folder: string): number {
  return readdirSync('/proc/self/fd').filter((number) => {
    try {
      return readlinkSync(`/proc/self/fd/${number}`).startsWith(folder)
    } catch {
      return false
    }
  }).length
}
