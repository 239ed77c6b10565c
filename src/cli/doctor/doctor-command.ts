import { type Command, CommanderError } from 'commander'
import type { App } from '../../api/app.ts'
import { ConfigurationError } from '../../errors/configuration-error.ts'
import { DatabaseUnavailable } from '../../errors/storage-errors.ts'
import type { Context } from '../application.ts'
import { CommandFailed, type Terminal } from '../terminal.ts'
import { errorText } from '../../std/text/error-text.ts'
import { didYouMean } from '../../std/text/nearest.ts'
import { browserChecks } from './browsers.ts'
import { connectionChecks } from './connections.ts'
import { LIST_KINDS, behaviourFindings, endpointChecks } from './endpoints.ts'
import type { Checks, Diagnosis, Examined } from './finding.ts'
import { limitChecks } from './limits.ts'
import { serviceChecks } from './service.ts'

/** Exit statuses: nothing was found, something was, and nothing could be examined. */
const [CLEAN, FOUND, CANNOT_START] = [0, 1, 2]

/** `colophon doctor` */
export function addDoctorCommand(program: Command, { app, terminal, end }: Context): void {
  program
    .command('doctor')
    .description('explains what is unsafe or doubtful about the settings, before production')
    .option('--json', 'one JSON object a line, for programs')
    .option('--accept <kind...>', 'kinds of findings that are meant to be so: they are left out')
    .exitOverride((error) => {
      const status = error.exitCode === 0 ? CLEAN : CANNOT_START
      throw new CommanderError(status, error.code, error.message)
    })
    .action(async ({ json = false, accept = [] }: Options) => {
      const { found, count } = await examined(app)
      const left = unaccepted(found, accept)
      if (json) for (const each of left) terminal.print(JSON.stringify(each))
      else report(terminal, left, count)
      end(left.length === 0 ? CLEAN : FOUND)
    })
}

interface Options {
  readonly json?: boolean
  readonly accept?: readonly string[]
}

/** Behaviours of an application may report kinds of their own. */
function unaccepted(found: readonly Diagnosis[], accept: readonly string[]): readonly Diagnosis[] {
  const known = [...KINDS, ...found.map(({ kind }) => kind)]
  const unknown = accept.find((kind) => !known.includes(kind))
  if (unknown === undefined) return found.filter(({ kind }) => !accept.includes(kind))
  const hint = didYouMean(unknown, known)
  throw new CommandFailed(`There is no finding "${unknown}".${hint}`, CANNOT_START)
}

/** An application that does not start has no settings: that is another status than a finding. */
async function examined(
  load: () => Promise<App>,
): Promise<{ found: readonly Diagnosis[]; count: number }> {
  try {
    const app = await load()
    const found = await examine(app)
    await app.close()
    return { found, count: app.describe().length }
  } catch (error) {
    const isExpected = error instanceof ConfigurationError || error instanceof CommandFailed
    const reason = isExpected ? error.message : errorText(error)
    throw new CommandFailed(`The application cannot be examined. ${reason}`, CANNOT_START)
  }
}

function report({ print }: Terminal, found: readonly Diagnosis[], count: number): void {
  for (const finding of found) {
    print(`${finding.kind}: ${placeOf(finding, count)}`)
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
  return `${all ? 'all endpoints' : few(endpoints)} (${keys.join(', ')})`
}

const MOST_NAMES = 3

function few(names: readonly string[]): string {
  const rest = names.length - MOST_NAMES
  // A rest of one is no shorter than its name.
  return rest <= 1 ? names.join(', ') : `${names.slice(0, MOST_NAMES).join(', ')} and ${rest} more`
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`

const CHECKS: Checks = {
  ...serviceChecks,
  ...connectionChecks,
  ...browserChecks,
  ...limitChecks,
  ...endpointChecks,
}

/** Every kind of finding, in the order of a report. */
export const KINDS: readonly string[] = [...Object.keys(CHECKS), ...LIST_KINDS]

/**
 * What is unsafe or doubtful about the settings of an application, taken as what production would run. No request
 * is made, and nothing is written; the database is asked for its tables.
 */
export async function examine(app: App): Promise<readonly Diagnosis[]> {
  const facts = { ...app, endpoints: app.describe(), pending: await pendingMigrations(app) }
  const found = Object.entries(CHECKS).flatMap(([kind, check]) =>
    check(facts).map((each): Diagnosis => ({ kind, ...each })),
  )
  return [...found, ...behaviourFindings(facts)]
}

async function pendingMigrations({ databases }: App): Promise<Examined['pending']> {
  try {
    return (await Promise.all(databases.map((each) => each.pendingMigrations()))).flat()
  } catch (error) {
    if (error instanceof DatabaseUnavailable) return error
    throw error
  }
}
