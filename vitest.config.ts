import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take long begin first, so that none of them is left over at the end while other cores rest. */
const long =
  /test\/(?:browser|proofs|cli|house|openapi)\/|growth|cursor-fuzz|silent-connection|interrupted|faults/

class LongOnesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- of vitest, not of an array
    const usual = await super.sort(files)
    return usual.toSorted(
      (one, other) => Number(long.test(other.moduleId)) - Number(long.test(one.moduleId)),
    )
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [],
    globalSetup: ['test/setup/servers.ts'],
    pool: 'threads',
    isolate: false,
    allowOnly: false,
    sequence: { sequencer: LongOnesFirst },
    testTimeout: 20_000,
    reporters: ['default', './scripts/reporter.ts'],
  },
})
