// Finds the tests that reach each function, by running all tests on sources that note it once, and changed files of tests
// again.
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../run.ts'
import { type Mutant, mutantsOf } from './mutate.ts'
import { Sandbox, instrumented, original } from './sandbox.ts'

/** The functions that a file of tests reaches, and the time that it takes. */
export interface Reached {
  readonly digest: string
  readonly milliseconds: number
  readonly ran: readonly string[]
  /** Functions that ran before its first test, perhaps because it was the first to load the source. */
  readonly loaded?: readonly string[]
}
/** The reached functions, by file of tests. */
export type Reach = Readonly<Record<string, Reached>>

/**
 * The tests about each folder of `src` and of its wings. Other tests reach it too, as every request to a service does. Types
 * have no faults to put in.
 */
export const ROOMS: Readonly<Record<string, readonly string[]>> = {
  accounts: [
    'accounts',
    'behaviour/0[3-8]*',
    'behaviour/decisions-accounts*',
    'tools/cli/{accounts,tokens}*',
    'security/sec{01,02,06,10}*',
    'security/finding-{01,11,18}*',
  ],
  'addons/admin': ['addons/admin', 'security/sec33*'],
  'core/app': ['core/app', 'behaviour/01*', 'core/serving/client*'],
  'policies/authentication': [
    'policies/authentication',
    'accounts/remote*',
    'core/pipeline/challenges*',
    'policies/throttling/guesses*',
    'behaviour/0[3-8]*',
    'behaviour/401*',
  ],
  'addons/operations': ['addons/operations', 'security/observed*', 'core/pipeline/following*'],
  'addons/pages': ['addons/pages/login', 'behaviour/06*', 'addons/pages', 'addons/admin'],
  'addons/gate': ['addons/gate', 'tools/cli/contract'],
  'addons/factors': ['addons/factors'],
  'addons/jwt': ['addons/jwt'],
  'tools/cli': ['tools/cli'],
  'addons/client': ['addons/client'],
  'core/ports': ['resources/lists', 'storage/sql/query', 'policies/throttling', 'storage/sqlite'],
  storage: ['storage', 'storage/sql/migrations', 'storage/sql/table'],
  'core/serving': [
    'core/serving',
    'behaviour/{01,04-hostile}*',
    'security/finding-{04,05,07,12,16}*',
  ],
  'resources/endpoints': ['resources/endpoints', 'resources/resource', 'behaviour/2[0-9]*'],
  'core/errors': ['behaviour/02*', 'addons/openapi', 'core/messages', 'core/pipeline'],
  'policies/filters': ['policies/filters', 'behaviour/21*', 'resources/lists'],
  'resources/lists': ['resources/lists', 'policies/filters', 'policies/pagination'],
  'core/messages': ['core/messages', 'behaviour/02*'],
  'core/representations': [
    'core/representations',
    'behaviour/01*',
    'behaviour/19-negotiation*',
    'addons/pages',
    'core/replies',
    'behaviour/19-json*',
  ],
  'addons/openapi': ['addons/openapi', 'tools/testing', 'tools/cli/openapi*'],
  'core/parsing': [
    'core/parsing',
    'behaviour/19*',
    'core/serving/uploads*',
    'resources/endpoints/download*',
    'security/finding-13*',
  ],
  'policies/permissions': [
    'policies/permissions',
    'behaviour/09*',
    'behaviour/401*',
    'core/app/layers*',
    'core/app/serve*',
    'addons/openapi/endpoint*',
  ],
  'policies/pagination': [
    'policies/pagination',
    'behaviour/1[1-6]*',
    'resources/endpoints/paginated*',
    'resources/endpoints/list.*',
    'security/sec2[56]*',
  ],
  'policies/versioning': [
    'policies/versioning',
    'behaviour/17*',
    'core/app/version-checks*',
    'resources/serializers/versions*',
  ],
  'core/urls': [
    'core/urls',
    'behaviour/18*',
    'resources/serializers/hyperlinks*',
    'policies/versioning/links*',
  ],
  'storage/sql': [
    'storage/sql',
    'resources/lists',
    'resources/resource/own-tables*',
    'storage/sqlite',
    'storage/dialect*',
  ],
  'core/pipeline': [
    'core/pipeline',
    'behaviour/0[1239]*',
    'behaviour/1[079]*',
    'behaviour/20*',
    'behaviour/decisions-[aho]*',
    'core/serving/{client,downloads,fetch,gone}*',
    'resources/endpoints',
    'security/sec{18,20,22,34}*',
    'security/finding-{12,15,17,20}*',
    'core/settings/cors*',
  ],
  'core/replies': ['core/replies', 'behaviour/01*', 'resources/endpoints'],
  'resources/serializers': [
    'resources/serializers',
    'resources/endpoints/writing*',
    'resources/resource/{tenant-,foreign-keys}*',
    'addons/openapi/schemas*',
    'behaviour/22*',
    'security/sec32*',
  ],
  'core/settings': [
    'core/settings',
    'core/app/{layers,operator}*',
    'preset/defaults*',
    'tools/cli/{explain,service}*',
  ],
  'core/std': ['core/std', 'core/parsing', 'resources/serializers', 'core/representations'],
  'tools/testing': ['tools/testing', 'addons/openapi'],
  'policies/throttling': [
    'policies/throttling',
    'preset/counter-store*',
    'behaviour/10*',
    'storage/{redis,sqlite,pooled}/counters*',
    'security/sec{18,21,35,36,37,38}*',
  ],
  'core/types': ['core/urls', 'addons/openapi'],
  'core/secrets': [
    'core/secrets',
    'core/std',
    'security/{crypto,finding-14}*',
    'house/security-table*',
  ],
  'core/versions': ['core/app/version-checks*', 'core/urls', 'policies/versioning'],
  preset: ['preset', 'core/app', 'behaviour/01*'],
  'resources/resource': [
    'resources/resource',
    'behaviour/2[0-9]*',
    'addons/pages/row-links*',
    'resources/serializers/{embed,tenant-}*',
    'tools/cli/doctor/kinds*',
  ],
}
/** Tests of other processes, whole services or minutes of cases, which are not about single lines. */
const LEFT_OUT = /growth|hostile|fuzz|kill|processes/
const ONE_FILE = 180_000

