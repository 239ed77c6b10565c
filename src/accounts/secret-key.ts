import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { ConfigurationError } from '../errors/configuration-error.ts'
import { randomToken } from '../std/crypto/random.ts'

/** Kept in `<databasePath>.key` for its owner alone; made on the first call, once for all processes. */
export function developmentSecretKey(databasePath: string): string {
  const path = `${databasePath}.key`
  try {
    if (!existsSync(path)) create(path)
    const secret = readFileSync(path, 'utf8').trim()
    if (secret === '') throw new Error('The file is empty.')
    return secret
  } catch (error) {
    throw new ConfigurationError(
      `The secret in ${path} can be neither read nor made. Set SECRET_KEY, or make the file readable.`,
      { cause: error },
    )
  }
}

/** Another process may be faster. A link appears at once and whole, and never replaces a file. */
function create(path: string): void {
  const secret = randomToken(48, 'base64url')
  const draft = `${path}.${randomToken(6, 'hex')}`
  try {
    writeFileSync(draft, `${secret}\n`, { flag: 'wx', mode: 0o600, flush: true })
    linkSync(draft, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft, { force: true })
  }
}
