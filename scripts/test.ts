// `npm test`: runs all suites, and adds them up in the last line. `npm test -- --embedded` runs those that need only Node.
import { parseArgs } from 'node:util'
import { NEEDS, filesThatNeed } from './needs.ts'
import { type Outcome, type Tally, readSummary, run, summary } from './run.ts'
import { bringAll } from './servers/install.ts'

/** A suite. It prints `N passed, N failed` last, and exits with 1 after a failure. */
interface Suite {
  readonly name: string
  /** The unit of its tests. */
  readonly counts: string
  readonly command: string
  /** The name of its need beside Node. */
  readonly needs?: string
}

const CASES = 'cases: its last lines say how many sentences that are, and what is repeated'
const RECORDED = 'cases recorded from DRF'

// The tests keep the cores busy: the linter, in threads of its own, would read types twice.
const check: Suite = {
  name: 'check',
  counts: 'steps and type tests',
  command: 'GOMAXPROCS=1 node scripts/check.ts',
}
// Each lane runs its suites in order, beside the other lane.
const lanes: readonly (readonly Suite[])[] = [
  [{ name: 'vitest', counts: CASES, command: 'vitest run --maxWorkers 3' }],
  [
    check,
    {
      name: 'conformance',
      counts: `${RECORDED}, and answers that fit their document`,
      command: 'node conformance/run.ts --documents',
    },
    {
      name: 'conformance on PostgreSQL',
      counts: RECORDED,
      command: 'node scripts/conformance.ts postgres',
      needs: 'PostgreSQL',
    },
    {
      name: 'conformance on MariaDB',
      counts: RECORDED,
      command: 'node scripts/conformance.ts mysql',
      needs: 'MariaDB',
    },
  ],
]
const embedded: readonly (readonly Suite[])[] = [
  [
    { name: 'vitest', counts: CASES, command: 'vitest run --passWithNoTests --maxWorkers 100%' },
    { name: 'conformance', counts: RECORDED, command: 'node conformance/run.ts' },
  ],
]

const { values } = parseArgs({ options: { embedded: { type: 'boolean', default: false } } })
const env: Record<string, string> = {}
// No test runs while packages are unpacked. Checks read files alone, and begin at once.
const begun = new Map(values.embedded ? [] : [[check, runSuite(check)]])
const missing = values.embedded ? new Map(NEEDS.map(({ name }) => [name, ''])) : await bringAll()
const chosen = (values.embedded ? embedded : lanes).map((lane) =>
  lane.filter(({ needs }) => needs === undefined || !missing.has(needs)),
)
env['TESTS_WITHOUT'] = [...missing.keys()].join(',')
const tallies = (await Promise.all(chosen.map(runLane))).flat()

console.log('\n── what was counted ──')
for (const [at, { name, counts }] of chosen.flat().entries())
  console.log(`${tallies[at]!.passed} ${name}: ${counts}`)
if (missing.size > 0) tellWhatDidNotRun()
const total = {
  passed: tallies.reduce((sum, { passed }) => sum + passed, 0),
  // A program that could not be installed is a failure; one that was not asked for is none.
  failed: tallies.reduce((sum, { failed }) => sum + failed, values.embedded ? 0 : missing.size),
}
process.exitCode = total.failed === 0 ? 0 : 1
console.log(`\n${summary(total)}`)

function tellWhatDidNotRun(): void {
  console.log('\n── what did not run ──')
  for (const [name, reason] of missing)
    console.log(`${filesThatNeed([name]).length} files that need ${name}. ${reason}`.trimEnd())
  const left = filesThatNeed([...missing.keys()]).length
  const others = values.embedded
    ? ', `npm run check`, and other databases in tables of several'
    : ''
  console.log(
    `${left} files in all${others}. ${values.embedded ? '`npm test` runs everything.' : ''}`,
  )
}

async function runLane(suites: readonly Suite[]): Promise<readonly Tally[]> {
  const done: Tally[] = []
  for (const suite of suites) done.push(await (begun.get(suite) ?? runSuite(suite)))
  return done
}

/** Shows the output of a suite when it ends, so that two suites do not mix. */
async function runSuite({ name, command }: Suite): Promise<Tally> {
  const outcome = await run(command, { show: false, env })
  console.log(`\n── ${name} (${outcome.seconds} s) ──\n${outcome.output.trimEnd()}`)
  return count(name, outcome)
}

/** Counts a failure more for a suite that crashed, printed no summary or tested nothing. */
function count(name: string, { ok, output }: Outcome): Tally {
  const { passed, failed } = readSummary(output) ?? { passed: 0, failed: 0 }
  if (failed > 0 || (ok && passed > 0)) return { passed, failed }
  console.log(`The suite "${name}" ${ok ? 'tested nothing' : 'broke off'}.`)
  return { passed, failed: 1 }
}
