import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { CommandFailed } from './terminal.ts'

export function thereIn(folder: string, names: readonly string[]): readonly string[] {
  return names.filter((name) => existsSync(join(folder, name)))
}

/**
 * Writes texts by the names of their files; folders are made where there are none.
 *
 * @throws CommandFailed something of another kind has such a name, or the account may not write there
 */
export function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  try {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true })
      writeFileSync(join(folder, name), text)
    }
  } catch (error) {
    throw new CommandFailed(`Cannot write to ${folder}: ${(error as Error).message}`)
  }
}

/** @throws CommandFailed with this problem: the text is no JSON object */
export function jsonObjectIn(text: string, problem: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Readonly<Record<string, unknown>>
  } catch {
    // The error below reports a text that is not a JSON object.
  }
  throw new CommandFailed(problem)
}
