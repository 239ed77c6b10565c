// The databases of this process that are not closed. Locks on files hold between processes, and not between two libraries of SQLite in one.
import { statSync } from 'node:fs'

export const openFiles: Set<{ readonly path: string }> = new Set()

/** Has one of them this file, by whatever name? */
export function isOpenHere(path: string): boolean {
  const inode = inodeOf(path)
  return inode !== null && [...openFiles].some((each) => inodeOf(each.path) === inode)
}

function inodeOf(path: string): string | null {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  return found === undefined ? null : `${found.dev} ${found.ino}`
}
