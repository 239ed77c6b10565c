// `npm run check`: what can be known without running a request. Every step runs, whatever came before.
import { readFileSync, globSync } from 'node:fs'
import { run, summary } from './run.ts'

const steps = [
  { name: 'format', command: 'oxfmt --check' },
  {
    name: 'lint',
    command: 'oxlint --type-aware --report-unused-disable-directives-severity=error',
  },
  { name: 'types', command: 'tsc -p tsconfig.json --pretty false' },
  { name: 'declarations', command: 'tsc -p tsconfig.src.json --pretty false' },
  { name: 'floors', command: 'node test/house/floors.ts' },
  { name: 'measures', command: 'node test/house/measures.ts' },
  { name: 'walk', command: 'node scripts/walk.ts --quiet' },
  { name: 'reference', command: 'node scripts/reference.ts --check' },
  { name: 'command line', command: 'node scripts/command-line.ts --check' },
  { name: 'type budget', command: 'node bench/types/main.ts' },
]

let passed = 0
let failed = 0
for (const { name, command } of steps) {
  const { ok, output, seconds } = await run(command)
  console.log(`${ok ? '✓' : '✗'} ${name} (${seconds} s)`)
  tally(ok ? 1 : 0, ok ? 0 : 1)
  if (name === 'types') tallyTypeTests(output)
}
process.exitCode = failed === 0 ? 0 : 1
console.log(summary({ passed, failed }))

function tally(good: number, bad: number): void {
  passed += good
  failed += bad
}

/** The compiler runs the type tests; a line of theirs that it complains about is one that failed. */
function tallyTypeTests(output: string): void {
  const files = globSync('test/types/**/*.ts').map((file) => readFileSync(file, 'utf8'))
  const assertions =
    files.join('\n').match(/^\s*\/\/ @ts-expect-error|\bexpectType</gm)?.length ?? 0
  const broken = new Set(output.match(/^test\/types\/[^(]+\(\d+/gm)).size
  console.log(`  ${assertions} type tests, ${broken} broken`)
  tally(Math.max(0, assertions - broken), broken)
}
