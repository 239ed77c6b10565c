// A service with the life of accounts, and people who come with real browsers as far as they keep cookies.
import { type App, configurationOf, defineApi, defineUrls, german } from 'colophon'
import {
  type AccountMail,
  type LeavingOptions,
  type PasswordResetOptions,
  emailChange,
  emailUrls,
  leaving,
  leavingUrls,
  passwordReset,
  passwordResetUrls,
  registration,
  registrationUrls,
} from 'colophon/account'
import { type DefineAccountsOptions, HashQueue, defineAccounts } from 'colophon/accounts'
import { loginPages, loginUrls } from 'colophon/browsable'
import type { SqlDatabase } from 'colophon/sql'
import { client, fakeClock } from 'colophon/testing'
import { CHEAP } from '../../../accounts/fixtures.ts'
import { migratedSqlite } from '../../../contract/temporary.ts'
import { migratedDatabase } from '../../../setup/databases.ts'
import { visitor } from '../own-service.ts'
import type { Place } from '../service.ts'

export const SECRET_KEY = 'n5Ljc8Jq0vWf2hXz7YtRk4PbD1sGm9Qe'

export async function lives(
  place: Place = 'sqlite',
  options: Partial<PasswordResetOptions & LeavingOptions> &
    Pick<DefineAccountsOptions, 'onUserCreated'> = {},
  keys: Readonly<Record<string, unknown>> = {},
) {
  const database: SqlDatabase = await (place === 'sqlite'
    ? migratedSqlite()
    : migratedDatabase(place))
  const clock = fakeClock(new Date('2026-03-04T05:06:07Z'))
  const logged: string[] = []
  const note = (record: object): void => void logged.push(JSON.stringify(record))
  const logger = { info: note, error: note }
  const accounts = defineAccounts({
    database,
    secretKey: SECRET_KEY,
    passwordCost: CHEAP,
    hashQueue: new HashQueue({ waiting: 1000 }),
    revokeTokensOnPasswordChange: true,
    now: clock.now,
    logger,
    ...(options.onUserCreated && { onUserCreated: options.onUserCreated }),
  })
  const alice = await accounts.users.create({
    username: 'alice',
    email: 'Alice@example.com',
    password: 'wonderland',
  })
  const mails: AccountMail[] = []
  const api = defineApi({
    urls: defineUrls({
      ...loginUrls,
      ...passwordResetUrls,
      ...registrationUrls,
      ...emailUrls,
      ...leavingUrls,
    }),
    accounts,
    logger,
    now: clock.now,
    messages: { de: german },
  })
  const mail = (sent: AccountMail): void => void mails.push(sent)
  const app: App = api.serve(
    [
      ...loginPages(api, { accounts }),
      ...passwordReset(api, { accounts, mail, ...options }),
      ...registration(api, { accounts, mail, now: clock.now }),
      ...emailChange(api, { accounts, mail }),
      ...leaving(api, { accounts, ...options }),
    ],
    { configuration: configurationOf(keys) },
  )
  /** What was to be done after the answers is done. */
  const settled = () => app.close()
  const trail = async () => {
    const sql = 'select actor, action, username from colophon_audit order by id'
    return database.read<Record<string, string | null>>({ sql, parameters: [] })
  }
  return {
    accounts,
    alice,
    app,
    clock,
    database,
    logged,
    mails,
    settled,
    trail,
    ...client(app).expectContract(),
    visitor: () => visitor(app),
  }
}

/** The token of the link of a mail. */
export function tokenOf(mail: AccountMail | undefined): string {
  return new URL(mail!.link).searchParams.get('token')!
}
