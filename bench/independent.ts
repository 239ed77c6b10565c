// The independent bench (`bench/independent`, an unchanged copy): the published Colophon beside servers by hand and Fastify,
// with its targets there. The first run installs missing programs.
// `npm run bench -- independent [sqlite | pg | all] [works | all] [--keep] [options of run.sh]`
// Works: hello, me, page, cursordeep, cold. `--keep`: for docs/performance.md.
import { type Cold, type Figure, coldStarts } from './runs/figures.ts'
import { keep } from './runs/kept.ts'
import { verdictsOn } from './runs/targets.ts'
import { coldTable, figuresTable, verdictsTable } from './runs/words.ts'
import { figuresIn, measure, setUp, software, tidyUp } from './runs/workshop.ts'

const WORKS = ['me', 'page', 'cursordeep', 'hello', 'cold']
const OPTIONS = ['--rounds', '5', '--seconds', '3', '--warm', '1']

const args = process.argv.slice(2)
const kept = args.includes('--keep')
const [database = 'all', works = 'all', ...options] = args.filter((arg) => arg !== '--keep')
const databases = database === 'all' ? ['sqlite', 'pg'] : [database]
const chosen = works === 'all' ? WORKS : works.split(',')

await setUp()
try {
  const output = await measure(chosen.join(','), databases.join(','), [...OPTIONS, ...options])
  show(figuresIn(databases, chosen), coldStarts(output))
} finally {
  await tidyUp()
}

function show(figures: readonly Figure[], colds: readonly Cold[]): void {
  const verdicts = verdictsOn(figures, colds)
  const missed = verdicts.filter(({ state }) => state !== 'reached')
  if (figures.length > 0) console.log(`\n${figuresTable(figures)}`)
  if (colds.length > 0) console.log(`\n${coldTable(colds)}`)
  console.log(`\n${verdictsTable(verdicts)}`)
  console.log(`\n${missed.length} of ${verdicts.length} targets are not reached.`)
  if (kept) keep('independent', commandOf(), { figures, colds }, software())
}

function commandOf(): string {
  return ['npm run bench -- independent', ...args].join(' ')
}
