// Programs that `colophon inspect` writes for databases of tests, in a folder where they find this package.
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { afterAll } from 'vitest'
import { runCommand } from '../../../../src/tools/cli/commands.ts'
import { temporaryDirectory } from '../../../contract/temporary.ts'
import type { SqlDatabase } from '../../../../src/storage/sql/sql-database.ts'

const execute = promisify(execFile)

/** As strict as the compiler goes, but for declarations of libraries. */
const STRICTEST = {
  moduleDetection: 'force',
  noUnusedLocals: true,
  noUnusedParameters: true,
  noImplicitReturns: true,
  noFallthroughCasesInSwitch: true,
  noPropertyAccessFromIndexSignature: true,
  noUncheckedSideEffectImports: true,
  allowUnreachableCode: false,
  allowUnusedLabels: false,
  noEmit: false,
  emitDeclarationOnly: true,
  declaration: true,
  rootDir: '../..',
}

/** A folder for programs, gone after the tests of the file. */
export function programFolder(): string {
  const ground = resolve('.docs-check')
  mkdirSync(ground, { recursive: true })
  const folder = mkdtempSync(join(ground, 'inspect-'))
  if (process.env.KEEP === undefined)
    afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** The statements of a schema: an empty line is behind each. */
export async function createSchema(database: SqlDatabase, name: string): Promise<void> {
  const sql = readFileSync(new URL(name, import.meta.url), 'utf8')
  await runStatements(database, sql.split(/;\n\n/))
}

/** On one connection, so that what a statement sets holds for the next. */
export async function runStatements(
  database: SqlDatabase,
  statements: readonly string[],
): Promise<void> {
  await database.transaction(async (transaction) => {
    for (const sql of statements)
      if (sql.replaceAll(/^--.*$/gm, '').trim() !== '')
        await transaction.write({ sql, parameters: [] })
  })
}

/** Runs the command; lines that it prints, and those of problems. */
export async function inspect(
  ...args: readonly string[]
): Promise<{ readonly status: number; readonly output: string; readonly complaint: string }> {
  const [output, complaint]: [string[], string[]] = [[], []]
  const status = await runCommand(['inspect', ...args], {
    cwd: resolve('.docs-check'),
    input: Readable.from([]),
    print: (line) => output.push(line),
    complain: (line) => complaint.push(line),
    columns: null,
    screen: null,
    styled: (_, text) => text,
  })
  return { status, output: output.join('\n'), complaint: complaint.join('\n') }
}

/** What the compiler says about all programs in a folder. */
export async function compilerOn(folder: string): Promise<string> {
  const project = {
    extends: '../../tsconfig.base.json',
    compilerOptions: { ...STRICTEST, outDir: temporaryDirectory() },
    include: ['*/*.ts'],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(project))
  const tsc = resolve('node_modules/typescript/bin/tsc')
  const check = execute(process.execPath, [
    tsc,
    '-p',
    folder,
    '--checkers',
    '1',
    '--pretty',
    'false',
  ])
  const { stdout } = await check.catch((error: unknown) => error as { stdout: string })
  return stdout
    .split('\n')
    .filter((line) => /^\S/.test(line))
    .map((line) => line.slice(0, 300))
    .join('\n')
}

/** What the formatter of this repository would change. */
export async function formatterOn(folder: string): Promise<string> {
  const elsewhere = temporaryDirectory()
  cpSync(folder, elsewhere, { recursive: true, filter: (path) => !path.endsWith('tsconfig.json') })
  const oxfmt = resolve('node_modules/oxfmt/bin/oxfmt')
  const check = execute(process.execPath, [oxfmt, '-c', resolve('.oxfmtrc.json'), '--check'], {
    cwd: elsewhere,
  })
  return check.then(
    () => '',
    (error: unknown) => (error as { stdout: string }).stdout,
  )
}
