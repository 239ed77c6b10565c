import { existsSync, statSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { App } from '../../preset/define-api.ts'
import { readConfiguration } from '../../core/settings/configuration.ts'
import { CommandFailed } from './terminal.ts'

const CANDIDATES: readonly string[] = ['app.ts', 'src/app.ts', 'dist/app.js']

/** Finds the application: `--app`, the member `app` of the configuration file, or a usual place. */
export async function loadApp(named: string | null, cwd: string): Promise<App> {
  const path = resolve(cwd, named ?? readConfiguration({ cwd }).app ?? usualPlace(cwd))
  if (!statSync(path, { throwIfNoEntry: false })?.isFile())
    throw new CommandFailed(`There is no application at ${path}: name the file of its module.`)
  const module = await importModule(path)
  if (isApp(module.default)) return module.default
  throw new CommandFailed(
    `The default export of ${path} is not an application: export default api.serve([…]).`,
  )
}

/** @throws CommandFailed with what to do, where the module system or the stripping of types refused the program */
async function importModule(path: string): Promise<{ readonly default?: unknown }> {
  try {
    return await import(pathToFileURL(path).href)
  } catch (error) {
    const advice = error instanceof Error ? adviceFor(error) : null
    throw advice === null ? error : new CommandFailed(advice)
  }
}

/** `null`: the error of the program says it itself. */
export function adviceFor(
  error: Error & { readonly code?: unknown; readonly url?: string },
): string | null {
  // The stack of a file that cannot be read as code begins with the place; for an ES module it is a URL.
  const place = /^\S+:\d+(?=\n)/.exec(error.stack ?? '')?.[0] ?? ''
  const { code, message } = error
  if (code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX') return `${place}: ${message}. ${ERASABLE}`
  if (code === 'ERR_MODULE_NOT_FOUND')
    return missingEnding(error.url ?? '', message) ?? missingPackage(message)
  if (NO_CODE.test(String(code))) return message
  if (!(error instanceof SyntaxError)) return null
  if (message.includes('not provide an export')) return `${place}: ${message}. ${TYPE_IMPORT}`
  const isCommonJs = place !== '' && !place.startsWith('file:') && MODULE_SYNTAX.test(message)
  return isCommonJs ? `${place} is read as CommonJS. ${MODULE_TYPE}` : null
}

const NO_CODE = /^ERR_(?:IMPORT_ATTRIBUTE_MISSING|UNKNOWN_FILE_EXTENSION)$/
const MODULE_SYNTAX = /^Cannot use import statement|^Unexpected token 'export'|^await is only valid/
const MODULE_TYPE = 'Say "type": "module" in package.json: npm pkg set type=module'
const ERASABLE =
  'Node runs TypeScript by leaving out the types, so write what has only types to leave out, such as a constant object ' +
  'in place of an enum; "erasableSyntaxOnly" in tsconfig.json finds the rest.'
const TYPE_IMPORT = 'If it is a type, import it with "import type".'

/** Editors and bundlers find `./store` and `./store.js` for `store.ts`; Node wants the name of the file. */
function missingEnding(url: string, message: string): string | null {
  if (!url.startsWith('file:')) return null
  const path = fileURLToPath(url)
  const source = `${path.replace(/\.js$/, '')}.ts`
  if (!existsSync(source)) return null
  return `${message}. Imports name the file with its ending: ${basename(source)}.`
}

/** These include our own optional packages. */
function missingPackage(message: string): string | null {
  const name = /^Cannot find package '((?:@[\w.-]+\/)?[\w.-]+)'/.exec(message)?.[1]
  return name === undefined ? null : `${message}. Run: npm install ${name}`
}

function usualPlace(cwd: string): string {
  const found = CANDIDATES.find((candidate) => existsSync(resolve(cwd, candidate)))
  if (found !== undefined) return found
  throw new CommandFailed(
    `No application found. Name its module with --app, or with "app" in colophon.json (looked for ${CANDIDATES.join(', ')}). To begin one: colophon init.`,
  )
}

function isApp(value: unknown): value is App {
  return typeof value === 'object' && value !== null && 'handle' in value && 'describe' in value
}
