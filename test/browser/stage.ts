import type { Browser } from 'playwright-core'
import { openPeople } from '../../scripts/pictures/people.ts'
import { startChromium } from '../../scripts/servers/chromium.ts'
import type { App } from '../../src/index.ts'
import { type RunningServer, serve } from '../../src/node.ts'
import type { Accounts } from '../../src/accounts.ts'
import { CHEAP } from '../accounts/fixtures.ts'

/** A browser, the people who use it, and the services that they visit. */
export interface Stage {
  readonly browser: Browser
  readonly accounts: Accounts
  /** Serves it until the stage closes. */
  serve(app: App): Promise<RunningServer>
  /** A new token of a user. */
  tokenOf(username: string): Promise<string>
  close(): Promise<void>
}

/** @param options as for `openPeople` */
export async function openStage(options: Parameters<typeof openPeople>[0] = {}): Promise<Stage> {
  const opened = [startChromium(), openPeople({ passwordCost: CHEAP, ...options })] as const
  const [browser, { accounts, close }] = await Promise.all(opened)
  const servers: RunningServer[] = []
  return {
    browser,
    accounts,
    async serve(app) {
      const server = await serve(app, { port: 0 })
      servers.push(server)
      return server
    },
    async tokenOf(username) {
      const user = await accounts.users.byUsername(username)
      return (await accounts.tokens.obtain(user!)).key
    },
    async close() {
      await browser.close()
      await Promise.all(servers.map((server) => server.close()))
      await close()
    },
  }
}
