import { existsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { DirectoryMissing } from '../../core/errors/storage-errors.ts'

const SCHEME = 'sqlite:'

/** The absolute path in an address such as `sqlite:colophon.sqlite`; `null`: it names no file. */
export function fileOf(url: string, folder: string): string | null {
  return url.startsWith(SCHEME) && namesFile(pathOf(url)) ? resolve(folder, pathOf(url)) : null
}

/** The part behind `sqlite:`. */
export function pathOf(url: string): string {
  return url.slice(SCHEME.length)
}

/** Is it a path, rather than another way in which SQLite names a database? */
export function namesFile(path: string): boolean {
  return path !== '' && path !== ':memory:' && !path.startsWith('file:')
}

/** @throws DirectoryMissing */
export function hasFile(path: string): boolean {
  const problem = withoutDirectory(path)
  if (problem === null) return existsSync(path)
  throw new DirectoryMissing(problem)
}

/** `null`: the directory is there. */
export function withoutDirectory(path: string): string | null {
  const folder = dirname(path)
  if (existsSync(folder)) return null
  return `The database ${path} cannot be opened: there is no directory ${folder}. Create it first.`
}

// Locks on files hold between processes, and not between two libraries of SQLite in one.

/** The databases of this process that are not closed. */
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
