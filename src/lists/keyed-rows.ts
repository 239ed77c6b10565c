import type { Position, SeekRequest, SeekableSource, SortKey, Stretch } from '../contract/source.ts'
import { InvalidPosition } from '../errors/api-errors.ts'
import { type Placed, comparing, totalKeys } from './order.ts'
import { type ArrayQuery, Rows } from './rows.ts'

/** An array whose rows can be told apart, so that reading can start behind one of them. */
export class KeyedRows<Row> extends Rows<Row> implements SeekableSource<Row, string> {
  readonly #unique: readonly string[]

  constructor(query: ArrayQuery<Row>) {
    super(query)
    this.#unique = query.unique
  }

  seek({ keys, position, reverse, limit }: SeekRequest): Stretch<Row> {
    const total = totalKeys(keys, this.#unique)
    if (position !== null && position.length !== total.length) throw new InvalidPosition()
    const all = this.placedBy(total)
    return reverse
      ? stretchBefore(
          all,
          position === null ? all.length : countBefore(all, position, total),
          limit,
        )
      : stretchFrom(all, position === null ? 0 : countUpTo(all, position, total), limit)
  }

  protected override asking(query: ArrayQuery<Row>): this {
    return new KeyedRows(query) as this
  }
}

function stretchFrom<Row>(all: readonly Placed<Row>[], start: number, limit: number): Stretch<Row> {
  return stretch(all.slice(start, start + limit), start + limit < all.length)
}

function stretchBefore<Row>(all: readonly Placed<Row>[], end: number, limit: number): Stretch<Row> {
  return stretch(all.slice(Math.max(end - limit, 0), end), end > limit)
}

function stretch<Row>(found: readonly Placed<Row>[], more: boolean): Stretch<Row> {
  return {
    rows: found.map(({ row }) => row),
    more,
    first: found[0]?.position ?? null,
    last: found.at(-1)?.position ?? null,
  }
}

/** How many rows stand before a position. */
function countBefore(
  all: readonly Placed<unknown>[],
  position: Position,
  keys: readonly SortKey[],
): number {
  const order = comparing(keys)
  return countWhile(all, (each) => order(each, position) < 0)
}

/** The same, and with them those that stand right there. */
function countUpTo(
  all: readonly Placed<unknown>[],
  position: Position,
  keys: readonly SortKey[],
): number {
  const order = comparing(keys)
  return countWhile(all, (each) => order(each, position) <= 0)
}

function countWhile(
  all: readonly Placed<unknown>[],
  holds: (position: Position) => boolean,
): number {
  const first = all.findIndex(({ position }) => !holds(position))
  return first === -1 ? all.length : first
}
