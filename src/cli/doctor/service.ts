import { weakSecrets } from '../../api/secrets.ts'
import { ConfigurationError } from '../../errors/configuration-error.ts'
import { DatabaseUnavailable } from '../../errors/storage-errors.ts'
import { type Checks, type Examined, type Found, inService } from './finding.ts'

/** What the whole service needs to run: its mode, its secret, its tables. */
export const serviceChecks: Checks = {
  'not-production': ({ configuration }) =>
    configuration.production ? [] : [{ ...NOWHERE, ...NOT_PRODUCTION }],
  'missing-secret': (app) =>
    inService(app, app.service.secretKey === null && needsSecret(app), ['secretKey'], {
      message:
        'Production does not start without a secret: one that is made up on a machine opens nothing on another.',
      fix: 'Set SECRET_KEY to what `npx colophon secret` prints.',
    }),
  'weak-secret': (app) => weak(app, 'secretKey'),
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
  const danger = 'An attacker who guesses it can read and make cursors, and read a stolen database.'
  return inService(app, found !== undefined, [key], { message: `${message} ${danger}`, fix })
}

/** Do accounts or pages behind cursors refuse to start without a secret in production? */
function needsSecret({ accounts, endpoints, service }: Examined): boolean {
  const { remoteUserSource } = service
  const without = { hasSecret: false, remoteUserSource, routes: [] }
  const isRefused = endpoints.some(({ settings }) => settings.pagination?.check?.(without) != null)
  try {
    accounts?.check({ production: true })
    return isRefused && accounts === null
  } catch (error) {
    if (error instanceof ConfigurationError) return true
    throw error
  }
}
