import type { Statement } from '../../core/ports/database.ts'
import type { MaybePromise } from '../../core/std/after.ts'
import { keptIn } from '../../core/std/once.ts'
import type { Counted, CounterStore, Hit, Limit } from '../../core/ports/policies/throttling.ts'
import { type KeptCounts, decideHit, takeBack } from '../../policies/throttling/counting.ts'
import { checkLimits, idOf, keptUntil } from '../counter-rows.ts'
import { type Committing, commitUnlessNull } from './shared-writes.ts'

/** The part of a connection that counting needs. */
interface Writer extends Committing {
  /** The first row. */
  first(statement: Statement): readonly unknown[] | undefined
}

/** Runs the work once nothing else of this process writes. It may run again where another process is in the way. */
type Writing = <T>(work: (writer: Writer) => T) => MaybePromise<T>

/** Hits of one transaction at most: a turn of the event loop must not become long. */
const MOST = 500
/** New rows after which a sweep looks for as many, and some more, that are over. */
const SWEEP = 64

/** Work on counters. It may run again, so it returns its result. */
type Task = (ledger: Ledger) => Counted | undefined

interface Waiting {
  readonly task: Task
  readonly resolve: (counted: Counted) => void
  readonly reject: (error: unknown) => void
}

/**
 * The hits of one turn of the event loop are counted in one transaction, in order, and answered when it is committed: taking
 * the lock of the file costs more than counting.
 */
export class SqliteCounters implements CounterStore {
  readonly #writing: Writing
  #waiting: Waiting[] = []
  /** New rows since the last sweep. */
  #rows = 0

  constructor(writing: Writing) {
    this.#writing = writing
  }

  hit(hit: Hit): Promise<Counted> {
    return this.#join((ledger) => ledger.hit(hit))
  }

  async withdraw(limits: readonly Limit[], at: number): Promise<void> {
    await this.#join((ledger) => ledger.withdraw(limits, at))
  }

  async clear(): Promise<void> {
    await this.#writing((writer) =>
      writer.write({ sql: 'delete from colophon_counter', parameters: [] }),
    )
  }

  #join(task: Task): Promise<Counted> {
    const { promise, resolve, reject } = Promise.withResolvers<Counted>()
    if (this.#waiting.length === 0) setImmediate(this.#leave)
    this.#waiting.push({ task, resolve, reject })
    return promise
  }

  readonly #leave = (): void => {
    const group = this.#waiting.splice(0, MOST)
    if (this.#waiting.length > 0) setImmediate(this.#leave)
    void this.#answer(group)
  }

  async #answer(group: readonly Waiting[]): Promise<void> {
    try {
      const answers = await this.#writing((writer) => this.#transaction(writer, group))
      for (const answer of answers) answer()
    } catch (error) {
      for (const { reject } of group) reject(error)
    }
  }

  #transaction(writer: Writer, group: readonly Waiting[]): readonly (() => void)[] {
    return commitUnlessNull(writer, () => {
      const ledger = new Ledger(writer)
      const answers = group.map((waiting) => answerOf(waiting, ledger))
      this.#rows += ledger.write()
      if (this.#rows >= SWEEP) {
        ledger.sweep(2 * this.#rows)
        this.#rows = 0
      }
      return answers
    })
  }
}

/** Does a task, whose failure is that of no other task. */
function answerOf({ task, resolve, reject }: Waiting, ledger: Ledger): () => void {
  try {
    const counted = task(ledger)
    return () => resolve(counted as Counted)
  } catch (error) {
    return () => reject(error)
  }
}

const STATE = 'select state, expires from colophon_counter where id = ?'
const NEW_STATE = 'update colophon_counter set state = ?2 where id = ?1'
const NEW_ROW = `insert into colophon_counter (id, state, expires) values (?1, ?2, ?3)
  on conflict (id) do update set state = excluded.state, expires = excluded.expires`
const SWEPT = `delete from colophon_counter where id in
  (select id from colophon_counter where expires <= ? order by expires limit ?)`

