// The results of a bench's rounds: medians, and ratios to the peer `raw` in the same round.

/** One round of one peer, in the form of the independent bench. */
export interface Round {
  /** Microseconds of CPU time for a request: in the server, and in its database (0 on SQLite). */
  readonly cpu: number
  readonly db: number
  /** In requests a second. */
  readonly rps: number
  /** In milliseconds. */
  readonly p50: number
  readonly p99: number
  /** In megabytes (PSS). */
  readonly pss: number
  /** The number of unsuccessful answers and failed connections. */
  readonly errors: number
}

/** The rounds of each peer. */
export type Rounds = Readonly<Record<string, readonly Round[]>>

/** The medians of all rounds of one peer at one work. */
export interface Figure extends Round {
  readonly database: string
  readonly work: string
  readonly peer: string
  /** The ratio to `raw`; `total` is server and database together. */
  readonly ratio: {
    readonly cpu: number
    readonly low: number
    readonly high: number
    readonly total: number
    readonly p99: number
    readonly pss: number
  }
}

/** The time from the start of the process to its first answer. */
export interface Cold {
  readonly database: string
  readonly peer: string
  readonly milliseconds: number
  readonly ratio: number
}

/** @throws Error `raw`, the base of all ratios, was not measured */
export function figuresOf(database: string, work: string, rounds: Rounds): Figure[] {
  const { raw } = rounds
  if (raw === undefined || raw.length === 0) throw new Error(`${work} was not measured for raw.`)
  return Object.entries(rounds)
    .toSorted(([one], [other]) => placeOf(one) - placeOf(other))
    .map(([peer, own]) => figureOf(own, raw, { database, work, peer }))
}

/** The order of peers: those by hand first, ours last. */
const PEERS = ['raw', 'rawmax', 'best', 'fastify-tuned', 'fastify']

function placeOf(peer: string): number {
  const place = PEERS.indexOf(peer)
  return place === -1 ? PEERS.length : place
}

function figureOf(
  all: readonly Round[],
  rawOfAll: readonly Round[],
  what: Pick<Figure, 'database' | 'work' | 'peer'>,
): Figure {
  // In a short round on a busy machine, a slow peer may not answer at all, which gives no time for a request.
  const answered = all.map((round, at) => round.rps > 0 && rawOfAll[at]!.rps > 0)
  const [own, raw] = [all, rawOfAll].map((rounds) => rounds.filter((_, at) => answered[at]))
  if (own === undefined || raw === undefined || own.length === 0)
    throw new Error(`${what.peer} or raw has answered no request of ${what.work} in time.`)
  const ratios = (of: (round: Round) => number) =>
    own.map((round, at) => rounded(of(round) / of(raw[at]!)))
  const middle = (of: (round: Round) => number) => rounded(median(own.map(of)))
  const cpu = ratios((round) => round.cpu)
  return {
    ...what,
    cpu: middle((round) => round.cpu),
    db: middle((round) => round.db),
    rps: middle((round) => round.rps),
    p50: middle((round) => round.p50),
    p99: middle((round) => round.p99),
    pss: middle((round) => round.pss),
    errors: all.reduce((sum, { errors }) => sum + errors, 0),
    ratio: {
      cpu: median(cpu),
      low: Math.min(...cpu),
      high: Math.max(...cpu),
      total: median(ratios((round) => round.cpu + round.db)),
      p99: median(ratios((round) => round.p99)),
      pss: median(ratios((round) => round.pss)),
    },
  }
}

/** The table of cold starts, which the independent bench prints, but does not write. */
export function coldStarts(output: string): Cold[] {
  const sections = output.matchAll(/^#### (\w+) · cold start[^]*?(?=^####|(?![^]))/gm)
  return [...sections].flatMap(([section, database = '']) =>
    [...section.matchAll(/^\| (\S+) \| ([\d.,]+) \| [^|]+ \| ([\d.]+) \|/gm)].map(
      ([, peer = '', milliseconds = '', ratio = '']) => ({
        database,
        peer,
        milliseconds: Number(milliseconds.replaceAll(',', '')),
        ratio: Number(ratio),
      }),
    ),
  )
}

/** The median; `NaN` for no values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const half = Math.floor(sorted.length / 2)
  if (sorted.length % 2 === 1) return sorted[half]!
  return (sorted[half - 1]! + sorted[half]!) / 2
}

/** Rounds to three decimal places, which are more than a run repeats. */
function rounded(value: number): number {
  return Number(value.toFixed(3))
}
