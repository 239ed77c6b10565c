import type { App } from '../../api/app.ts'
import { accountsOf } from '../accounts-of.ts'
import type { Terminal } from '../terminal.ts'

/** `colophon migrate` */
export async function migrate(app: App, { print }: Terminal): Promise<void> {
  const done = await accountsOf(app).database.migrate()
  for (const step of done) print(`Done: ${step}`)
  if (done.length === 0) print('The tables are up to date.')
}
