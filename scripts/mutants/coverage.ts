// Which tests reach which function: found out once, by running the tests on sources that note it, and again for each
// file of tests that has changed since.
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../run.ts'
import { type Mutant, mutantsOf } from './mutate.ts'
import { Sandbox, instrumented, original } from './sandbox.ts'

/** What a file of tests reaches, and how long it takes. */
export interface Reached {
  readonly digest: string
  readonly milliseconds: number
  readonly ran: readonly string[]
  /** Those that ran before the first of its tests: perhaps because it was the first to load the source. */
  readonly loaded?: readonly string[]
}
/** By file of tests. */
export type Reach = Readonly<Record<string, Reached>>

/** The tests that are about a room. Others reach it too, as everything does that asks a service something. */
export const ROOMS: Readonly<Record<string, readonly string[]>> = {
  authentication: ['authentication', 'accounts/remote*', 'behaviour/0[3-8]*', 'behaviour/401*'],
  permissions: ['permissions', 'behaviour/09*', 'behaviour/401*', 'api/layers*', 'api/serve*'],
  pagination: [
    'pagination',
    'behaviour/1[1-6]*',
    'endpoints/paginated*',
    'endpoints/list.*',
    'security/sec2[56]*',
  ],
  versioning: ['versioning', 'behaviour/17*', 'api/version-checks*', 'serializers/versions*'],
  links: ['links', 'behaviour/18*', 'serializers/hyperlinks*', 'versioning/links*'],
  sql: ['sql', 'lists', 'api/own-tables*', 'databases/sqlite', 'databases/dialect*'],
  pipeline: [
    'pipeline',
    'behaviour/0[1239]*',
    'behaviour/1[079]*',
    'behaviour/20*',
    'behaviour/decisions-[aho]*',
    'doors/{client,downloads,fetch,gone}*',
    'endpoints',
    'security/sec{18,20,22,34}*',
    'security/finding-{12,15,17,20}*',
    'settings/cors*',
  ],
}
/** Other processes, whole services or minutes of cases: none of them is about one line. */
const LEFT_OUT = /growth|hostile|fuzz|kill|processes/
const ONE_FILE = 180_000

/** Read from the cache, brought up to date. */
export async function coverage(rooms: readonly string[], cache: string): Promise<Reach> {
  const path = join(cache, 'reach.json')
  const before = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Reach) : {}
  const tests = rooms.flatMap(testsOf)
  const changed = tests.filter((file) => before[file]?.digest !== digestOf(file))
  const kept = Object.entries(before).filter(([file]) => !changed.includes(file))
  const reach = { ...Object.fromEntries(kept), ...(await measure(changed, cache)) }
  writeFileSync(path, JSON.stringify(reach))
  return reach
}

function testsOf(room: string): readonly string[] {
  const patterns = ROOMS[room]?.map((place) => `test/${place}{,/**}`) ?? []
  return globSync(patterns, { cwd: root })
    .filter((file) => file.endsWith('.test.ts') && !LEFT_OUT.test(file))
    .toSorted()
}

/**
 * The tests that reach the function of a mutant, the closest first: of the same room, then those that reach least
 * else. As many as take `budget` milliseconds without the mutant, and one at least. What runs when a file is loaded has
 * the tests of all functions of the file.
 */
export function testsFor(
  reach: Reach,
  { file, within }: Mutant,
  budget: number,
): { readonly files: readonly string[]; readonly milliseconds: number } {
  const room = file.split('/')[1]!
  const own = new Set(testsOf(room))
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
    for (const file of globSync(`src/{${Object.keys(ROOMS).join()}}/**/*.ts`, { cwd: root })) {
      const text = original(file)
      sandbox.write(file, instrumented(file, text, mutantsOf(file, text).functions))
    }
    const failing = async (some: readonly string[]): Promise<readonly string[]> => {
      const ask = { changed: [], tests: some, bail: false }
      const told = await sandbox.run(ask, ONE_FILE * some.length)
      return (told?.failed ?? some).map((file) => file.slice(file.lastIndexOf('/test/') + 1))
    }
    // Twice: tests of how long something takes may fail where much else is going on.
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
