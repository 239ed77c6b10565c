// Colophon's targets in the independent bench, and its results.
import type { Cold, Figure } from './figures.ts'

/** A ratio to `raw` as the upper limit. */
export interface Target {
  readonly database: string
  /** The work of the bench; `cold` is the start. */
  readonly work: string
  readonly measure: 'cpu' | 'total' | 'p99' | 'pss' | 'start'
  readonly most: number
}

/** A target with the measured ratio, and with the least and greatest ratio of its rounds if they were kept. */
export interface Verdict extends Target {
  readonly ratio: number
  readonly range: Range | null
  /** `open`: some rounds reached it, and some did not. */
  readonly state: 'reached' | 'open' | 'missed'
}

type Range = readonly [low: number, high: number]

const CPU: readonly Target[] = [
  { database: 'sqlite', work: 'me', measure: 'cpu', most: 0.75 },
  { database: 'pg', work: 'me', measure: 'cpu', most: 0.35 },
  { database: 'sqlite', work: 'page', measure: 'cpu', most: 0.7 },
  { database: 'pg', work: 'page', measure: 'cpu', most: 0.8 },
  { database: 'pg', work: 'page', measure: 'total', most: 0.4 },
  { database: 'sqlite', work: 'cursordeep', measure: 'cpu', most: 0.7 },
  { database: 'pg', work: 'cursordeep', measure: 'cpu', most: 0.45 },
  { database: 'pg', work: 'cursordeep', measure: 'total', most: 0.95 },
  { database: 'sqlite', work: 'hello', measure: 'cpu', most: 0.85 },
  { database: 'pg', work: 'hello', measure: 'cpu', most: 0.85 },
]
/** The limit for every work. */
const LATENCY = 1.5
const MEMORY = 1.5
const START = 1.4

/** Every target with a measurement. */
export function verdictsOn(
  figures: readonly Figure[],
  colds: readonly Cold[],
  peer = 'colophon',
): Verdict[] {
  const own = figures.filter((figure) => figure.peer === peer)
  const works = own.flatMap((figure) =>
    targetsFor(figure).map((target) => {
      const { low, high, [target.measure]: ratio } = figure.ratio
      return verdict(target, ratio, target.measure === 'cpu' ? [low, high] : null)
    }),
  )
  const starts = colds
    .filter((cold) => cold.peer === peer)
    .map(({ database, ratio }) =>
      verdict({ database, work: 'cold', measure: 'start', most: START }, ratio, null),
    )
  return [...works, ...starts]
}

type Measured = Target & { readonly measure: keyof Figure['ratio'] & Target['measure'] }

function targetsFor({ database, work }: Figure): Measured[] {
  const cpu = CPU.filter((target) => target.database === database && target.work === work)
  return [
    ...(cpu as Measured[]),
    { database, work, measure: 'p99', most: LATENCY },
    { database, work, measure: 'pss', most: MEMORY },
  ]
}

function verdict(target: Target, ratio: number, range: Range | null): Verdict {
  const [low, high] = range ?? [ratio, ratio]
  const state = high <= target.most ? 'reached' : low > target.most ? 'missed' : 'open'
  return { ...target, ratio, range, state }
}