interface Entry {
  /** The limit that changed the entry last. */
  limit: Limit
  readonly kept: KeptCounts
  /** When the row expires; 0: it has not been made. */
  readonly expires: number
  changed: boolean
}

/** The counters that one transaction reads, and those that it writes at its end. */
class Ledger {
  readonly #writer: Writer
  readonly #entries = new Map<string, Entry>()
  #now = 0

  constructor(writer: Writer) {
    this.#writer = writer
  }

  hit({ limits, at, counting }: Hit): Counted {
    checkLimits(limits, at)
    const now = at ?? Date.now()
    const entries = limits.map((limit) => this.#entry(limit))
    const kept = entries.map((entry) => entry.kept)
    const { counted, changed } = decideHit({ limits, counting }, kept, now)
    if (changed) limits.forEach((limit, i) => change(entries[i]!, limit))
    this.#now = now
    return counted
  }

  withdraw(limits: readonly Limit[], at: number): undefined {
    checkLimits(limits, at)
    for (const limit of limits) {
      const entry = this.#entry(limit)
      takeBack(limit, entry.kept, at)
      change(entry, limit)
    }
  }

  /** Writes changed entries, and returns how many rows that may have made. */
  write(): number {
    let rows = 0
    for (const [id, { limit, kept, expires, changed }] of this.#entries) {
      if (!changed) continue
      const until = keptUntil(limit, kept)
      const state = bytesOf(limit, kept)
      if (until === expires) this.#writer.write({ sql: NEW_STATE, parameters: [id, state] })
      else this.#writer.write({ sql: NEW_ROW, parameters: [id, state, until] })
      if (expires === 0) rows++
    }
    return rows
  }

  /** Deletes rows that are over, so many at most, by the clock of the last hit. */
  sweep(most: number): void {
    this.#writer.write({ sql: SWEPT, parameters: [this.#now, most] })
  }

  #entry(limit: Limit): Entry {
    return keptIn(this.#entries, idOf(limit), (id) => {
      const [state, expires] = this.#writer.first({ sql: STATE, parameters: [id] }) ?? []
      const kept = state === undefined ? [] : numbersOf(limit, state as Uint8Array)
      return { limit, kept, expires: Number(expires ?? 0), changed: false }
    })
  }
}

function change(entry: Entry, limit: Limit): void {
  entry.limit = limit
  entry.changed = true
}

/** Bytes of a whole number at most, seven bits in each. */
const LONGEST = 8
const MORE = 128

/**
 * The first number has 64 bits. Moments of a log come one after the other, so of the others only the distances are
 * kept, seven bits a byte, the lowest first: one or two bytes for most.
 */
export function bytesOf({ algorithm }: Limit, kept: KeptCounts): Uint8Array {
  if (algorithm === 'gcra' || kept.length === 0)
    return new Uint8Array(Float64Array.from(kept).buffer)
  const bytes = new Uint8Array(8 + LONGEST * (kept.length - 1))
  new DataView(bytes.buffer).setFloat64(0, kept[0]!, true)
  let end = 8
  for (let i = 1; i < kept.length; i++) {
    let distance = kept[i]! - kept[i - 1]!
    for (; distance >= MORE; distance = Math.floor(distance / MORE))
      bytes[end++] = MORE + (distance % MORE)
    bytes[end++] = distance
  }
  return bytes.subarray(0, end)
}

export function numbersOf({ algorithm }: Limit, bytes: Uint8Array): KeptCounts {
  if (bytes.length === 0) return []
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  if (algorithm === 'gcra') return [view.getFloat64(0, true), view.getFloat64(8, true)]
  let moment = view.getFloat64(0, true)
  let unit = 1
  const moments = [moment]
  for (let i = 8; i < bytes.length; i++) {
    const byte = bytes[i]!
    moment += (byte % MORE) * unit
    if (byte >= MORE) unit *= MORE
    else {
      moments.push(moment)
      unit = 1
    }
  }
  return moments
}
