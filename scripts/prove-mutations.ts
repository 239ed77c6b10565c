// Do the proofs of cursors notice what they are there for? Faults are put into a copy of the sources, one
// at a time, and each has to make the proofs fail: `node scripts/prove-mutations.ts [word of a fault]`.
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CURSOR_FAULTS, type Fault } from './cursor-faults.ts'
import { root, run, since, summary } from './run.ts'

/** What the proofs need, and the servers behind them. */
const COPIED = ['src', 'test', 'scripts', 'package.json', 'vitest.config.ts']
/** Random cases on each database: few, because a real fault is not rare. */
const CASES = '100'

/** The part of vitest's report that we read. */
interface Report {
  readonly testResults: readonly {
    readonly message: string
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[]
  }[]
}

const [word = ''] = process.argv.slice(2)
const started = performance.now()
process.env['CURSOR_CASES'] = CASES

let [passed, failed] = [0, 0]
const sound: Fault = { name: 'no fault at all', changes: [] }
for (const fault of [sound, ...CURSOR_FAULTS.filter(({ name }) => name.includes(word))]) {
  const { ok, verdict } = await prove(fault)
  console.log(`${ok ? '✓' : '✗'} ${fault.name}: ${verdict}`)
  if (ok) passed++
  else failed++
}
console.log(`${summary({ passed, failed })} in ${since(started)} s`)
process.exitCode = failed === 0 ? 0 : 1

/** Only sources without a fault may stand the proofs. */
async function prove(fault: Fault): Promise<{ ok: boolean; verdict: string }> {
  const caught = await proofsOf(fault)
  const isSound = fault === sound
  if (caught.length === 0) return { ok: isSound, verdict: 'nothing failed' }
  return { ok: !isSound, verdict: `caught by ${caught.length}\n    ${caught.join('\n    ')}` }
}

/** The tests that fail with this fault. */
async function proofsOf(fault: Fault): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-fault-'))
  try {
    copyTo(folder)
    plant(folder, fault)
    const report = join(folder, 'report.json')
    await run(
      `cd ${folder} && vitest run test/proofs --reporter=json --outputFile=${report} > output.txt 2>&1`,
    )
    return failuresIn(JSON.parse(readFileSync(report, 'utf8')) as Report)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function copyTo(folder: string): void {
  for (const name of COPIED) cpSync(join(root, name), join(folder, name), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
}

/** @throws Error where the text to be changed is not there exactly once */
function plant(folder: string, { name, changes }: Fault): void {
  for (const { file, from, to } of changes) {
    const path = join(folder, file)
    const text = readFileSync(path, 'utf8')
    const found = text.split(from).length - 1
    if (found !== 1)
      throw new Error(`"${name}": ${file} has ${found} times ${JSON.stringify(from)}`)
    writeFileSync(
      path,
      text.replace(from, () => to),
    )
  }
}

/** @throws Error where a file did not even load: that is no proof */
function failuresIn({ testResults }: Report): readonly string[] {
  for (const { message, assertionResults } of testResults)
    if (assertionResults.length === 0) throw new Error(`A proof did not start: ${message}`)
  return testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status !== 'passed')
    .map(({ fullName }) => fullName.trim())
}
