import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** The output of a program, and the modules that it loaded beside those of Node. */
export interface Run {
  readonly printed: string
  readonly loaded: readonly string[]
}

/** Runs the text of a module in its own process, as a file of `folder`. */
export async function runIn(
  folder: string,
  program: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<Run> {
  const args = ['--import', `data:text/javascript,${encodeURIComponent(WATCH)}`]
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...args, '--input-type=module', '--eval', program],
    { cwd: folder, env: environment },
  )
  const [printed = '', ...loaded] = stdout.split('\nloaded ')
  return { printed: printed.trim(), loaded: loaded.map((url) => url.trim()) }
}

/** The packages of modules; files without a package belong to the folder itself. */
export function packagesIn(loaded: readonly string[]): readonly string[] {
  const names = loaded.flatMap(
    (url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? [],
  )
  return [...new Set(names)].toSorted()
}

/** Reports every loaded module when the program ends. */
const WATCH = `
import { writeSync } from 'node:fs'
import { registerHooks } from 'node:module'
const urls = []
registerHooks({
  load(url, context, next) {
    if (url.startsWith('file:')) urls.push(url)
    return next(url, context)
  },
})
process.on('exit', () => writeSync(1, urls.map((url) => '\\nloaded ' + url).join('')))
`
