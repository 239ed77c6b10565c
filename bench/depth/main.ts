// Does a deeper page cost more? Compares page 1 and page 90,000 of ten million rows, by cursors and by offsets, on SQLite and
// PostgreSQL: their plans, and their times.
// `npm run bench -- depth [rows] [rounds] [--databases sqlite,postgres,mariadb] [--curve] [--keep]`
// `--curve`: pages from the first to the last instead, with the time of each. `--keep`: for docs/performance.md.
import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { keep } from '../runs/kept.ts'
import { type DepthFigure, curve } from './curve.ts'
import { PAGE_SIZE, type Read, type Readings, orderingOf, readings } from './reading.ts'
import { type World, checkDisk, mariadbWorld, postgresWorld, sqliteWorld } from './world.ts'

const BUDGET = 1.25
/** Three rows share a moment, and millions share a shelf; in all orders, rows are in the order of their keys. */
const ORDERS = [
  { column: 'created', descending: false },
  { column: 'created', descending: true },
  { column: 'shelf', descending: false },
] as const
/** The milliseconds of a round. */
const SPAN = 200

const WORLDS = { sqlite: sqliteWorld, postgres: postgresWorld, mariadb: mariadbWorld }

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    databases: { type: 'string', default: 'sqlite,postgres' },
    curve: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
  },
})
const rows = Number(positionals[0] ?? 10_000_000)
const rounds = Number(positionals[1] ?? 15)
/** Page 90,000 of ten million rows. */
const page = Math.trunc((rows / PAGE_SIZE) * 0.9)

checkDisk(rows)
const figures: DepthFigure[] = []
const software: string[] = []
for (const name of options.databases.split(',')) {
  const create = WORLDS[name as keyof typeof WORLDS]
  const started = performance.now()
  const world = await create(rows)
  const seconds = ((performance.now() - started) / 1000).toFixed(0)
  console.log(`\n${world.name}: ${rows} rows in ${seconds} s; load ${loadavg()[0]!.toFixed(1)}`)
  try {
    await look(world)
  } finally {
    await world.remove()
  }
}
if (options.keep) {
  const command = ['npm run bench -- depth', ...process.argv.slice(2)].join(' ')
  keep('depth', command, { rows, pageSize: PAGE_SIZE, figures }, software)
}

async function look(world: World): Promise<void> {
  if (world.version !== null) software.push(await versionOf(world))
  if (!options.curve) for (const order of ORDERS) await measure(world, order)
  if (!options.curve && !options.keep) return
  const found = await curve(world, rows, rounds)
  figures.push(...found)
  for (const { page: number, cursor, offset } of found)
    console.log(
      `  page ${String(number).padStart(9)}: by cursor ${cursor.toFixed(2)} ms, by offset ${offset.toFixed(2)} ms`,
    )
}

async function versionOf({ name, version, database }: World): Promise<string> {
  const { values } = await database.rows({ sql: version!, parameters: [] })
  return `${name} ${/[\d.]+/.exec(String(values[0]![0]))?.[0]}`
}

async function measure(world: World, order: (typeof ORDERS)[number]): Promise<void> {
  const { descending } = order
  const before = (page - 1) * PAGE_SIZE
  const anchor = descending ? rows + 1 - before : before
  const pages = await readings(world.database, { ...order, page, anchor })
  await checkRows(pages, descending ? anchor - 1 : anchor + 1)
  console.log(`\n  ordered by ${orderingOf(order)}`)
  await showPlan(world, 'page 1', pages.start, pages)
  await showPlan(world, `page ${page}`, pages.deep, pages)
  await compare(pages)
}

/** Checks that both ways to the deep page give the same rows, and the right ones. */
async function checkRows({ deep, offset }: Readings, first: number): Promise<void> {
  for (const read of [deep, offset]) {
    const found = await read()
    if (found.first === first && found.rows === PAGE_SIZE) continue
    throw new Error(`The deep page begins with ${found.first}, and not with ${first}.`)
  }
}

/** Shows the plans of all statements that read the page. */
async function showPlan(world: World, name: string, read: Read, { heard }: Readings) {
  const before = heard.length
  await read()
  for (const { sql, parameters } of heard.slice(before)) {
    const { values } = await world.database.rows({ sql: `${world.explain} ${sql}`, parameters })
    const plan = values.map((row) => String(row.at(-1)).trim())
    const good = /index/i.test(plan.join()) && !/sort|temp b-tree|seq scan/i.test(plan.join())
    if (!good) process.exitCode = 1
    console.log(`    ${name}: ${good ? 'an index range, no sort' : 'NO index range without sort'}`)
    for (const line of [sql, ...plan]) console.log(`      ${line}`)
  }
}

async function compare({ second, deep, seekStart, seekDeep, offset }: Readings): Promise<void> {
  await show('source alone, page 1', seekStart, seekDeep)
  // Page 1 has no cursor to open and one link less, so it would not show the cost of depth alone.
  await show('application, page 2', second, deep)
  const far = [await time(offset, 1), await time(offset, 1), await time(offset, 1)]
  console.log(`    page ${page} by offset ${milliseconds(far)}`)
}

/** Reads both in turns, A B B A …, so that other work on the machine affects both; the first round does not count. */
async function show(name: string, near: Read, far: Read): Promise<void> {
  const [nears, fars]: [number[], number[]] = [[], []]
  const turns = Math.ceil(SPAN / ((await time(near, 20)) + (await time(far, 3))))
  for (let round = -1; round < rounds; round++) {
    const [nearTime, farTime] = await race(near, far, turns)
    if (round < 0) continue
    nears.push(nearTime)
    fars.push(farTime)
  }
  report(name, nears, fars)
}

/** The milliseconds of a reading of each. */
async function race(near: Read, far: Read, turns: number): Promise<readonly [number, number]> {
  let [nearTime, farTime] = [0, 0]
  for (let turn = 0; turn < turns; turn++) {
    if (turn % 2 === 0) nearTime += await time(near, 1)
    farTime += await time(far, 1)
    if (turn % 2 === 1) nearTime += await time(near, 1)
  }
  return [nearTime / turns, farTime / turns]
}

function report(name: string, nears: readonly number[], fars: readonly number[]): void {
  const ratios = nears.map((near, round) => fars[round]! / near).toSorted((a, b) => a - b)
  const ratio = median(ratios)
  const range = `[${ratios[0]!.toFixed(2)}–${ratios.at(-1)!.toFixed(2)}]`
  if (ratio > BUDGET) process.exitCode = 1
  console.log(
    `    ${name.padEnd(20)} ${milliseconds(nears)}, page ${page} ${milliseconds(fars)}, ` +
      `ratio ${ratio.toFixed(2)} ${range} ${ratio <= BUDGET ? 'within' : 'OVER'} ${BUDGET}`,
  )
}

/** The milliseconds of a reading. */
async function time(read: Read, reads: number): Promise<number> {
  const started = performance.now()
  for (let i = 0; i < reads; i++) await read()
  return (performance.now() - started) / reads
}

function milliseconds(times: readonly number[]): string {
  return `${median(times).toFixed(2)} ms`
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
}
