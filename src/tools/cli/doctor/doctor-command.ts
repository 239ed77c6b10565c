import { availableParallelism } from 'node:os'
import type { Accounts } from '../../../accounts/create-accounts.ts'
import type { App } from '../../../preset/define-api.ts'
import {
  HOW_TO_MAKE_ONE,
  SECRET_IS_MISSING,
  weakSecrets,
} from '../../../core/secrets/secret-key.ts'
import type { MigrationStatus } from '../../../core/ports/database.ts'
import { ConfigurationError } from '../../../core/errors/configuration-error.ts'
import { unreadKeys } from '../../../core/settings/configuration.ts'
import { DatabaseUnavailable, migrationsThatAre } from '../../../core/errors/storage-errors.ts'
import { type CommandNode, OBJECT_LINES, command } from '../command.ts'
import { CommandFailed, type Terminal, UsageError } from '../terminal.ts'
import { errorText } from '../../../core/std/text/error-text.ts'
import { didYouMean } from '../../../core/std/text/nearest.ts'
import { askServers, askTimes, connectionChecks, operationChecks } from './connections.ts'
import {
  LIST_KINDS,
  behaviourFindings,
  browserChecks,
  endpointChecks,
  limitChecks,
} from './endpoints.ts'
import {
  type Checks,
  type Diagnosis,
  type Examined,
  type FoundByCheck,
  foundBy,
  setBy,
} from './finding.ts'

/** The needs of the whole service: its mode, its secret, its tables. */
const serviceChecks: Checks = {
  'not-production': ({ configuration }) =>
    configuration.production ? [] : [{ ...NOWHERE, ...NOT_PRODUCTION }],
  'unread-keys': ({ configuration: { unread } }) =>
    unread.length === 0
      ? []
      : [
          {
            endpoints: [],
            settings: unread.map((key) => ({ key, layer: 'environment' })),
            ...unreadKeys(unread),
          },
        ],
  'missing-secret': {
    inService: isSecretMissing,
    settings: ['secretKey'],
    message:
      'Production does not start without a secret: one that is made up on a machine opens nothing on another.',
    fix: 'Set SECRET_KEY to what `npx colophon secret` prints.',
  },
  'weak-secret': (app) => (isWeakInCode(app) ? [WEAK_IN_CODE] : weak(app, 'secretKey')),
  'weak-old-secret': (app) => weak(app, 'secretKeyFallbacks'),
  'changed-migrations': {
    inService: (app) => namesOf(app, 'changed') !== '',
    settings: ['databaseUrl'],
    message: (app) =>
      `The service does not start where a migration changed after it was applied: ${namesOf(app, 'changed')}.`,
    fix: 'Put it back as it was, and make the change in a new migration.',
  },
  'pending-migrations': {
    inService: (app) => namesOf(app, 'pending', 'late') !== '',
    settings: ['databaseUrl'],
    message: (app) =>
      `The service does not start before its tables are up to date: ${namesOf(app, 'pending', 'late')}.`,
    fix: 'Run `npx colophon migrate`.',
  },
  'database-away': {
    inService: ({ migrations }) => migrations instanceof DatabaseUnavailable,
    settings: ['databaseUrl'],
    message: ({ migrations }) =>
      `Whether the tables are up to date is not known. ${(migrations as DatabaseUnavailable).message}`,
    fix: 'Start the database, or set DATABASE_URL to where it is.',
  },
}

function namesOf({ migrations }: Examined, ...states: MigrationStatus['state'][]): string {
  if (migrations instanceof DatabaseUnavailable) return ''
  return migrationsThatAre(migrations, ...states).join(', ')
}

const NOWHERE = { endpoints: [], settings: [{ key: 'NODE_ENV', layer: 'environment' }] }
const NOT_PRODUCTION = {
  message:
    'A secret that is missing or weak is accepted, and cookies also travel without https, unless NODE_ENV is production.',
  fix: 'Set NODE_ENV=production in the environment of the service, and of `colophon doctor`.',
}

