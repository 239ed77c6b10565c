import {
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
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
