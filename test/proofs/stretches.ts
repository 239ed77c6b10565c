// The same, asked of a source itself: every position in it, in both directions, and from both ends.
import type {
  Position,
  SeekableSource,
  SortKey,
  Stretch,
} from '../../src/core/ports/list-source.ts'
import { same } from './walk.ts'

interface Labelled {
  readonly label: number
}

/** A source with an order, and what it should give. */
export interface Sought {
  readonly source: SeekableSource<Labelled, string>
  readonly keys: readonly SortKey[]
  readonly expected: readonly number[]
}

/** Reads the list in pieces of `limit` from either end, then again from where each row stands. */
export async function proveStretches(sought: Sought, limit: number): Promise<void> {
  same('from the start', await readAll(sought, false, limit), sought.expected)
  same('from the end', await readAll(sought, true, limit), sought.expected)
}

async function readAll(
  { source, keys, expected }: Sought,
  reverse: boolean,
  limit: number,
): Promise<readonly number[]> {
  const found: number[] = []
  let position: Position | null = null
  for (let more = true; more;) {
    const stretch: Stretch<Labelled> = await source.seek({ keys, position, reverse, limit })
    const labels = stretch.rows.map(({ label }) => label)
    if (reverse) found.unshift(...labels)
    else found.push(...labels)
    same('is there more', stretch.more, found.length < expected.length)
    if (!stretch.more) break
    same('a full stretch', labels.length, limit)
    position = reverse ? stretch.first : stretch.last
    more = position !== null
  }
  return found
}

/** From where each row stands: all rows behind it, and all in front of it. */
export async function provePositions({ source, keys, expected }: Sought): Promise<void> {
  const limit = expected.length + 1
  for (const [at, label] of expected.entries()) {
    const { last } = await source.seek({ keys, position: null, reverse: false, limit: at + 1 })
    const seek = (reverse: boolean) => source.seek({ keys, position: last, reverse, limit })
    same(`behind ${label}`, labelsIn(await seek(false)), expected.slice(at + 1))
    same(`in front of ${label}`, labelsIn(await seek(true)), expected.slice(0, at))
  }
}

function labelsIn({ rows }: Stretch<Labelled>): readonly number[] {
  return rows.map(({ label }) => label)
}
