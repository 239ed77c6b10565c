// docs/operations/scale.md and its plot.
import { cpus } from 'node:os'
import { type Line, linePlot } from '../report/svg.ts'
import { median } from '../runs/figures.ts'
import { table } from '../runs/words.ts'
import { type Law, type Point, errorOf, lawOf } from '../scale/law.ts'

/** A round of so many machines: the microseconds of the processor for a request, in all machines and in the database. */
export interface Measured extends Point {
  readonly app: number
  readonly db: number
}

export interface WorkMeasured {
  readonly work: string
  readonly points: readonly Measured[]
}

export interface Model {
  /** The parts of a core for one machine, and for the database. */
  readonly machine: number
  readonly database: number
  readonly rounds: number
  readonly seconds: number
}

const FAR = [1, 2, 4, 8, 16, 32, 64]
/** The cores of the example. */
const [OF_A_MACHINE, OF_THE_DATABASE] = [2, 16]

interface Judged extends WorkMeasured {
  readonly app: number
  readonly db: number
  readonly law: Law
  /** The bound by the cost of a request; `machine` and `database` are parts of cores. */
  bound(n: number, machine: number, database: number): number
}

export function pageOf(
  all: readonly WorkMeasured[],
  model: Model,
): { page: string; picture: string } {
  const judged = all.map(judge)
  return { page: text(judged, model), picture: plot(judged) }
}

function judge({ work, points }: WorkMeasured): Judged {
  const [app, db] = [median(points.map((each) => each.app)), median(points.map((each) => each.db))]
  const law = lawOf(points)
  const bound: Judged['bound'] = (n, machine, database) =>
    1e6 * Math.min((n * machine) / app, database / db)
  return { work, points, app, db, law, bound }
}

const whole = (value: number): string => Math.round(value).toLocaleString('en')
const percent = (part: number): string => `${(100 * part).toFixed(0)} %`

function countsOf(points: readonly Point[]): readonly number[] {
  return [...new Set(points.map(({ n }) => n))]
}

const ratesAt = (points: readonly Point[], n: number): readonly number[] =>
  points.filter((point) => point.n === n).map(({ rps }) => rps)

