// Runs tests in a process of its own, so that a fault that never ends can be stopped. Its parent asks over a channel, and its
// argument is the folder of the sources.
import { BaseSequencer, type TestModule, type TestSpecification, createVitest } from 'vitest/node'

/** A run of tests: after changes of files, and until the first failure or to the end. */
export interface Ask {
  readonly changed: readonly string[]
  readonly tests: readonly string[]
  readonly bail: boolean
}

/** The first failure, if any, and the files with failures. */
export interface Told {
  readonly failed: readonly string[]
  readonly reason: string | null
}

/** Runs the closest tests first, because they fail soonest. */
class AsAsked extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return Promise.resolve(files)
  }
}

const [folder = ''] = process.argv.slice(2)
process.chdir(folder)
/** Milliseconds that a test may take. */
const patience = Number(process.env['MUTANTS_PATIENCE'] ?? 30_000)
const vitest = await createVitest('test', {
  root: folder,
  watch: false,
  maxWorkers: 1,
  reporters: [{}],
  setupFiles: process.env['MUTANTS_SETUP'] ? [process.env['MUTANTS_SETUP']] : [],
  // This runner reads changed files again.
  experimental: { viteModuleRunner: true },
  sequence: { sequencer: AsAsked },
  testTimeout: patience,
  hookTimeout: 2 * patience,
  onConsoleLog: () => false,
})
process.on('message', (ask: Ask) => void answer(ask))
process.on('disconnect', () => void vitest.exit(true))
process.send!('ready')

async function answer({ changed, tests, bail }: Ask): Promise<void> {
  for (const file of changed) vitest.invalidateFile(file)
  // Failures of earlier runs would count for this one.
  vitest.state.filesMap.clear()
  vitest.state.errorsSet.clear()
  vitest.config.bail = bail ? 1 : 0
  for (const project of vitest.projects) project.config.bail = bail ? 1 : 0
  const wanted = tests.map((file) => vitest.projects[0]!.createSpecification(file))
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(wanted, false)
  const failed = testModules.filter((module) => !module.ok())
  const reason = failed.map(reasonOf)[0] ?? messageOf(unhandledErrors[0]) ?? null
  process.send!({ failed: failed.map(({ moduleId }) => moduleId), reason } satisfies Told)
}

function reasonOf(module: TestModule): string {
  for (const test of module.children.allTests('failed'))
    return `${test.fullName}: ${messageOf(test.result().errors?.[0]) ?? ''}`
  return messageOf(module.errors()[0]) ?? module.moduleId
}

function messageOf(error: unknown): string | null {
  if (error === undefined) return null
  return ((error as Partial<Error>).message ?? 'thrown').split('\n', 1)[0]!
}
