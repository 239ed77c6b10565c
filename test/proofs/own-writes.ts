// Clients that write and read in random order: does each see what it has written itself?
import { Dice } from '../../scripts/attack/hostile/dice.ts'

/** What an answer says of a note, and of the server that was read. */
interface Answered {
  readonly value: number
  readonly replica: boolean
  readonly after: string | null
}

interface Run {
  readonly ask: (
    method: string,
    path: string,
    after: string | null,
    body?: unknown,
  ) => Promise<Answered>
  readonly steps: number
  /** Each has a note of its own, from 0 on. */
  readonly clients: number
  /** Do they send the place up to which they have written? */
  readonly withPlace: boolean
  readonly seed: number
}

/** What came of the steps. */
export interface OwnWrites {
  /** Reads that showed less than their client had written. */
  readonly violations: number
  readonly byReplica: number
  readonly reads: number
}

/** All clients at once, each one step after the other; two thirds of the steps are reads. */
export async function readsOfOwnWrites(all: Run): Promise<OwnWrites> {
  const { ask, steps, clients, withPlace, seed } = all
  const found = { violations: 0, byReplica: 0, reads: 0 }
  const client = async (id: number): Promise<void> => {
    const dice = new Dice(seed + id)
    const path = `/notes/${id}/`
    let { value } = await ask('GET', path, 'the primary')
    let after: string | null = null
    for (let step = 0; step < steps / clients; step++) {
      if (dice.below(3) === 0) {
        const answer = await ask('PUT', path, null, { value: ++value })
        if (withPlace) ({ after } = answer)
        continue
      }
      const answer = await ask('GET', path, after)
      found.reads++
      if (answer.replica) found.byReplica++
      if (answer.value !== value) found.violations++
    }
  }
  await Promise.all(Array.from({ length: clients }, (_, id) => client(id)))
  return found
}
