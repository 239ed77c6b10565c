import {
  type FSWatcher,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  watch,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { CommandFailed } from './terminal.ts'

export function thereIn(folder: string, names: readonly string[]): readonly string[] {
  return names.filter((name) => existsSync(join(folder, name)))
}

/** @throws CommandFailed there is no such file, or this account may not read it */
export function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new CommandFailed(`Cannot read ${path}: ${(error as Error).message}`)
  }
}

/** Writes texts by the names of their files. @throws CommandFailed as `writeText` */
export function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) writeText(join(folder, name), text)
}

/**
 * Writes a whole text or nothing, so that a full disk leaves an older file as it was; folders are made where there are none.
 *
 * @throws CommandFailed something of another kind has this name, or the account may not write there
 */
export function writeText(path: string, text: string): void {
  try {
    makeFolder(dirname(path))
    const there = statSync(path, { throwIfNoEntry: false })
    // Devices and pipes, such as /dev/stdout, cannot be replaced.
    if (there?.isFile() === false) return writeFileSync(path, text)
    const file = there ? realpathSync(path) : path
    const part = `${file}.${process.pid}.part`
    try {
      writeFileSync(part, text, { mode: there?.mode ?? 0o666 })
      renameSync(part, file)
    } finally {
      rmSync(part, { force: true })
    }
  } catch (error) {
    throw new CommandFailed(`Cannot write ${path}: ${(error as Error).message}`)
  }
}

/** Node's own way never ends in a folder that takes none, such as /proc. */
function makeFolder(folder: string): void {
  if (existsSync(folder) || folder === dirname(folder)) return
  makeFolder(dirname(folder))
  try {
    mkdirSync(folder)
  } catch (error) {
    // Another command may have made it meanwhile.
    if (!existsSync(folder)) throw error
  }
}

/** @throws CommandFailed with this problem: the text is no JSON object */
export function jsonObjectIn(text: string, problem: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''))
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Readonly<Record<string, unknown>>
  } catch {
    // The error below reports a text that is not a JSON object.
  }
  throw new CommandFailed(problem)
}

/** Milliseconds in which changes count as one: editors write a file in steps. */
const ONE_CHANGE = 80

interface Watched {
  /** `null`: no folder has this path now. */
  readonly inode: number | null
  readonly watcher: FSWatcher | null
}

/** Reports changes of files. It watches their folders, because editors replace files. */
export class WatchedFiles {
  readonly #known = new Set<string>()
  /** Folders of known files. The others are watched because a folder inside them is missing. */
  readonly #theirs = new Set<string>()
  readonly #templates = new Set<string>()
  readonly #folders = new Map<string, Watched>()
  readonly #onChange: (file: string) => void
  readonly #isStarting: () => boolean
  /** Files that have just changed, and whether a program was starting. */
  readonly #changed = new Map<string, boolean>()
  #timer: NodeJS.Timeout | null = null
  /** `false`: any source file beside them may have been missing. */
  onlyKnown = true

  constructor(onChange: (file: string) => void, isStarting: () => boolean) {
    this.#onChange = onChange
    this.#isStarting = isStarting
  }

  add(file: string): void {
    this.#known.add(file)
    this.#theirs.add(dirname(file))
    this.#watch(dirname(file))
  }

  /** Pages read templates on first use, so new ones count too. */
  addTemplates(folder: string): void {
    this.#templates.add(folder)
    this.#watch(folder)
  }

  close(): void {
    for (const { watcher } of this.#folders.values()) watcher?.close()
    if (this.#timer !== null) clearTimeout(this.#timer)
  }

  /** Watches the folder that has this path now. If none has, the folder above reports its return. */
  #watch(folder: string): void {
    try {
      if (inodeOf(folder) === null) this.#watch(dirname(folder))
      this.#watchAnew(folder)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      // It went in between.
      this.#watch(folder)
    }
  }

  #watchAnew(folder: string): void {
    const inode = inodeOf(folder)
    const last = this.#folders.get(folder)
    if (last?.inode === inode) return
    last?.watcher?.close()
    this.#folders.set(folder, { inode, watcher: inode === null ? null : this.#watcher(folder) })
    // Files may have been written before it was watched.
    if (last === undefined || inode === null) return
    for (const name of readdirSync(folder)) this.#noted(folder, name)
  }

  #watcher(folder: string): FSWatcher {
    const watcher = watch(folder, (event, name) => {
      this.#noted(folder, name)
      if (event !== 'rename') return
      // The folder itself has gone. The next one may have its inode.
      if (name === basename(folder)) this.#lose(folder)
      for (const each of this.#folders.keys()) this.#watch(each)
    })
    watcher.on('error', () => this.#lose(folder))
    return watcher
  }

  #lose(folder: string): void {
    this.#folders.get(folder)?.watcher?.close()
    this.#folders.set(folder, { inode: null, watcher: null })
  }

  #noted(folder: string, name: string | null): void {
    const file = join(folder, name ?? '')
    const isSource = this.#theirs.has(folder) && /\.(?:[cm]?[jt]s|json)$/.test(file)
    const isTemplate = this.#templates.has(folder) && /\.(?:eta|css)$/.test(file)
    const counts = this.#known.has(file) || isTemplate || (isSource && !this.onlyKnown)
    if (!counts) return
    this.#changed.set(file, this.#isStarting())
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#report(), ONE_CHANGE)
  }

  #report(): void {
    const changed = [...this.#changed]
    this.#changed.clear()
    // A program that starts may write a module, load it and remove it.
    const passing = changed.filter(([file, isStarting]) => isStarting && !existsSync(file))
    for (const [file] of passing) this.#known.delete(file)
    const last = changed.findLast((each) => !passing.includes(each))
    if (last !== undefined) this.#onChange(last[0])
  }
}

function inodeOf(folder: string): number | null {
  const found = statSync(folder, { throwIfNoEntry: false })
  return found?.isDirectory() === true ? found.ino : null
}
