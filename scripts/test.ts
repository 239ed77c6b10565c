// `npm test`: everything that must hold, added up in one last line.
import { readSummary, run, summary, type Outcome, type Tally } from './run.ts'

/** A suite prints `N passed, N failed` as its last such line and exits with 1 where something failed. */
const suites = [
  { name: 'check', command: 'node scripts/check.ts' },
  { name: 'vitest', command: 'vitest run' },
  { name: 'conformance', command: 'node conformance/run.ts' },
  { name: 'conformance on PostgreSQL', command: 'node scripts/conformance.ts postgres' },
  { name: 'conformance on MariaDB', command: 'node scripts/conformance.ts mysql' },
]

// What is still missing afterwards is missed by the tests that need it: they fail.
await run('node scripts/servers/install.ts')

const tallies: Tally[] = []
for (const { name, command } of suites) {
  console.log(`\n── ${name} ──`)
  tallies.push(count(name, await run(command)))
}

const total = {
  passed: tallies.reduce((sum, { passed }) => sum + passed, 0),
  failed: tallies.reduce((sum, { failed }) => sum + failed, 0),
}
process.exitCode = total.failed === 0 ? 0 : 1
console.log(`\n${summary(total)}`)

/** A suite that crashed, said nothing or tested nothing is one failure more. */
function count(name: string, { ok, output }: Outcome): Tally {
  const { passed, failed } = readSummary(output) ?? { passed: 0, failed: 0 }
  if (failed > 0 || (ok && passed > 0)) return { passed, failed }
  console.log(`The suite "${name}" ${ok ? 'tested nothing' : 'broke off'}.`)
  return { passed, failed: 1 }
}
