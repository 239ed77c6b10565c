// `npm run attack [-- NAME…]`: attacks a service of our own on this machine, and prints the results. Exit code 1: a bound was
// missed. Linux only: it reads /proc, and mounts a small tmpfs (root).
import { once } from 'node:events'
import { scenarios } from './scenarios/index.ts'
import type { Scenario } from './scenario.ts'
import { BOUNDS, Stage } from './stage.ts'
import { type Row, table } from './table.ts'
import { World } from './world.ts'

/** Milliseconds after which a scenario is given up. */
const PATIENCE = 120_000

const names = process.argv.slice(2)
const unknown = names.filter((name) => !scenarios.some((each) => each.name === name))
if (unknown.length > 0) {
  console.error(`There is no scenario ${unknown.join(', ')}. There are:`)
  for (const { name, sends } of scenarios) console.error(`  ${name}: ${sends}`)
  process.exit(1)
}

const world = new World()
const interruption = new AbortController()
const interrupted = once(interruption.signal, 'abort').then(() => {
  throw new Error('It was interrupted.')
})
interrupted.catch(() => {})
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => interruption.abort())

const chosen = scenarios.filter(({ name }) => names.length === 0 || names.includes(name))
const rows: Row[] = []
try {
  for (const scenario of chosen)
    if (!interruption.signal.aborted) rows.push(await playTwiceAtMost(scenario))
} finally {
  await world.close()
}

const losers = rows.filter((row) => row.missed.length > 0)
console.log(`\n${table(rows)}\n`)
console.log('standstill: the longest of the event loop; wait: the longest of an unrelated request.')
console.log(`Bounds: ${BOUNDS.standstill} ms and ${BOUNDS.wait} ms. Memory: before → peak → after.`)
console.log(`${rows.length - losers.length} held, ${losers.length} missed`)
process.exit(losers.length === 0 ? 0 : 1)

/** Plays a scenario that missed only bounds of time again: another program may have used the processor. */
async function playTwiceAtMost(scenario: Scenario): Promise<Row> {
  const first = await play(scenario)
  if (!first.onlyLate) return first
  const second = await play(scenario)
  return { ...second, notes: [`first try: ${first.missed.join(' ')}`, ...second.notes] }
}

async function play({ name, sends, run, patience = PATIENCE }: Scenario): Promise<Row> {
  process.stdout.write(`${name} … `)
  const begun = performance.now()
  const stage = new Stage(world)
  const running = run(stage)
  try {
    await within(patience, running)
  } catch (error) {
    stage.expect(error instanceof Error ? error.message : String(error), false)
  } finally {
    await stage.close()
    // Without its service, the scenario ends and clears up.
    await running.catch(() => {})
  }
  const seconds = (performance.now() - begun) / 1000
  const { missed, notes, figures } = stage
  const onlyLate = missed.length > 0 && stage.onlyLate
  console.log(missed.length === 0 ? 'held' : onlyLate ? 'late' : 'MISSED')
  return { name, sends, seconds, figures, missed, onlyLate, notes }
}

async function within(patience: number, running: Promise<void>): Promise<void> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error('The scenario does not end.')), patience)
  await Promise.race([running, late.promise, interrupted]).finally(() => clearTimeout(timer))
}
