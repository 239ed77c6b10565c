// Requests per second against the number of connections that ask at once: `raw` and Colophon, in the service of
// the independent bench. `npm run bench -- connections [sqlite | pg | all] [works | all] [--keep]`
import { keep } from '../runs/kept.ts'
import { figuresIn, measure, setUp, software, tidyUp } from '../runs/workshop.ts'
import { databaseName, digits, table, workName } from '../runs/words.ts'
import type { ConnectionsFigure } from './figure.ts'

const CONNECTIONS = [1, 4, 16, 32, 64, 128, 256]
const OPTIONS = ['--rounds', '1', '--seconds', '3', '--warm', '1', '--peers', 'raw,colophon']

const args = process.argv.slice(2)
const [database = 'all', works = 'all'] = args.filter((arg) => arg !== '--keep')
const databases = database === 'all' ? ['sqlite', 'pg'] : [database]
const chosen = works === 'all' ? ['me', 'page'] : works.split(',')

await setUp()
const figures: ConnectionsFigure[] = []
try {
  for (const connections of CONNECTIONS) figures.push(...(await figuresWith(connections)))
} finally {
  await tidyUp()
}
console.log(`\n${shown()}`)
if (args.includes('--keep')) {
  const command = ['npm run bench -- connections', ...args].join(' ')
  keep('connections', command, figures, software())
}

/** The answers are checked once, because only the number of connections changes. */
async function figuresWith(connections: number): Promise<ConnectionsFigure[]> {
  const once = connections === CONNECTIONS[0] ? [] : ['--no-validate']
  const options = [...OPTIONS, '--conns', String(connections), ...once]
  await measure(chosen.join(','), databases.join(','), options)
  return figuresIn(databases, chosen).map(({ database: name, work, peer, rps, p50, p99 }) => ({
    database: name,
    work,
    peer,
    connections,
    rps,
    p50,
    p99,
  }))
}

function shown(): string {
  const rows = figures.map((figure) => [
    databaseName(figure.database),
    workName(figure.work),
    figure.peer,
    String(figure.connections),
    digits(figure.rps),
    digits(figure.p50),
    digits(figure.p99),
  ])
  const head = ['Database', 'Work', 'Peer', 'Connections', 'requests/s', 'p50, ms', 'p99, ms']
  return table(head, rows, 3)
}
