import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { App } from '../api/app.ts'
import { readConfiguration } from '../settings/configuration.ts'
import { CommandFailed } from './terminal.ts'

const CANDIDATES: readonly string[] = ['app.ts', 'src/app.ts', 'dist/app.js']

/** Finds the application: `--app`, the member `app` of the configuration file, or a usual place. */
export async function loadApp(named: string | null, cwd: string): Promise<App> {
  const path = resolve(cwd, named ?? readConfiguration({ cwd }).app ?? usualPlace(cwd))
  if (!existsSync(path)) throw new CommandFailed(`There is no application at ${path}.`)
  const module: { default?: unknown } = await import(pathToFileURL(path).href)
  if (isApp(module.default)) return module.default
  throw new CommandFailed(
    `The default export of ${path} is not an application: export default api.serve([…]).`,
  )
}

function usualPlace(cwd: string): string {
  const found = CANDIDATES.find((candidate) => existsSync(resolve(cwd, candidate)))
  if (found !== undefined) return found
  throw new CommandFailed(
    `No application found. Name its module with --app, or with "app" in colophon.json (looked for ${CANDIDATES.join(', ')}).`,
  )
}

function isApp(value: unknown): value is App {
  return typeof value === 'object' && value !== null && 'handle' in value && 'describe' in value
}
