// A service with all that people prove who they are with, and one person who uses all of it.
import { Secret, TOTP } from 'otpauth'
import {
  type AccountMail,
  emailChange,
  emailUrls,
  passwordReset,
  passwordResetUrls,
  registration,
  registrationUrls,
} from '../../src/account.ts'
import { HashQueue, defineAccounts } from '../../src/accounts.ts'
import { accountEndpoints, accountUrls } from '../../src/admin.ts'
import { loginPages, loginUrls } from '../../src/browsable.ts'
import { factorEndpoints, factorUrls, secondFactors } from '../../src/factors.ts'
import {
  BasicAuthentication,
  CursorPagination,
  IsRecentlyAuthenticated,
  SessionAuthentication,
  TokenAuthentication,
  configurationOf,
  defineApi,
  defineUrls,
  list,
  loginSession,
  obtainToken,
  renewSession,
  showSession,
} from '../../src/index.ts'
import type { SqlDatabase } from '../../src/sql.ts'
import { fakeClock } from '../../src/testing.ts'
import { CHEAP } from '../accounts/fixtures.ts'
import { visitor } from '../addons/admin/own-service.ts'
import { migratedSqlite } from '../contract/temporary.ts'
import { type ServerDialect, migratedDatabase } from '../setup/databases.ts'

export const SECRET_KEY = 'the secret of the whole service: 5Ljc8Jq0vWf2hXz7'
const STEP = 30_000

export async function wholeService(
  place: 'sqlite' | ServerDialect = 'sqlite',
  hashQueue = new HashQueue({ waiting: 1000 }),
) {
  const database: SqlDatabase = await (place === 'sqlite'
    ? migratedSqlite()
    : migratedDatabase(place))
  const clock = fakeClock(new Date('2026-03-04T05:06:07Z'))
  const configuration = configurationOf({ SECRET_KEY, THROTTLE_STORE: 'database' })
  const mails: AccountMail[] = []
  const mail = (sent: AccountMail): void => void mails.push(sent)
  const accounts = defineAccounts({
    database,
    configuration,
    passwordCost: CHEAP,
    rememberPasswords: 0,
    manyTokens: true,
    tokenPrefix: 'acme',
    refreshTokens: {},
    hashQueue,
    now: clock.now,
    logger: { error: () => {}, info: () => {} },
  })
  const api = defineApi({
    urls: defineUrls({
      ...loginUrls,
      ...factorUrls,
      ...accountUrls,
      ...passwordResetUrls,
      ...registrationUrls,
      ...emailUrls,
      session: '/session/',
      token: '/token/',
      people: '/people/',
      me: '/me/',
    }),
    accounts,
    now: clock.now,
    logger: { error: () => {} },
    authentication: [
      new SessionAuthentication(accounts),
      new TokenAuthentication(accounts),
      new BasicAuthentication(accounts),
    ],
  })
  const factors = secondFactors({ accounts, issuer: 'Whole', now: clock.now })
  const permissions = [new IsRecentlyAuthenticated({ within: '10 minutes', now: clock.now })]
  const pagination = new CursorPagination({ pageSize: 1, ordering: '-id' })
  const app = api.serve(
    [
      ...loginPages(api, { accounts, factors }),
      ...factorEndpoints(api, { accounts, factors, permissions }),
      ...accountEndpoints(api, { accounts }),
      ...passwordReset(api, { accounts, mail }),
      ...registration(api, { accounts, mail, now: clock.now }),
      ...emailChange(api, { accounts, mail }),
      api
        .endpoint('session')
        .get(showSession({ accounts }))
        .post(loginSession({ accounts, factors }))
        .put(renewSession({ accounts, factors })),
      api.endpoint('token').post(obtainToken({ accounts })),
      api.endpoint('people', { pagination }).get(list({ source: accounts.lists.users })),
      api.endpoint('me').get(({ user }) => user.username),
    ],
    { configuration },
  )
  /** The token of the mail of this kind that was sent last. */
  const sentToken = async (kind: AccountMail['kind']) => {
    await app.close()
    const { link } = mails.findLast((each) => each.kind === kind)!
    return new URL(link).searchParams.get('token')!
  }
  const codeOf = (secret: string) => {
    clock.advance(STEP)
    return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: clock.now() })
  }
  return { accounts, app, clock, codeOf, database, mails, sentToken, visitor: () => person(app) }
}

export type WholeService = Awaited<ReturnType<typeof wholeService>>

/** A browser whose scripts send JSON, too. */
function person(app: Parameters<typeof visitor>[0]) {
  const browser = visitor(app)
  const ask = async (method: string, path: string, json: object = {}) => {
    if (!browser.jar.get('csrftoken')) await browser.send('/session/')
    const headers = {
      'content-type': 'application/json',
      origin: 'http://localhost',
      'x-csrftoken': browser.jar.get('csrftoken') ?? '',
    }
    const answer = await browser.send(path, { method, headers, body: JSON.stringify(json) })
    const text = await answer.text()
    return { status: answer.status, data: text.startsWith('{') ? JSON.parse(text) : text }
  }
  const post = (path: string, json: object = {}) => ask('POST', path, json)
  return { ...browser, post, put: (path: string, json: object) => ask('PUT', path, json) }
}

export type Person = ReturnType<WholeService['visitor']>

/** An app for codes, and the recovery codes that come with the first one. */
export async function withApp({ codeOf }: WholeService, { post }: Person) {
  const { secret } = (await post('/account/factors/app/', { name: 'phone' })).data
  const code = codeOf(secret)
  const { data } = await post('/account/factors/confirm/', { code })
  return { secret: secret as string, codes: data.recovery_codes as string[] }
}
