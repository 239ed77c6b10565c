import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, backup } from 'node:sqlite'
import { DatabaseUnavailable } from '../../core/errors/storage-errors.ts'
import { translated } from './failures.ts'

/** All pages in one step: in several, each write of another process would make it begin anew. */
const ALL = 2 ** 31 - 1

/** Copies a database as it is at one moment; the copy gets its name once it was read through and is on the disk. */
export async function backUp(path: string, file: string): Promise<{ readonly bytes: number }> {
  // SQLite would make an empty one.
  if (!existsSync(path)) throw new DatabaseUnavailable(`The database ${path} is not there.`)
  if (existsSync(file)) throw new DatabaseUnavailable(`There is a file ${file} already.`)
  const part = `${file}.part`
  reserve(part)
  try {
    await copy(path, part)
    check(part)
    keep(part)
    renameSync(part, file)
    keep(dirname(file))
    return { bytes: statSync(file).size }
  } catch (error) {
    rmSync(part, { force: true })
    // SQLite does not say with which file. A copy is damaged where its original is; it is the copy that fills a disk.
    throw translated(error, isFull(error) ? file : path)
  }
}

const isFull = (error: unknown): boolean => (error as { readonly errcode?: number }).errcode === 13

/** Only its owner can read it. */
function reserve(part: string): void {
  try {
    closeSync(openSync(part, 'wx', 0o600))
  } catch (error) {
    const reason =
      (error as NodeJS.ErrnoException).code === 'EEXIST'
        ? 'It is there already: a backup is under way, or one was cut off, and the file can be deleted.'
        : (error as Error).message
    throw new DatabaseUnavailable(`${part} cannot be made. ${reason}`, { cause: error })
  }
}

async function copy(path: string, part: string): Promise<void> {
  const source = new DatabaseSync(path, { readOnly: true })
  try {
    await backup(source, part, { rate: ALL })
  } finally {
    source.close()
  }
}

function check(part: string): void {
  const made = new DatabaseSync(part)
  try {
    // In one file, without a journal beside it.
    made.exec('PRAGMA journal_mode = DELETE')
    const { integrity_check: result } = made.prepare('PRAGMA integrity_check(1)').get()!
    if (result !== 'ok') throw new DatabaseUnavailable(`The copy is damaged: ${String(result)}`)
  } finally {
    made.close()
  }
}

function keep(path: string): void {
  const descriptor = openSync(path, 'r')
  fsyncSync(descriptor)
  closeSync(descriptor)
}
