// `npm run bench -- start [rounds]`: CPU time from the start to the first answer, of services with one endpoint on SQLite,
// compared with the same endpoint by hand. One service identifies users by their tokens, and one gives a page of a list. The
// budget is for the installed package: for sources, Node first removes the types from every file, also from those by hand.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { install } from '../../scripts/install.ts'
import { quartiles } from '../http/rounds.ts'
import { untilFirstAnswer } from './first-answer.ts'
import { compilePrograms, sources } from './programs.ts'
import { type World, createWorld } from './world.ts'

const BUDGET = 3
const rounds = Number(process.argv[2] ?? 15)
const SERVICES = ['me', 'list']

const folder = mkdtempSync(join(tmpdir(), 'colophon-start-'))
try {
  await install(folder)
  const programs = await compilePrograms(folder, sources)
  const world = await createWorld(join(folder, 'start.sqlite'))
  for (const name of SERVICES) {
    report(`${name}, as installed`, await compare(name, programs, world))
    report(`${name}, from the sources`, await compare(name, sources, world), null)
  }
} finally {
  rmSync(folder, { recursive: true })
}

interface Pair {
  readonly ours: number
  readonly byHand: number
}

/** Measures both in milliseconds, A B B A …, after one round that does not count. */
async function compare(
  name: string,
  programs: Readonly<Record<string, string>>,
  world: World,
): Promise<readonly Pair[]> {
  const ours = () => untilFirstAnswer(programs[name]!, world)
  const byHand = () => untilFirstAnswer(programs[`${name}-by-hand`]!, world)
  const pairs: Pair[] = []
  for (let round = 0; round <= rounds; round++) {
    const [first, second] = round % 2 === 0 ? [ours, byHand] : [byHand, ours]
    const [one, other] = [await first(), await second()]
    pairs.push(round % 2 === 0 ? { ours: one, byHand: other } : { ours: other, byHand: one })
  }
  return pairs.slice(1)
}

/** Prints one line; a ratio over its budget makes the program fail. */
function report(what: string, pairs: readonly Pair[], budget: number | null = BUDGET): void {
  const { low, median, high } = quartiles(pairs.map(({ ours, byHand }) => ours / byHand))
  const own = quartiles(pairs.map(({ ours }) => ours)).median
  const hand = quartiles(pairs.map(({ byHand }) => byHand)).median
  const isOver = budget !== null && median > budget
  const verdict = budget === null ? '' : `  ${isOver ? 'OVER' : 'within'} ${budget}`
  console.log(
    `${what.padEnd(24)} ${median.toFixed(2)} [${low.toFixed(2)}–${high.toFixed(2)}]${verdict}  (${own.toFixed(0)} and ${hand.toFixed(0)} ms)`,
  )
  if (isOver) process.exitCode = 1
}
