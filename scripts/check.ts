// `npm run check`: checks that need no request. Every step runs, also after a failure of another.
import { readFileSync, globSync } from 'node:fs'
import { run, summary } from './run.ts'

interface Step {
  readonly name: string
  readonly command: string
}

// The compiler remembers unchanged files, and checks those that depend on changed ones. Several checkers would each read the
// shared types again.
const INCREMENTAL =
  '--checkers 1 --incremental --tsBuildInfoFile node_modules/.cache/types.tsbuildinfo'

// Each lane runs its steps in order, beside the other lane. Both take about as long.
const lanes: readonly (readonly Step[])[] = [
  [
    { name: 'format', command: 'oxfmt --check' },
    {
      name: 'lint',
      command: 'oxlint --type-aware --report-unused-disable-directives-severity=error',
    },
    { name: 'prose', command: 'node scripts/prose.ts' },
  ],
  [
    { name: 'wings', command: 'node test/house/wings.ts' },
    { name: 'measures', command: 'node test/house/measures.ts' },
    { name: 'types', command: `tsc -p tsconfig.json --pretty false ${INCREMENTAL}` },
    { name: 'walk', command: 'node scripts/walk.ts --quiet' },
    { name: 'reference', command: 'node scripts/reference.ts --check' },
    { name: 'command line', command: 'node scripts/command-line.ts --check' },
    { name: 'type budget', command: 'node bench/types/main.ts --if-changed' },
  ],
]

let passed = 0
let failed = 0
await Promise.all(lanes.map(runLane))
process.exitCode = failed === 0 ? 0 : 1
console.log(summary({ passed, failed }))

async function runLane(steps: readonly Step[]): Promise<void> {
  for (const step of steps) await runStep(step)
}

/** Shows the output of a step when it ends, so that two steps do not mix. */
async function runStep({ name, command }: Step): Promise<void> {
  const { ok, output, seconds } = await run(command, { show: false })
  console.log(`${output}${ok ? '✓' : '✗'} ${name} (${seconds} s)`)
  tally(ok ? 1 : 0, ok ? 0 : 1)
  if (name === 'types') tallyTypeTests(output)
}

function tally(good: number, bad: number): void {
  passed += good
  failed += bad
}

/** Counts the type tests that the compiler runs; a line with a complaint is a failure. */
function tallyTypeTests(output: string): void {
  const files = globSync('test/types/**/*.ts').map((file) => readFileSync(file, 'utf8'))
  const assertions =
    files.join('\n').match(/^\s*\/\/ @ts-expect-error|\bexpectType</gm)?.length ?? 0
  const broken = new Set(output.match(/^test\/types\/[^(]+\(\d+/gm)).size
  console.log(`  ${assertions} type tests, ${broken} broken`)
  tally(Math.max(0, assertions - broken), broken)
}
