import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Accounts } from '../accounts/create-accounts.ts'
import type { App } from '../api/app.ts'
import type { User } from '../contract/credentials.ts'
import { readConfiguration } from '../settings/configuration.ts'
import { CommandFailed, type Terminal } from './terminal.ts'

export interface Context {
  readonly terminal: Terminal
  app(): Promise<App>
  /** The exit status of a command that has done its work. @default 0 */
  end(status: number): void
}

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

export function accountsOf(app: App): Accounts {
  if (app.accounts !== null) return app.accounts
  throw new CommandFailed('This application has no accounts. Give them to defineApi({ accounts }).')
}

/** @throws CommandFailed there are none, or their tables are not up to date */
export async function readyAccountsOf(app: App): Promise<Accounts> {
  const accounts = accountsOf(app)
  const pending = await accounts.database.pendingMigrations()
  if (pending.length === 0) return accounts
  throw new CommandFailed(
    `The database is not up to date (${pending.join(', ')}). Run: colophon migrate`,
  )
}

/** The accounts for a command that works with them: of their events, only errors are printed. */
export async function openAccounts({ app, terminal }: Context): Promise<Accounts> {
  const accounts = await readyAccountsOf(await app())
  accounts.events.logTo({
    error: ({ event, error }) => terminal.complain(`colophon: ${String(event)}: ${String(error)}`),
  })
  return accounts
}

/** The accounts with one user, active or not. @throws CommandFailed there is no such user */
export async function openAccount(
  context: Context,
  username: string,
): Promise<Accounts & { readonly user: User }> {
  const accounts = await openAccounts(context)
  const user = await accounts.users.byUsername(username)
  if (user !== null) return { ...accounts, user }
  throw new CommandFailed(`There is no user named "${username}".`)
}
