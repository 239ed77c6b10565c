// The files of a served program, and their changes.
import { type FSWatcher, existsSync, readdirSync, statSync, watch } from 'node:fs'
import { basename, dirname, join } from 'node:path'

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
