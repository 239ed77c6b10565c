// Do the proofs of cursors notice faults? `node scripts/prove-mutations.ts [word of a fault]` puts faults into a copy of the
// sources, one at a time, and each has to make the proofs fail.
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CURSOR_FAULTS, type Fault } from './cursor-faults.ts'
import { root, run, since, summary } from './run.ts'

/** The files of the proofs, and of the servers behind them. */
const COPIED = ['src', 'test', 'scripts', 'package.json', 'vitest.config.ts']
/** Random cases on each database: few, because a real fault is not rare. */
const CASES = '60'

/** The part of vitest's report that we read. */
interface Report {
  readonly testResults: readonly {
    readonly message: string
    readonly assertionResults: readonly {
      readonly fullName: string
      readonly status: string
      readonly failureMessages: readonly string[] | null
    }[]
  }[]
}

const [word = ''] = process.argv.slice(2)
const started = performance.now()
process.env['CURSOR_CASES'] = CASES
process.env['CURSOR_SHRINKING'] = 'off'

const folder = mkdtempSync(join(tmpdir(), 'colophon-faults-'))
let [passed, failed] = [0, 0]
try {
  copySources()
  // Sources without a fault must pass the proofs.
  judge('no fault at all', await proofsThatFail(), false)
  for (const fault of CURSOR_FAULTS.filter(({ name }) => name.includes(word)))
    judge(fault.name, await proofsThatFailWith(fault), true)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
console.log(`${summary({ passed, failed })} in ${since(started)} s`)
process.exitCode = failed === 0 ? 0 : 1

function judge(name: string, caught: readonly string[], expected: boolean): void {
  const isRight = caught.length > 0 === expected
  console.log(`${isRight ? '✓' : '✗'} ${name}: ${caught.length} proofs fail`)
  for (const proof of caught) console.log(`    ${proof}`)
  if (isRight) passed++
  else failed++
}

async function proofsThatFailWith(fault: Fault): Promise<readonly string[]> {
  const path = join(folder, fault.file)
  const sound = readFileSync(path, 'utf8')
  writeFileSync(path, planted(sound, fault))
  try {
    return await proofsThatFail(fault.suite)
  } finally {
    writeFileSync(path, sound)
  }
}

/** @throws Error the file does not contain the text exactly once */
function planted(text: string, { name, file, from, to }: Fault): string {
  const parts = text.split(from)
  if (parts.length === 2) return parts.join(to)
  throw new Error(`"${name}": ${file} has ${parts.length - 1} times ${JSON.stringify(from)}`)
}

async function proofsThatFail(suite = 'test/proofs'): Promise<readonly string[]> {
  const report = join(folder, 'report.json')
  rmSync(report, { force: true })
  await run(
    `cd ${folder} && vitest run ${suite} --reporter=json --outputFile=${report} > output.txt 2>&1`,
  )
  return failuresIn(JSON.parse(readFileSync(report, 'utf8')) as Report)
}

function copySources(): void {
  for (const name of COPIED) cpSync(join(root, name), join(folder, name), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
}

/** @throws Error a file could not be loaded, which proves nothing */
function failuresIn({ testResults }: Report): readonly string[] {
  for (const { message, assertionResults } of testResults)
    if (assertionResults.length === 0) throw new Error(`A proof did not start: ${message}`)
  return testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status !== 'passed')
    .map(({ fullName, failureMessages }) => `${fullName.trim()}: ${reasonIn(failureMessages)}`)
}

/** The reason of a failure, without the table that shows it. */
function reasonIn(messages: readonly string[] | null): string {
  const lines = (messages ?? []).join('\n').split('\n')
  const reason = lines.find((line) => line.includes('Caused by')) ?? lines[0] ?? ''
  return reason.trim().slice(0, 160)
}
