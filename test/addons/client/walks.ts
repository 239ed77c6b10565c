// Walks that are left and resumed, while rows of their list come in bursts before, behind and between, and go.
import type { Rows } from '../../../src/client.ts'

export interface Row {
  readonly id: number
  readonly rank: number
}

/** Chance, the same for the same seed. */
export interface Chance {
  /** From 0 to 1. */
  random(): number
  /** A whole number below another one. */
  below(most: number): number
}

/** A linear congruential generator. */
export function chanceFrom(seed: number): Chance {
  let state = seed
  const random = () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32
  return { random, below: (most) => Math.floor(random() * most) }
}

/** What a test draws if it is not given. */
export function drawnSeed(): number {
  return Number(process.env['WALK_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
}

/** Rows in the order of rank and id, or the other way around. */
export class Rank {
  readonly direction: 1 | -1
  readonly pageSize: number
  readonly #chance: Chance
  /** Of few ranks, many are equal. */
  readonly #ranks: number
  #last = 0
  rows: readonly Row[] = []

  constructor(chance: Chance) {
    this.#chance = chance
    this.direction = chance.random() < 0.5 ? 1 : -1
    this.pageSize = 1 + chance.below(7)
    this.#ranks = [1, 3, 1000][chance.below(3)]!
  }

  /** As many rows as are wanted in a part of the order: 0 is its beginning, and 1 its end. */
  insert(count: number, from: number, to: number): void {
    const added = Array.from({ length: count }, () => {
      const place = from + this.#chance.random() * (to - from)
      const rank = Math.floor((this.direction === 1 ? place : 1 - place) * this.#ranks)
      return { id: this.direction * ++this.#last, rank }
    })
    this.#add(added)
  }

  /** Before all others, also among equal ranks. */
  insertFirst(count: number): void {
    const rank = this.direction === 1 ? 0 : this.#ranks
    this.#add(Array.from({ length: count }, () => ({ id: -this.direction * ++this.#last, rank })))
  }

  #add(added: readonly Row[]): void {
    this.rows = [...this.rows, ...added].toSorted((one, other) => this.compare(one, other))
  }

  compare(one: Row, other: Row): number {
    return this.direction * (one.rank - other.rank || one.id - other.id)
  }
}

/** The row that was given last, and those behind it, are the likeliest to go. */
function change(list: Rank, { random, below }: Chance, stable: ReadonlySet<number>, last?: number) {
  const remove = (isGone: (row: Row, at: number) => boolean) =>
    (list.rows = list.rows.filter((row, at) => stable.has(row.id) || !isGone(row, at)))
  const place = list.rows.findIndex(({ id }) => id === last)
  for (let changes = below(3); changes > 0; changes--) {
    const kind = below(7)
    if (kind === 0) list.insertFirst(below(21))
    else if (kind === 1) list.insert(below(21), 0, 0.2)
    else if (kind === 2) list.insert(below(21), 0.8, 1)
    else if (kind === 3) list.insert(below(21), 0, 1)
    else if (kind === 4) remove(({ id }) => id === last)
    else if (kind === 5) remove((_, at) => at >= place && at < place + 4)
    else remove(() => random() < 0.3)
  }
}

/** How a list is walked. */
export interface Way {
  /** A walk from the beginning, in whatever process. */
  begin(): Rows<Pick<Row, 'id'>>
  /** Puts what is in the list where the walk finds it. */
  store?(rows: readonly Row[]): Promise<void>
}

/** What walks gave, and what they ought not to. */
export interface Sum {
  interruptions: number
  given: number
  repeated: number
  missing: number
  outOfOrder: number
}
export const nothing = (): Sum => ({
  interruptions: 0,
  given: 0,
  repeated: 0,
  missing: 0,
  outOfOrder: 0,
})

/** Walks from beginning to end with interruptions, and adds to the sum. Half of the rows are there all the time. */
export async function walkOnce(list: Rank, chance: Chance, way: Way, sum: Sum): Promise<void> {
  const { random, below } = chance
  list.insert(below(30), 0, 1)
  await way.store?.(list.rows)
  const stable = new Set(list.rows.map(({ id }) => id).filter(() => random() < 0.5))
  const given: number[] = []
  const meanwhile = async (): Promise<void> => {
    change(list, chance, stable, given.at(-1))
    await way.store?.(list.rows)
  }
  let walk = way.begin()
  for (let isOver = false, stretches = 0; !isOver; stretches++) {
    const most = stretches < 40 ? 1 + below(9) : Infinity
    isOver = await stretch(walk, most, async (id) => {
      given.push(id)
      if (random() < 0.05) await meanwhile()
    })
    await meanwhile()
    if (!isOver) sum.interruptions++
    if (random() < 0.7) walk = way.begin().resume(walk.checkpoint())
  }
  const order = list.rows.map(({ id }) => id).filter((id) => stable.has(id))
  const came = given.filter((id) => stable.has(id))
  sum.given += given.length
  sum.repeated += given.length - new Set(given).size
  sum.missing += order.filter((id) => !came.includes(id)).length
  sum.outOfOrder += came.join() === order.join() ? 0 : 1
}

/** Takes some rows; is it the end? */
async function stretch(
  walk: Rows<Pick<Row, 'id'>>,
  most: number,
  take: (id: number) => Promise<void>,
) {
  let taken = 0
  for await (const { id } of walk) {
    await take(id)
    if (++taken === most) return false
  }
  return true
}
