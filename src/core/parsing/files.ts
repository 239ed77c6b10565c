import { accessSync, constants, createReadStream, statSync } from 'node:fs'
import {
  chmod,
  copyFile,
  mkdir,
  open,
  readFile,
  readdir,
  rename,
  rm,
  stat,
  unlink,
  writeFile,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Incoming } from '../ports/request.ts'
import type { MaybePromise } from '../std/after.ts'
import { ConfigurationError } from '../errors/configuration-error.ts'
import { randomToken } from '../secrets/keys.ts'
import { shownFileName } from '../std/http/files.ts'
import type { UploadedFile } from '../std/http/form.ts'
import { essenceOf, parseMediaType } from '../std/http/media-type.ts'
import type { FileStore } from '../ports/serializer.ts'

/** A file while it comes in. */
export interface IncomingFile {
  /** Name of the form's field; `''`: the file is the whole body. */
  readonly field: string
  /** The name, as in `UploadedFile`. */
  readonly name: string
  /** The type, as in `UploadedFile`. */
  readonly type: string
  /**
   * The content as the client sends it, only as fast as it is read. It breaks off with an error where the file is
   * too large or the client goes away. What is not read is dropped.
   */
  readonly stream: ReadableStream<Uint8Array>
}

/**
 * Takes a file as it comes in, and gives what the handler finds as `kept` of the `UploadedFile`. It runs after permissions
 * and throttles, and before the fields behind the file are known. If the request is refused later, `request.onEnd` takes the
 * stored file back.
 *
 * @example
 * const toBucket: FileTaker = async ({ stream }, request) => {
 *   const key = crypto.randomUUID()
 *   request.onEnd((status) => (status < 400 ? undefined : bucket.remove(key)))
 *   await bucket.put(key, stream)
 *   return key
 * }
 */
export type FileTaker = (file: IncomingFile, request: Incoming) => MaybePromise<unknown>

/** The facts about a file beside its content. */
type Facts = Pick<UploadedFile, 'name' | 'type'>

/** Name and type in a form that can do no harm where they are shown or logged. */
export function factsOf(name: string, type: string): Facts {
  const parsed = parseMediaType(type)
  return {
    name: shownFileName(name),
    type: parsed ? essenceOf(parsed) : 'application/octet-stream',
  }
}

export function fileInMemory(facts: Facts, content: Uint8Array): UploadedFile {
  return {
    ...facts,
    size: content.byteLength,
    path: null,
    kept: undefined,
    bytes: async () => content,
    stream: () => new Blob([content as Uint8Array<ArrayBuffer>]).stream(),
    moveTo: (path) => writeFile(path, content),
  }
}

/** A file whose content a function of the application has taken. */
export function fileTaken(facts: Facts, size: number, kept: unknown): UploadedFile {
  const gone = (): never => {
    throw new TypeError(
      'The content of this file was handed to the function "files" of the parser: read what it gave, "kept".',
    )
  }
  return { ...facts, size, path: null, kept, bytes: gone, stream: gone, moveTo: gone }
}

/** The result of `toDirectory`: the file with its place. */
export class StoredFile implements UploadedFile {
  readonly name: string
  readonly type: string
  readonly size: number
  readonly kept: undefined
  #path: string

  constructor({ name, type }: Facts, size: number, path: string) {
    this.name = name
    this.type = type
    this.size = size
    this.#path = path
  }

  get path(): string {
    return this.#path
  }

  bytes(): Promise<Uint8Array> {
    return readFile(this.#path)
  }

  stream(): ReadableStream<Uint8Array> {
    return streamOf(this.#path)
  }

  async moveTo(path: string): Promise<void> {
    try {
      await rename(this.#path, path)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
      // Another file system: it gets a copy, and the file here goes when the request ends.
      await copyFile(this.#path, path)
    }
    this.#path = path
  }
}

/** The content of a file, opened with the first byte that is asked for. */
export function streamOf(path: string): ReadableStream<Uint8Array> {
  let chunks: AsyncIterator<Uint8Array> | null = null
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        chunks ??= createReadStream(path)[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>
        const { done, value } = await chunks.next()
        if (done === true) controller.close()
        else controller.enqueue(value)
      },
      async cancel() {
        await chunks?.return?.()
      },
    },
    { highWaterMark: 0 },
  )
}

const PREFIX = 'colophon-upload-'
/**
 * Milliseconds after which no request can own an upload of ours any more: its process ended in the middle of the request.
 */
const ABANDONED = 24 * 60 * 60 * 1000
/** Milliseconds between two searches for abandoned uploads. */
const SWEEP_EVERY = 60 * 60 * 1000

/**
 * For `files` of a parser: writes each file into this directory, under a name of our own that only this user may
 * read. It is removed when the request ends, however it ends, unless `moveTo` has taken it away; `moveTo` is a rename
 * where it stays in the same file system. Files that a process left behind that was killed are removed a day later.
 *
 * @throws ConfigurationError there is no such directory, or it cannot be written
 * @example
 * new MultiPartParser({ files: toDirectory('/var/spool/uploads') })
 */
export function toDirectory(path: string): FileTaker {
  checkDirectory(path)
  let swept = -Infinity
  return async ({ name, type, stream }, request) => {
    if (Date.now() - swept >= SWEEP_EVERY) {
      swept = Date.now()
      await sweep(path)
    }
    const place = join(path, PREFIX + randomToken(16, 'hex'))
    // `moveTo` may have moved the file away.
    request.onEnd(() => rm(place, { force: true }))
    const file = await open(place, 'wx', 0o600)
    try {
      await file.writeFile(stream)
      return new StoredFile({ name, type }, (await file.stat()).size, place)
    } finally {
      await file.close()
    }
  }
}

function checkDirectory(path: string): void {
  try {
    if (!statSync(path).isDirectory()) throw new Error('it is no directory')
    accessSync(path, constants.W_OK)
  } catch (error) {
    const { message } = error as Error
    throw new ConfigurationError(
      `toDirectory(${JSON.stringify(path)}): files cannot be written there (${message}). Make the directory, and let the user of this process write into it.`,
    )
  }
}

/** Removes abandoned uploads. Files that cannot be removed, such as those of another user, must not stop uploads. */
async function sweep(directory: string): Promise<void> {
  const names = await readdir(directory).catch(() => [])
  for (const name of names.filter((each) => each.startsWith(PREFIX))) {
    const place = join(directory, name)
    // Another process may sweep too.
    const found = await stat(place).catch(() => null)
    if (found !== null && Date.now() - found.mtimeMs > ABANDONED)
      await unlink(place).catch(() => {})
  }
}

/** The address of a directory's files for clients. */
export interface DirectoryStoreOptions {
  /** The beginning of the files' addresses, a URL or a path: `https://files.example.com/`. @default keys are shown */
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
      // An upload on disk is readable by this user alone, and a web server runs as another user.
      await chmod(place, mode)
    },
    remove: async (key) => rm(join(path, ...partsOf(key)), { force: true }),
    ...(base !== null && {
      url: (key, { origin }) =>
        new URL(`${base}${key.split('/').map(encodeURIComponent).join('/')}`, origin).href,
    }),
  }
}

/** Readable by everyone who may read the directory, writable by the owner only. */
const READABLE = 0o644

function modeIn(path: string): number {
  try {
    accessSync(path, constants.W_OK)
    const facts = statSync(path)
    if (facts.isDirectory()) return facts.mode & READABLE
  } catch {
    // The error below says how to mend the directory.
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