function text(all: readonly Judged[], model: Model): string {
  const { machine, database, rounds, seconds } = model
  const counts = countsOf(all[0]!.points)
  const measured = all.map(({ work, points }) => [
    work,
    ...counts.map((n) => {
      const rates = ratesAt(points, n)
      return `${whole(median(rates))} (${whole(Math.min(...rates))}–${whole(Math.max(...rates))})`
    }),
  ])
  const costs = all.map(({ work, app, db }) => [
    work,
    whole(app),
    whole(db),
    (app / db).toFixed(1),
    (database / db / (machine / app)).toFixed(1),
  ])
  const few = counts.slice(0, Math.ceil(counts.length / 2))
  const laws = all.map(({ work, points, law, bound }) => {
    const early = lawOf(points.filter(({ n }) => few.includes(n)))
    const late = points.filter(({ n }) => n === counts.at(-1))
    const fit = errorOf(law.at, points)
    const cost = errorOf((n) => bound(n, machine, database), points)
    return [
      work,
      whole(law.lambda),
      law.sigma.toFixed(3),
      law.kappa.toFixed(4),
      `${percent(fit.mean)} (${percent(fit.most)})`,
      `${percent(cost.mean)} (${percent(cost.most)})`,
      percent(errorOf(early.at, late).mean),
    ]
  })
  const far = all.map(({ work, law }) => [work, ...FAR.slice(1).map((n) => whole(law.at(n)))])
  const example = all.map(({ work, app, db, bound }) => [
    work,
    ...FAR.slice(1).map((n) => whole(bound(n, OF_A_MACHINE, OF_THE_DATABASE))),
    String(Math.ceil((OF_THE_DATABASE / db) * (app / OF_A_MACHINE))),
  ])
  return `# How far it grows

More machines answer more requests until the database is busy. This page says where that is, from measurements on a small model, and how far off a
prediction may be. \`npm run bench -- machines\` measures, and writes this page and its plot.

## The model

Each "machine" is one process of a service, and may use ${percent(machine)} of a core; PostgreSQL may use ${percent(database)}, as much as
${(database / machine).toFixed(0)} machines. The kernel holds them to it (\`cpu.cfs_quota_us\`). So eight machines and their database fit on ${cpus().length} cores, and the database is
full at the number of machines that [the costs](#what-a-request-costs) say. The service knows users by token, shows rows by pages, writes a log and counts metrics. Eight connections ask each
machine without a pause (\`wrk\`). ${rounds} rounds of ${seconds} s in turns, ${new Date().toISOString().slice(0, 10)}, Node ${process.versions.node}, PostgreSQL 15.

Requests a second in all, by the number of machines: the median, and the range of the rounds.

${table(['Work', ...counts.map((n) => `${n}`)], measured, 1)}

![Requests a second by the number of machines](scale.svg)

Lines are measured, and dashed ones are the law below, continued to 64 machines.

## What a request costs

Microseconds of the processor, the median of all rounds. A core of the database serves as many cores of services as the fourth column says; in the
model the database is full at the number of machines in the last.

${table(['Work', 'Service, µs', 'Database, µs', 'Cores of services for one of the database', 'Full at'], costs, 1)}

## Two predictions and their errors

- **The Universal Scalability Law**: X(N) = λN / (1 + σ(N−1) + κN(N−1)). σ is the part that one does at a time, and κ what each costs each other. It is fitted to
  all rounds by least squares.
- **By costs**: N machines give no more than the processors of the services allow, and no more than that of the database allows.

Errors are those of single rounds, the mean and in brackets the largest. The last column is honest about the future: the law is fitted to ${few.join(', ')} machines
alone, and then compared with ${counts.at(-1)}.

${table(['Work', 'λ', 'σ', 'κ', 'Error of the law', 'Error by costs', `Error at ${counts.at(-1)}, from ${few.at(-1)} and fewer`], laws, 1)}

## 2 to 64 machines

By the law, in the model: a database that is as large as ${(database / machine).toFixed(0)} machines.

${table(['Work', ...FAR.slice(1).map((n) => `${n}`)], far, 1)}

By costs, for machines of ${OF_A_MACHINE} cores each and a database of ${OF_THE_DATABASE}. From the last column on, more machines give nothing.

${table(['Work', ...FAR.slice(1).map((n) => `${n}`), 'The database ends it at'], example, 1)}

## What this does not say

- **All runs on one machine.** A network adds time to each statement. Requests wait longer then, and more of them are in flight: connections, not processors, may end it first.
  The pools of all workers together have to fit into \`max_connections\` of the server.
- **All requests are of one user**, whose rate is one row of the database. Each count waits for the one before, so the second work shows the worst case. Rates of many users do
  not wait for each other.
- **Nothing waits for a disk** (\`fsync=off\`). Writes on a real disk end where it does.
- **A processor that is shared out in pieces of 20 ms** stops a server while it holds locks, which no larger processor does. The law fits what this makes of writes, too.
- **Numbers far from those measured are guesses.** 16, 32 and 64 machines were never run.

Where the database is full, [read from replicas](postgresql.md#reads-from-replicas), count rates in [Redis](../throttling.md), and cache what may be old.
`
}

function plot(all: readonly Judged[]): string {
  const lines = all.flatMap(({ points, law }, at): readonly Line[] => [
    {
      name: SHORT[at]!,
      colour: at + 1,
      dashed: false,
      points: countsOf(points).map((n) => [n, median(ratesAt(points, n))] as const),
    },
    {
      name: `${SHORT[at]!}, law`,
      colour: at + 1,
      dashed: true,
      points: FAR.map((n) => [n, law.at(n)] as const),
    },
  ])
  return linePlot({
    title: 'Requests a second by the number of machines',
    xLabel: 'machines',
    yLabel: 'requests a second',
    xTicks: FAR,
    yScale: 'linear',
    lines,
  })
}

/** Names for the legend, in the order of the works. */
const SHORT = ['page', 'page, counted', 'write'] as const
