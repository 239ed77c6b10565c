import { resolve } from 'node:path'
import { ConfigurationError } from '../../errors/configuration-error.ts'

/** The absolute path of a database file. Readers and the writer are two connections, so it must be a file. */
export function databaseFile(path: string): string {
  if (!namesFile(path)) {
    throw new ConfigurationError(
      `"${path}" is not a path of a file. Colophon keeps two connections to its database, so it needs one; for tests take a temporary directory.`,
    )
  }
  return resolve(path)
}

const SCHEME = 'sqlite:'

/** The file of an address such as `sqlite:colophon.sqlite`, absolute; `null`: it is the address of no file. */
export function fileOf(url: string, folder: string): string | null {
  return url.startsWith(SCHEME) && namesFile(pathOf(url)) ? resolve(folder, pathOf(url)) : null
}

/** What stands behind the scheme of an address. */
export function pathOf(url: string): string {
  return url.slice(SCHEME.length)
}

/** Is it a path, rather than another way in which SQLite names a database? */
function namesFile(path: string): boolean {
  return path !== '' && path !== ':memory:' && !path.startsWith('file:')
}
