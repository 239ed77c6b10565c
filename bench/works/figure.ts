// The results of the flood and of the million mixed requests, and their tables.
import { median } from '../runs/figures.ts'
import { databaseName, digits, table } from '../runs/words.ts'

/** A round: 10 honest users alone, then beside a flood of unknown tokens. */
export interface Flood {
  readonly database: string
  readonly peer: string
  readonly round: number
  /** The p99 of the honest users in milliseconds. */
  readonly alone: number
  readonly flooded: number
  /** Requests a second while both send. */
  readonly honest: number
  readonly refused: number
}

/** The memory after so many requests of all works. */
export interface Memory {
  readonly database: string
  readonly peer: string
  readonly requests: number
  /** In megabytes: all resident memory, and with a share of the common parts. */
  readonly rss: number
  readonly pss: number
}

/** A table of the rounds' medians, with the growth within each round, and its ratio to that of raw. */
export function floodTable(floods: readonly Flood[]): string {
  const growthOf = ({ alone, flooded }: Flood): number => flooded / alone
  const rows = groups(floods).map(([first, own]) => {
    const raw = floods.filter(({ database, peer }) => database === first.database && peer === 'raw')
    const ratios = own.map((each) => {
      const theirs = raw.find(({ round }) => round === each.round)!
      return growthOf(each) / growthOf(theirs)
    })
    const middle = (of: (flood: Flood) => number): string => digits(median(own.map(of)))
    return [
      databaseName(first.database),
      first.peer,
      middle(({ alone }) => alone),
      middle(({ flooded }) => flooded),
      middle(growthOf),
      digits(median(ratios)),
      `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`,
      middle(({ honest }) => honest),
      middle(({ refused }) => refused),
    ]
  })
  const head = [
    'Database',
    'Peer',
    'p99 alone, ms',
    'p99 in the flood, ms',
    'growth',
    '÷ raw',
    'of all rounds',
    'honest requests/s',
    'refused/s',
  ]
  return table(head, rows, 2)
}

export function memoryTable(memories: readonly Memory[]): string {
  const rows = memories.map(({ database, peer, requests, rss, pss }) => {
    const raw = memories.find((each) => each.database === database && each.peer === 'raw')!
    return [
      databaseName(database),
      peer,
      requests.toLocaleString('en'),
      digits(rss),
      digits(rss / raw.rss),
      digits(pss),
      digits(pss / raw.pss),
    ]
  })
  return table(['Database', 'Peer', 'Requests', 'RSS, MB', '÷ raw', 'PSS, MB', '÷ raw'], rows, 2)
}

function groups(floods: readonly Flood[]): (readonly [Flood, readonly Flood[]])[] {
  const found = Map.groupBy(floods, ({ database, peer }) => `${database} ${peer}`)
  return [...found.values()].map((own) => [own[0]!, own])
}
