// Do the tests notice faults? `npm run mutants [folder or file…] [--sample N] [--seed N] [--jobs N]` puts small faults into a
// copy of the sources, one at a time, and runs the tests that reach them. See CONTRIBUTING.md.
import { createHash } from 'node:crypto'
import {
  appendFileSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { root, since } from '../run.ts'
import { ROOMS, coverage, roomOf, testsFor } from './coverage.ts'
import { type Mutant, mutantsOf } from './mutate.ts'
import { Sandbox, type Verdict, original } from './sandbox.ts'

const CACHE = join(root, 'node_modules', '.cache', 'mutants')
const RESULTS = join(CACHE, 'results.jsonl')

/** A mutant that no test can tell from the original, or should, with the reason. */
interface Known {
  readonly file: string
  /** The line without white space around it, and the change in it. */
  readonly line: string
  readonly from: string
  readonly to: string
  readonly why: string
}
type Result = Verdict & { readonly key: string; readonly mutant: Mutant }

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    jobs: { type: 'string', default: '2' },
    /** Seconds of tests for one mutant, in processor time without the mutant. */
    budget: { type: 'string', default: '20' },
    afresh: { type: 'boolean', default: false },
  },
})
const known = JSON.parse(
  readFileSync(join(import.meta.dirname, 'known.json'), 'utf8'),
) as readonly Known[]

const started = performance.now()
const rooms = positionals.length > 0 ? positionals : Object.keys(ROOMS)
const unknown = rooms.filter((place) => !existsSync(join(root, 'src', place)))
if (unknown.length > 0) throw new Error(`There is no ${unknown.join(', ')} in src.`)
mkdirSync(CACHE, { recursive: true })
const reach = await coverage(
  rooms.map((place) => roomOf(`src/${place}/`)),
  CACHE,
)
const sampled = rooms.flatMap(sampleOf)
console.log(`${sampled.length} mutants, --seed ${values.seed} --sample ${values.sample}`)
const results = await judgeAll(sampled)
for (const room of rooms) showSurvivors(room)
showTable()
console.log(`in ${since(started)} s`)

/** A sample that depends only on the seed, so that a run can be repeated, with the same share of each file. */
function sampleOf(room: string): readonly Mutant[] {
  const files = globSync(`src/${room}{,/**/*.ts}`, { cwd: root })
    .filter((file) => file.endsWith('.ts') && isIn(room, file))
    .toSorted()
  const all = files.flatMap((file) => mutantsOf(file, original(file)).mutants)
  const rank = (mutant: Mutant): string =>
    digest(values.seed, mutant.file, String(mutant.start), mutant.operator, mutant.to)
  const ranked = all.map((mutant) => [rank(mutant), mutant] as const)
  return ranked
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .slice(0, Number(values.sample))
    .map(([, mutant]) => mutant)
}

/** Results of earlier runs count until the source or the tests change. */
async function judgeAll(mutants: readonly Mutant[]): Promise<readonly Result[]> {
  const earlier = new Map(earlierResults().map((result) => [result.key, result]))
  const judged: Result[] = []
  const waiting = [...mutants]
  const work = async (): Promise<void> => {
    const sandbox = new Sandbox()
    try {
      for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift())
        judged.push(await resultOf(mutant, sandbox, earlier))
    } finally {
      await sandbox.close()
    }
  }
  await Promise.all(Array.from({ length: Number(values.jobs) }, work))
  return judged
}

async function resultOf(
  mutant: Mutant,
  sandbox: Sandbox,
  earlier: ReadonlyMap<string, Result>,
): Promise<Result> {
  const tests = testsFor(reach, mutant, Number(values.budget) * 1000)
  const key = digest(
    original(mutant.file),
    String(mutant.start),
    mutant.operator,
    mutant.to,
    ...tests.files.map(original),
  )
  const found = earlier.get(key)
  if (found !== undefined) return found
  const verdict =
    tests.files.length === 0
      ? ({ verdict: 'survived', reason: 'no test reaches it' } as const)
      : await sandbox.judge(mutant, tests.files, 60_000 + 12 * tests.milliseconds)
  const result = { key, mutant, ...verdict }
  appendFileSync(RESULTS, `${JSON.stringify(result)}\n`)
  console.log(
    `${verdict.verdict.padEnd(9)} ${sentence(mutant)}  ${verdict.reason ?? ''}`.slice(0, 200),
  )
  return result
}

function earlierResults(): readonly Result[] {
  if (values.afresh || !existsSync(RESULTS)) writeFileSync(RESULTS, '')
  const lines = readFileSync(RESULTS, 'utf8').split('\n')
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Result)
}

function digest(...parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 24)
}

/** Describes a mutant: `src/a.ts:7 "<" → "<="`, with its line. */
function sentence({ file, start, end, to }: Mutant): string {
  const text = original(file)
  const line = text.slice(0, start).split('\n').length
  return `${file}:${line}  ${brief(text.slice(start, end))} → ${brief(to)}  in: ${lineAt(text, start)}`
}

function lineAt(text: string, start: number): string {
  const begin = text.lastIndexOf('\n', start - 1) + 1
  return text.slice(begin, `${text}\n`.indexOf('\n', start)).trim()
}

function brief(text: string): string {
  const flat = text.replaceAll(/\s+/g, ' ')
  return flat.length > 60 ? `${flat.slice(0, 57)}...` : flat
}

function reasonToLive({ file, start, end, to }: Mutant): Known | undefined {
  const text = original(file)
  const [line, from] = [lineAt(text, start), text.slice(start, end)]
  return known.find(
    (each) => each.file === file && each.line === line && each.from === from && each.to === to,
  )
}

function showSurvivors(room: string): void {
  for (const { mutant, verdict, reason } of resultsOf(room)) {
    if (verdict !== 'survived') continue
    const why = reasonToLive(mutant)?.why
    console.log(`${why === undefined ? 'SURVIVED' : 'known'}  ${sentence(mutant)}`)
    if (why ?? reason) console.log(`    ${why ?? reason}`)
  }
}

function resultsOf(room: string): readonly Result[] {
  return results.filter(({ mutant }) => isIn(room, mutant.file))
}

/** Is the file in this folder, and not in a listed one below it, or is it that file? */
function isIn(room: string, file: string): boolean {
  return roomOf(file) === room || file === `src/${room}`
}

function showTable(): void {
  const row = (...cells: readonly (string | number)[]): void =>
    console.log(
      cells.map((cell, at) => (at ? String(cell).padStart(10) : String(cell).padEnd(16))).join(''),
    )
  row('room', 'killed', 'timed out', 'survived', 'known', 'score')
  for (const room of rooms) {
    const of = resultsOf(room)
    const count = (verdict: string): number => of.filter((each) => each.verdict === verdict).length
    const excused = of.filter(
      ({ verdict, mutant }) => verdict === 'survived' && reasonToLive(mutant) !== undefined,
    ).length
    const caught = count('killed') + count('timed out')
    const score = (100 * caught) / Math.max(1, of.length - excused)
    row(
      room,
      count('killed'),
      count('timed out'),
      count('survived') - excused,
      excused,
      `${score.toFixed(1)} %`,
    )
  }
}