/** Reads the coverage from the cache, and updates it. */
export async function coverage(rooms: readonly string[], cache: string): Promise<Reach> {
  const path = join(cache, 'reach.json')
  const before = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Reach) : {}
  const tests = [...new Set(rooms.flatMap((room) => testsOf(ROOMS[room] ?? [])))]
  const changed = tests.filter((file) => before[file]?.digest !== digestOf(file))
  const kept = Object.entries(before).filter(([file]) => !changed.includes(file))
  const reach = { ...Object.fromEntries(kept), ...(await measure(changed, cache)) }
  writeFileSync(path, JSON.stringify(reach))
  return reach
}

/** The folder that a file belongs to: the longest path of {@link ROOMS} above it. */
export function roomOf(file: string): string {
  const above = Object.keys(ROOMS).filter((room) => file.startsWith(`src/${room}/`))
  return above.toSorted((one, other) => other.length - one.length)[0] ?? ''
}

/** The files of tests at these places. */
export function testsOf(places: readonly string[]): readonly string[] {
  const patterns = places.map((place) => `test/${place}{,/**}`)
  return globSync(patterns, { cwd: root })
    .filter((file) => file.endsWith('.test.ts') && !LEFT_OUT.test(file))
    .toSorted()
}

/**
 * The tests that reach the function of a mutant, the closest first: those of the same folder, then those that reach the least
 * beside it. They take at most `budget` milliseconds without the mutant, but at least one is chosen. Code that runs when a file
 * is loaded has the tests of all functions of the file.
 */
export function testsFor(
  reach: Reach,
  { file, within }: Mutant,
  budget: number,
): { readonly files: readonly string[]; readonly milliseconds: number } {
  const room = roomOf(file)
  const own = new Set(testsOf(ROOMS[room] ?? []))
  const wanted = `${file}#${within}`
  const isLoaded =
    within === -1 || Object.values(reach).some(({ loaded }) => loaded?.includes(wanted))
  const isReached = (name: string): boolean =>
    isLoaded ? name.startsWith(`${file}#`) : name === wanted
  const ranked = Object.entries(reach)
    .filter(([test, { ran }]) => own.has(test) && ran.some(isReached))
    .map(([test, { ran, milliseconds }]) => ({
      test,
      milliseconds,
      distance:
        (test.startsWith(`test/${room}/`) ? 0 : 1000) +
        (ran.includes(wanted) || within === -1 ? 0 : 500) +
        ran.length +
        milliseconds / 100,
    }))
    .toSorted((one, other) => one.distance - other.distance)
  const files: string[] = []
  let sum = 0
  for (const { test, milliseconds } of ranked) {
    if (files.length > 0 && sum + milliseconds > budget) continue
    files.push(test)
    sum += milliseconds
  }
  return { files, milliseconds: sum }
}

async function measure(tests: readonly string[], cache: string): Promise<Reach> {
  if (tests.length === 0) return {}
  console.log(`Finding out what ${tests.length} files of tests reach`)
  const notes = join(cache, `notes-${process.pid}`)
  mkdirSync(notes, { recursive: true })
  const sandbox = new Sandbox({
    MUTANTS_NOTES: notes,
    MUTANTS_SETUP: 'scripts/mutants/coverage-setup.ts',
  })
  try {
    for (const file of globSync('src/*/**/*.ts', { cwd: root })) {
      const text = original(file)
      sandbox.write(file, instrumented(file, text, mutantsOf(file, text).functions))
    }
    const failing = async (some: readonly string[]): Promise<readonly string[]> => {
      const ask = { changed: [], tests: some, bail: false }
      const told = await sandbox.run(ask, ONE_FILE * some.length)
      return (told?.failed ?? some).map((file) => file.slice(file.lastIndexOf('/test/') + 1))
    }
    // They run twice, because tests of durations may fail on a busy machine.
    const first = await failing(tests)
    const failed = first.length === 0 ? first : await failing(first)
    if (failed.length > 0)
      console.log(`Left out, as they fail without a fault: ${failed.join(' ')}`)
    return noted(notes, new Set(failed))
  } finally {
    await sandbox.close()
  }
}

function noted(folder: string, failed: ReadonlySet<string>): Reach {
  const found: Record<string, Reached> = {}
  for (const name of readdirSync(folder)) {
    const { file, ...reached } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as Omit<
      Reached,
      'digest'
    > & { readonly file: string }
    const test = file.slice(file.lastIndexOf('/test/') + 1)
    if (!failed.has(test)) found[test] = { digest: digestOf(test), ...reached }
  }
  return found
}

function digestOf(file: string): string {
  return createHash('sha256').update(original(file)).digest('hex')
}
