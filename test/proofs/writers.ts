import { dialectOf } from '../setup/dialects.ts'
// Somebody who writes between the pages that somebody else reads.
import fc from 'fast-check'
import type { SqlDatabase } from '../../src/storage/sql/sql-database.ts'
import type { Content, Route } from './cases.ts'
import type { Value } from './kinds.ts'
import { insert } from './proof-table.ts'
import { type Ask, type SeenPage, same } from './walk.ts'

/** One change. `near`: at an edge of the page just read, where it hurts; otherwise anywhere. */
export interface Change {
  readonly kind: 'insert' | 'delete' | 'update'
  readonly near: 'first' | 'last' | null
  readonly pick: number
}

export const change: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom('insert' as const, 'delete' as const, 'update' as const),
  near: fc.constantFrom('first' as const, 'last' as const, null),
  pick: fc.nat(1_000_000),
})

/** Rows that come, at most: a reader of single rows would never end where two come for each that it reads. */
const MOST_INSERTS = 300

/** The table with what has been done to it. */
export class Written {
  readonly #database: Pick<SqlDatabase, 'dialect' | 'write'>
  readonly #content: Content
  /** A column that the order does not look at. */
  readonly #other: number
  readonly #rows: Map<number, readonly Value[]>
  readonly deleted = new Set<number>()
  #labels: number

  constructor(database: Pick<SqlDatabase, 'dialect' | 'write'>, content: Content, route: Route) {
    this.#database = database
    this.#content = content
    this.#other = content.columns.findIndex(
      (name) => !route.keys.some(({ field }) => field === name),
    )
    this.#rows = new Map(content.rows.entries())
    this.#labels = content.rows.length
  }

  async apply({ kind, near, pick }: Change, { labels }: SeenPage): Promise<void> {
    const edge = near === 'first' ? labels[0] : labels.at(-1)
    const label = near !== null && edge !== undefined ? edge : this.#any(pick)
    const row = label === undefined ? undefined : this.#rows.get(label)
    if (row === undefined) return
    if (kind === 'insert') await this.#insert(row)
    else if (kind === 'delete') await this.#delete(label!)
    else await this.#update(label!, row, pick)
  }

  #any(pick: number): number | undefined {
    const labels = [...this.#rows.keys()]
    return labels[pick % labels.length]
  }

  /** A row that ties with that one. */
  async #insert(row: readonly Value[]): Promise<void> {
    if (this.#labels === this.#content.rows.length + MOST_INSERTS) return
    const label = this.#labels++
    this.#rows.set(label, row)
    await insert(this.#database, { ...this.#content, rows: [row] }, label)
  }

  async #delete(label: number): Promise<void> {
    this.#rows.delete(label)
    this.deleted.add(label)
    await this.#database.write({ sql: `delete from proof where label = ${label}`, parameters: [] })
  }

  async #update(label: number, row: readonly Value[], pick: number): Promise<void> {
    const { rows, columns } = this.#content
    const value = rows[pick % rows.length]![this.#other]!
    this.#rows.set(label, row.with(this.#other, value))
    const mark = dialectOf(this.#database) === 'postgres' ? '$1' : '?'
    await this.#database.write({
      sql: `update proof set ${columns[this.#other]} = ${mark} where label = ${label}`,
      parameters: [value],
    })
  }
}

/** Reads with changes behind each page. */
export function disturbed(ask: Ask, written: Written, changes: readonly Change[]): Ask {
  let turn = 0
  return async (address) => {
    const page = await ask(address)
    // Two of three pages are followed by changes: sometimes the reader has some peace.
    for (let i = 0; i < turn % 3 && changes.length > 0; i++)
      await written.apply(changes[(turn + i) % changes.length]!, page)
    turn++
    return page
  }
}

/** Whoever was there all the time was seen once, in order; whoever came or went was not seen twice. */
export function proveSeen(
  what: string,
  found: readonly number[],
  before: readonly number[],
  deleted: ReadonlySet<number>,
): void {
  same(`${what}, twice`, repeated(found), [])
  const untouched = new Set(before.filter((label) => !deleted.has(label)))
  const seen = found.filter((label) => untouched.has(label))
  same(
    what,
    seen,
    [...before].filter((label) => untouched.has(label)),
  )
}

function repeated(labels: readonly number[]): readonly number[] {
  return labels.filter((label, place) => labels.indexOf(label) !== place)
}
