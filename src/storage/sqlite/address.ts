import { resolve } from 'node:path'

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
