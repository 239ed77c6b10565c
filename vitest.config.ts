import { join } from 'node:path'
import { type Plugin, defineConfig } from 'vitest/config'
import { filesThatNeed } from './scripts/needs.ts'
import { THRIFTY } from './scripts/run.ts'
import { roomiest } from './scripts/servers/run-server.ts'
import { lacking } from './test/setup/environment.ts'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take long begin first, so that none of them is left over at the end while other cores rest. */
const long =
  /test\/(?:browser|proofs|tools\/cli|house|addons\/openapi|examples)\/|replicas|growth|cursor-fuzz|silent-connection|interrupted|faults/

/** And of them those that keep a worker for twenty seconds or more, the longest last. */
const LONGEST = [
  'inspect/inspect',
  'mysql/interrupted',
  'cli/workers',
  'house/create',
  'openapi/documents',
  'deploy/image',
  'proofs/cursor-walk-mysql',
  'browser/console',
  'browser/browsable',
  'house/docs',
]

class LongOnesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- of vitest, not of an array
    const usual = await super.sort(files)
    return usual.toSorted((one, other) => lengthOf(other) - lengthOf(one))
  }
}

function lengthOf({ moduleId }: TestSpecification): number {
  const place = LONGEST.findIndex((name) => moduleId.endsWith(`${name}.test.ts`))
  return place >= 0 ? 2 + place : Number(long.test(moduleId))
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
    sequence: { sequencer: LongOnesFirst },
    // Ends what hangs, and judges nothing: more than ten times what any test needs on a quiet machine.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    // `npm run hosts` knows its differences by the values that messages have.
    chaiConfig: { truncateThreshold: process.env['HOST_OF_TESTS'] === undefined ? 40 : 0 },
    reporters: ['default', './scripts/reporter.ts'],
  },
})
