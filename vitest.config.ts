import { join } from 'node:path'
import { type Plugin, defineConfig } from 'vitest/config'
import { filesThatNeed } from './scripts/needs.ts'
import { THRIFTY } from './scripts/run.ts'
import { roomiest } from './scripts/servers/run-server.ts'
import { lacking } from './test/setup/environment.ts'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that wait for programs, servers and browsers more than they compute. */
const WAITING =
  /test\/(?:browser|deploy|examples|house|tools\/cli|storage\/redis)\/|replicas|silent-connection|faults|interrupted|database-away|pgbouncer|processes|provider-login|jwt\/keys|token-use|unread-answers|(?:postgres|mysql)\/database|prisma\/client/

/** Files that compute for seconds. */
const LONG = /test\/(?:proofs|setup)\/|documents|growth|exactly-once|guesses/

/** Seconds that the longest of those that wait take on a quiet machine. */
const LONGEST: Readonly<Record<string, number>> = {
  'browser/browsable': 50,
  'cli/workers': 40,
  'house/docs': 35,
  'postgres/replicas': 27,
  'browser/console': 25,
  'finding-03-silent-connection': 22,
  'house/create': 20,
  'throttling/faults': 20,
  'browser/admin': 16,
  'examples/support-desk': 15,
  'login/provider-login': 15,
  'inspect/inspect': 13,
}
/** Seconds of other files that wait. */
const USUAL = 7

/**
 * The files that wait are spread over the run, the longest first, so that as a rule one worker computes, and no core rests. At
 * the end come short ones.
 */
class Spread extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- of vitest, not of an array
    const usual = await super.sort(files)
    const waiting = usual.filter(waits).toSorted((one, other) => secondsOf(other) - secondsOf(one))
    const others = usual.filter((file) => !waits(file))
    const [long = [], short = []] = [true, false].map((is) =>
      others.filter(({ moduleId }) => LONG.test(moduleId) === is),
    )
    const computing = [...long, ...short]
    const all = waiting.reduce((sum, file) => sum + secondsOf(file), 0)
    let [seconds, taken] = [0, 0]
    const spread = waiting.flatMap((file) => {
      seconds += secondsOf(file)
      const upTo = Math.floor((computing.length * seconds) / all)
      const following = computing.slice(taken, upTo)
      taken = upTo
      return [file, ...following]
    })
    return [...spread, ...computing.slice(taken)]
  }
}

function waits({ moduleId }: TestSpecification): boolean {
  return WAITING.test(moduleId)
}

function secondsOf({ moduleId }: TestSpecification): number {
  return (
    Object.entries(LONGEST).find(([name]) => moduleId.endsWith(`${name}.test.ts`))?.[1] ?? USUAL
  )
}

/** Packages as everybody gets them: the condition "development", which Vite adds, leads to the source of some. */
const AS_PUBLISHED: Plugin = {
  name: 'as-published',
  enforce: 'post',
  configResolved({ ssr }) {
    ssr.resolve!.conditions = ['node']
  },
}

export default defineConfig({
  plugins: [AS_PUBLISHED],
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [...filesThatNeed(lacking())],
    globalSetup: ['test/setup/servers.ts'],
    pool: 'threads',
    isolate: false,
    // Node runs the files as they are, with its own imports: a tenth of the processor time less than through those of Vite.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    allowOnly: false,
    env: { ...THRIFTY, TMPDIR: join(roomiest(), `colophon-tests-${process.pid}`) },
    sequence: { sequencer: Spread },
    // Ends what hangs, and judges nothing: more than ten times what any test needs on a quiet machine.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    // `npm run hosts` knows its differences by the values that messages have.
    chaiConfig: { truncateThreshold: process.env['HOST_OF_TESTS'] === undefined ? 40 : 0 },
    reporters: ['default', './scripts/reporter.ts'],
  },
})
