import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { ConfigurationError } from '../errors/configuration-error.ts'
import { randomToken } from '../std/crypto/random.ts'

const BYTES = 48

/**
 * The secrets again, where there is a current one. `use`: what it is for, as a sentence.
 *
 * @throws ConfigurationError there is none
 */
export function requireSecret(secrets: readonly string[], use: string): readonly string[] {
  if (secrets[0]) return secrets
  throw new ConfigurationError(
    `SECRET_KEY is missing. ${use}: set it to a long random text, and keep it.`,
  )
}

/**
 * The secret that is kept beside a database of development, in `<databasePath>.key`, which only its
 * owner can read. Made on the first call; of several processes that come first at once, all get the same.
 *
 * @throws ConfigurationError it can be neither read nor made
 */
export function developmentSecretKey(databasePath: string): string {
  const path = `${databasePath}.key`
  try {
    return read(path) ?? create(path) ?? nonEmpty(read(path))
  } catch (error) {
    throw new ConfigurationError(
      `The secret in ${path} can be neither read nor made. Set SECRET_KEY, or make the file readable.`,
      { cause: error },
    )
  }
}

function read(path: string): string | null {
  try {
    return nonEmpty(readFileSync(path, 'utf8').trim())
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null
    throw error
  }
}

function nonEmpty(secret: string | null): string {
  if (!secret) throw new Error('The file is empty.')
  return secret
}

/** `null`: another process was faster. A link appears at once and whole, and never replaces a file. */
function create(path: string): string | null {
  const secret = randomToken(BYTES, 'base64url')
  const draft = `${path}.${randomToken(6, 'hex')}`
  try {
    writeDurably(draft, secret)
    linkSync(draft, path)
    return secret
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return null
    throw error
  } finally {
    rmSync(draft, { force: true })
  }
}

function writeDurably(path: string, text: string): void {
  const file = openSync(path, 'wx', 0o600)
  try {
    writeFileSync(file, `${text}\n`)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
