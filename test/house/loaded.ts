import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** What a program printed, and the modules that it loaded, beside those of Node. */
export interface Run {
  readonly printed: string
  readonly loaded: readonly string[]
}

/** Runs the text of a module in a process of its own, as if it stood in `folder`. */
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

/** Packages among modules; files of no package are those of the folder itself. */
export function packagesIn(loaded: readonly string[]): readonly string[] {
  const names = loaded.flatMap(
    (url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? [],
  )
  return [...new Set(names)].toSorted()
}

/** Tells every module that is loaded, when the program ends. */
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