function weak(app: Examined, key: 'secretKey' | 'secretKeyFallbacks'): readonly FoundByCheck[] {
  const found = weakSecrets(app.service).filter((each) => each.key === key)
  return found.map(({ message, fix }) => ({
    endpoints: [],
    settings: setBy(app, [], [key]),
    message: `${message} ${IF_GUESSED}`,
    fix,
  }))
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

/** Do accounts, or pages behind cursors, lack a secret in production? Elsewhere one is made up, and not missing. */
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

/** Exit statuses: nothing was found, something was, and nothing could be examined. */
const [CLEAN, FOUND, CANNOT_START] = [0, 1, 2]

export const doctorCommand: CommandNode = command({
  name: 'doctor',
  summary: 'explain what is unsafe or doubtful, before production',
  description:
    'Explains what is unsafe or doubtful about the settings of an application, taken as what production would run.',
  options: [['--accept <kind...>', 'kinds of findings that are meant to be so: they are left out']],
  json: OBJECT_LINES,
  async run({ app, options: { accept = [] }, terminal, json }) {
    const { found, count } = await examined(app)
    const left = unaccepted(found, accept)
    if (json) for (const each of left) terminal.print(JSON.stringify(each))
    else report(terminal, left, count)
    return left.length === 0 ? CLEAN : FOUND
  },
})

/** Findings that are not accepted. Behaviours of an application may report kinds of their own. */
function unaccepted(found: readonly Diagnosis[], accept: readonly string[]): readonly Diagnosis[] {
  const known = [...KINDS, ...found.map(({ kind }) => kind)]
  const unknown = accept.find((kind) => !known.includes(kind))
  if (unknown === undefined) return found.filter(({ kind }) => !accept.includes(kind))
  const hint = didYouMean(unknown, known)
  throw new UsageError(`There is no finding "${unknown}".${hint}`)
}

/** An application that does not start has no settings: that is another status than a finding. */
async function examined(
  load: () => Promise<App>,
): Promise<{ found: readonly Diagnosis[]; count: number }> {
  try {
    const app = await load()
    const found = await diagnose(app)
    await app.close()
    return { found, count: app.describe().length }
  } catch (error) {
    const isExpected = error instanceof ConfigurationError || error instanceof CommandFailed
    const reason = isExpected ? error.message : errorText(error)
    throw new CommandFailed(`The application cannot be examined. ${reason}`, CANNOT_START)
  }
}

function report(terminal: Terminal, found: readonly Diagnosis[], count: number): void {
  const { print, styled } = terminal
  for (const finding of found) {
    print(`${styled(['bold', 'yellow'], finding.kind)}: ${placeOf(finding, count)}`)
    print(`  ${finding.message}`)
    print(`  ${finding.fix}`)
  }
  if (found.length > 0) print('')
  print(`${counted(found.length, 'finding')}. ${counted(count, 'endpoint')} examined.`)
}

function placeOf({ endpoints, settings }: Diagnosis, count: number): string {
  const byKey = [...Map.groupBy(settings, ({ key }) => key)]
  const keys = byKey.map(([key, from]) => `${key} from ${few(from.map(({ layer }) => layer))}`)
  if (endpoints.length === 0) return keys.join(', ')
  const all = endpoints.length === count && count > MOST_NAMES
  const named = keys.length === 0 ? '' : ` (${keys.join(', ')})`
  return `${all ? 'all endpoints' : few(endpoints)}${named}`
}

const MOST_NAMES = 3

function few(names: readonly string[]): string {
  const rest = names.length - MOST_NAMES
  // The words "and 1 more" are no shorter than a name.
  return rest <= 1 ? names.join(', ') : `${names.slice(0, MOST_NAMES).join(', ')} and ${rest} more`
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`

const CHECKS: Checks = {
  ...serviceChecks,
  ...connectionChecks,
  ...browserChecks,
  ...limitChecks,
  ...endpointChecks,
  ...operationChecks,
}

/** Every kind of finding, in the order of a report. */
export const KINDS: readonly string[] = [...Object.keys(CHECKS), ...LIST_KINDS]

/**
 * Finds unsafe or doubtful settings of an application, judged as if it ran in production. No request is made, and nothing is
 * written; the database is asked for its tables, its limit of connections, its clock, and the form of points in time.
 */
export async function diagnose(
  app: App,
  { cores = availableParallelism(), now = Date.now }: Partial<Machine> = {},
): Promise<readonly Diagnosis[]> {
  const migrations = await migrationsOf(app)
  const there = migrations instanceof Error ? [] : app.databases
  const [servers, mixedTimes] = [await askServers(there, now), await askTimes(there)]
  const facts = { ...app, endpoints: app.describe(), migrations, cores, servers, mixedTimes }
  const found = Object.entries(CHECKS).flatMap(([kind, check]) =>
    foundBy(check, facts).map((each): Diagnosis => ({ kind, ...each })),
  )
  return [...found, ...behaviourFindings(facts)]
}

/** The machine under doctor. */
export interface Machine {
  readonly cores: number
  /** Milliseconds since 1970. */
  readonly now: () => number
}

async function migrationsOf({ databases }: App): Promise<Examined['migrations']> {
  try {
    return (await Promise.all(databases.map((each) => each.migrationStatus()))).flat()
  } catch (error) {
    if (error instanceof DatabaseUnavailable) return error
    throw error
  }
}
