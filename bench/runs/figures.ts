// What rounds of a bench come to: medians, and ratios to the peer `raw` in the same round.

/** One round of one peer, as the independent bench writes it down. */
export interface Round {
  /** Microseconds of CPU time per request: of the server, and of the database that works for it (0 on SQLite). */
  readonly cpu: number
  readonly db: number
  /** Requests per second. */
  readonly rps: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
  /** Megabytes (PSS). */
  readonly pss: number
  /** Answers that were no success, and connections that failed. */
  readonly errors: number
}

/** The rounds of each peer. */
export type Rounds = Readonly<Record<string, readonly Round[]>>

/** The median of all rounds, of one peer at one work. */
export interface Figure extends Round {
  readonly database: string
  readonly work: string
  readonly peer: string
  /** To `raw`; `total` is server and database together. */
  readonly ratio: {
    readonly cpu: number
    readonly low: number
    readonly high: number
    readonly total: number
    readonly p99: number
    readonly pss: number
  }
}

/** From the start of the process to the first answer. */
export interface Cold {
  readonly database: string
  readonly peer: string
  readonly milliseconds: number
  readonly ratio: number
}

/** @throws Error where `raw` was not measured, to which all are compared */
export function figuresOf(database: string, work: string, rounds: Rounds): Figure[] {
  const { raw } = rounds
  if (raw === undefined || raw.length === 0) throw new Error(`${work} was not measured for raw.`)
  return Object.entries(rounds)
    .toSorted(([one], [other]) => placeOf(one) - placeOf(other))
    .map(([peer, own]) => figureOf(own, raw, { database, work, peer }))
}

/** Those by hand first, ours last. */
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
  // In a short round on a busy machine, a slow peer may answer nothing, which gives no time per request.
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

/** The table of cold starts, which the independent bench prints and does not write down. */
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

/** Of no values: `NaN`. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const half = Math.floor(sorted.length / 2)
  if (sorted.length % 2 === 1) return sorted[half]!
  return (sorted[half - 1]! + sorted[half]!) / 2
}

/** Three digits behind the point are more than any run repeats. */
function rounded(value: number): number {
  return Number(value.toFixed(3))
}
