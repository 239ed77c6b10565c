import type { Accounts } from '../../accounts/create-accounts.ts'
import { HOW_TO_MAKE_ONE, SECRET_IS_MISSING, weakSecrets } from '../../api/secrets.ts'
import { ConfigurationError } from '../../errors/configuration-error.ts'
import { DatabaseUnavailable } from '../../errors/storage-errors.ts'
import { type Checks, type Examined, type Found, inService } from './finding.ts'

/** What the whole service needs to run: its mode, its secret, its tables. */
export const serviceChecks: Checks = {
  'not-production': ({ configuration }) =>
    configuration.production ? [] : [{ ...NOWHERE, ...NOT_PRODUCTION }],
  'missing-secret': (app) =>
    inService(app, isSecretMissing(app), ['secretKey'], {
      message:
        'Production does not start without a secret: one that is made up on a machine opens nothing on another.',
      fix: 'Set SECRET_KEY to what `npx colophon secret` prints.',
    }),
  'weak-secret': (app) => (isWeakInCode(app) ? [WEAK_IN_CODE] : weak(app, 'secretKey')),
  'weak-old-secret': (app) => weak(app, 'secretKeyFallbacks'),
  'pending-migrations': (app) => {
    const pending = app.pending instanceof DatabaseUnavailable ? [] : app.pending
    return inService(app, pending.length > 0, ['databaseUrl'], {
      message: `The service does not start before its tables are up to date: ${pending.join(', ')}.`,
      fix: 'Run `npx colophon migrate`.',
    })
  },
  'database-away': (app) => {
    const { pending } = app
    return inService(app, pending instanceof DatabaseUnavailable, ['databaseUrl'], {
      message: `Whether the tables are up to date is not known. ${(pending as Error).message}`,
      fix: 'Start the database, or set DATABASE_URL to where it is.',
    })
  },
}

const NOWHERE = { endpoints: [], settings: [{ key: 'NODE_ENV', layer: 'environment' }] }
const NOT_PRODUCTION = {
  message:
    'A secret that is missing or weak is accepted, and cookies also travel without https, unless NODE_ENV is production.',
  fix: 'Set NODE_ENV=production in the environment of the service, and of `colophon doctor`.',
}

function weak(app: Examined, key: 'secretKey' | 'secretKeyFallbacks'): readonly Found[] {
  const found = weakSecrets(app.service).find((each) => each.key === key)
  const { message = '', fix = '' } = found ?? {}
  return inService(app, found !== undefined, [key], { message: `${message} ${IF_GUESSED}`, fix })
}

const IF_GUESSED =
  'An attacker who guesses it can read and make cursors, and read the tokens of a stolen database.'

const WEAK_IN_CODE = {
  endpoints: [],
  settings: [{ key: 'secretKey', layer: 'defineAccounts' }],
  message: `Production does not start with this secret. ${IF_GUESSED}`,
  fix: HOW_TO_MAKE_ONE,
}

function isWeakInCode({ accounts, service }: Examined): boolean {
  const refusal = accounts === null || service.secretKey !== null ? null : secretRefusal(accounts)
  return refusal !== null && !refusal.startsWith(SECRET_IS_MISSING)
}

/** Do accounts, or pages behind cursors, have none in production? What is made up elsewhere is not asked for. */
function isSecretMissing({ accounts, endpoints, service }: Examined): boolean {
  if (service.secretKey !== null) return false
  if (accounts !== null) return secretRefusal(accounts)?.startsWith(SECRET_IS_MISSING) ?? false
  const without = { hasSecret: false, remoteUserSource: service.remoteUserSource, routes: [] }
  return endpoints.some(({ settings }) => settings.pagination?.check?.(without) != null)
}

/** Why production does not start with these accounts; `null`: it does. */
function secretRefusal(accounts: Accounts): string | null {
  try {
    accounts.check({ production: true })
    return null
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message
    throw error
  }
}
