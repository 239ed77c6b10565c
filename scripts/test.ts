// `npm test`: everything that must hold, added up in one last line.
import { type Outcome, type Tally, readSummary, run, summary } from './run.ts'

/** A suite prints `N passed, N failed` as its last such line and exits with 1 where something failed. */
interface Suite {
  readonly name: string
  readonly command: string
}

/** Compare how long two things take, which needs a quiet machine: nothing runs beside them. */
const timed = [
  'test/accounts/logins',
  'test/security/sec01',
  'test/security/sec03',
  'test/security/finding-13',
]
const beside = timed.map((path) => `--exclude '${path}*'`).join(' ')

// Each lane runs its suites one after the other, beside the other lane.
const lanes: readonly (readonly Suite[])[] = [
  [{ name: 'vitest', command: `vitest run --maxWorkers 3 ${beside}` }],
  [
    { name: 'check', command: 'node scripts/check.ts' },
    { name: 'conformance', command: 'node conformance/run.ts --documents' },
    { name: 'conformance on PostgreSQL', command: 'node scripts/conformance.ts postgres' },
    { name: 'conformance on MariaDB', command: 'node scripts/conformance.ts mysql' },
  ],
]
const afterwards: Suite = { name: 'vitest, timed', command: `vitest run ${timed.join(' ')}` }

// What is still missing afterwards is missed by the tests that need it: they fail.
await run('node scripts/servers/install.ts')

const tallies = [...(await Promise.all(lanes.map(runLane))).flat(), await runSuite(afterwards)]
const total = {
  passed: tallies.reduce((sum, { passed }) => sum + passed, 0),
  failed: tallies.reduce((sum, { failed }) => sum + failed, 0),
}
process.exitCode = total.failed === 0 ? 0 : 1
console.log(`\n${summary(total)}`)

async function runLane(suites: readonly Suite[]): Promise<readonly Tally[]> {
  const done: Tally[] = []
  for (const suite of suites) done.push(await runSuite(suite))
  return done
}

/** What a suite prints is shown when it ends, so that two of them do not mix. */
async function runSuite({ name, command }: Suite): Promise<Tally> {
  const outcome = await run(command, { show: false })
  console.log(`\n── ${name} (${outcome.seconds} s) ──\n${outcome.output.trimEnd()}`)
  return count(name, outcome)
}

/** A suite that crashed, printed no summary or tested nothing is one failure more. */
function count(name: string, { ok, output }: Outcome): Tally {
  const { passed, failed } = readSummary(output) ?? { passed: 0, failed: 0 }
  if (failed > 0 || (ok && passed > 0)) return { passed, failed }
  console.log(`The suite "${name}" ${ok ? 'tested nothing' : 'broke off'}.`)
  return { passed, failed: 1 }
}
