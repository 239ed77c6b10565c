import { accessSync, constants, statSync } from 'node:fs'
import { chmod, mkdir, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { FileStore } from '../ports/serializer.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'

/** Where clients get the files of a directory. */
export interface DirectoryStoreOptions {
  /** What their addresses begin with, a URL or a path: `https://files.example.com/`. @default keys are shown */
  readonly url?: string
}

/**
 * Keeps the files of `field.file` and `field.image` in a directory. It serves none of them: a web server does that,
 * or an endpoint that checks who asks. Users of the system who may read the directory may read the files.
 *
 * @throws ConfigurationError the directory is missing or not writable
 * @example field.image({ store: directoryStore('uploads', { url: '/media/' }) })
 */
export function directoryStore(path: string, { url }: DirectoryStoreOptions = {}): FileStore {
  const mode = modeIn(path)
  const base = url === undefined ? null : url.replace(/\/*$/, '/')
  return {
    async save(key, file) {
      const place = join(path, ...partsOf(key))
      await mkdir(dirname(place), { recursive: true })
      await file.moveTo(place)
      // Uploads that came over the disk are for this user alone, and a web server is another one.
      await chmod(place, mode)
    },
    remove: async (key) => unlink(join(path, ...partsOf(key))).catch(ignoreMissing),
    ...(base !== null && {
      url: (key, { origin }) =>
        new URL(`${base}${key.split('/').map(encodeURIComponent).join('/')}`, origin).href,
    }),
  }
}

/** Of files that those may read who may read the directory, and only their owner may write. */
const READABLE = 0o644

function modeIn(path: string): number {
  try {
    accessSync(path, constants.W_OK)
    const facts = statSync(path)
    if (facts.isDirectory()) return facts.mode & READABLE
  } catch {
    // What is wrong with it, the operator sees.
  }
  throw new ConfigurationError(
    `directoryStore("${path}"): there is no such directory, or it is not writable. Create it first.`,
  )
}

/** A key of the application may have folders, and must not lead out of the directory. */
function partsOf(key: string): readonly string[] {
  const parts = key.split('/')
  const isSafe = (part: string): boolean => !/^\.{0,2}$/.test(part) && !/[\\\0]/.test(part)
  if (parts.every(isSafe)) return parts
  throw new ConfigurationError(`The key "${key}" of a file leads out of its directory.`)
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}
