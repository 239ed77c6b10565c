// Reads on streaming replicas: which of them may answer a request, and what the client has to have seen there.
import type { CompiledQuery } from 'kysely'
import { DatabaseUnavailable } from '../../core/errors/storage-errors.ts'
import { ConfigurationError } from '../../core/errors/configuration-error.ts'
import type { DatabaseServer, Statement } from '../../core/ports/database.ts'
import type { Rows } from '../../core/ports/list-source.ts'
import type { MaybePromise } from '../../core/std/after.ts'
import { inTime } from '../../core/std/deadlines.ts'
import { type Reads, origins, withReads } from '../../core/std/statements.ts'
import type { OwnTables } from '../database.ts'
import type { QueryConnection } from '../kysely.ts'
import { PooledDatabase, type PooledDialect, isRead } from '../pooled/database.ts'
import type { PooledConnection } from '../pooled/server-connection.ts'
import type { ConnectionPool } from '../pooled/server-pool.ts'
import type { ReadExecutor, SnapshotWork } from '../pooled/shared-counts.ts'
import { isTooMuch } from './failures.ts'

/** Until when a replica may answer. */
export interface ReplicaLimits {
  /** Milliseconds that a replica may be behind. @default 5000 */
  readonly maxLag?: number
  /** Milliseconds that a read waits for a replica to have what its client has written; then the primary answers. @default 100 */
  readonly replicaWait?: number
}

/** A place in the log of the server, `16/B374D848`; later writes have higher places. */
const PLACE = /^([0-9a-f]{1,8})\/([0-9a-f]{1,8})$/i
/** A place that no replica has, for a client whose writes are not known. */
const UNKNOWN = 'FFFFFFFF/FFFFFFFF'
// The place counts what is not flushed yet, too: commits may be acknowledged before.
const WRITTEN: Statement = { sql: 'select pg_current_wal_insert_lsn()::text', parameters: [] }
/** The place that a replica has replayed; NULL: the server follows no other. */
const REPLAYED: Statement = { sql: 'select pg_last_wal_replay_lsn()::text', parameters: [] }

/** Milliseconds after which replicas are looked at again, and those that a look may take. */
const LOOK = { again: 100, atMost: 1000 }
/** Milliseconds between two looks of a read that waits: twice as long each time. */
const PAUSES = { first: 1, longest: 20 }

/** Bytes of a page of the log and of its header, and the same of segments: where a page has nothing else yet, its log ends in front of it. */
const PAGE = { size: 0x2000n, header: 0x18n }
const SEGMENT = { size: 0x100_0000n, header: 0x28n }

/** `null`: it is none. The primary names the place behind the header of a page that has just begun, and a replica the one in front of it. */
export function placeOf(text: unknown): bigint | null {
  const [, high, low] = PLACE.exec(typeof text === 'string' ? text : '') ?? []
  if (high === undefined) return null
  const place = (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`)
  const begun = [PAGE, SEGMENT].find(({ size, header }) => place % size === header)
  return place - (begun?.header ?? 0n)
}

/** A database whose reads may be answered by replicas, where their request says so. */
export class ReplicatedDatabase extends PooledDatabase {
  readonly #replicas: Replicas
  readonly #maxLag: number

  /** @throws ConfigurationError `maxLag` or `replicaWait` is no number of milliseconds */
  constructor(
    dialect: PooledDialect,
    pool: ConnectionPool,
    replicas: readonly PooledDatabase[],
    { maxLag = 5000, replicaWait = 100, ...own }: ReplicaLimits & OwnTables,
  ) {
    super(dialect, notingWrites(pool), own)
    for (const [name, value] of Object.entries({ maxLag, replicaWait }))
      if (typeof value !== 'number' || !(value >= 0))
        throw new ConfigurationError(`${name} is ${value}; it is a number of milliseconds.`)
    this.#maxLag = maxLag
    const primary = () => super.rows(WRITTEN)
    this.#replicas = new Replicas(replicas, primary, { maxLag, replicaWait })
  }

  override rows(statement: Statement): Promise<Rows> {
    return this.#either(
      (database) => database.rows(statement),
      () => super.rows(statement),
    )
  }

  override snapshot<T>(work: (reader: ReadExecutor) => MaybePromise<T>): Promise<T> {
    return this.#either(
      (database) => database.snapshot(work),
      () => super.snapshot(work),
    )
  }

  override sharedSnapshot<T>(first: Statement, work: SnapshotWork<T>): Promise<T> {
    return this.#either(
      (database) => database.sharedSnapshot(first, work),
      () => super.sharedSnapshot(first, work),
    )
  }

  override async serverFacts(): Promise<DatabaseServer> {
    return { ...(await super.serverFacts()), lag: this.#maxLag }
  }

  override async close(): Promise<void> {
    await Promise.all([super.close(), this.#replicas.close()])
  }

  protected override queries(options?: { readonly unhurried: boolean }): QueryConnection {
    const primary = super.queries(options)
    let begun = false
    const execute = (query: CompiledQuery) =>
      begun || !isRead(query)
        ? primary.execute(query)
        : this.#either(
            async (database) => ({ ...(await database.rows(query)), changes: null }),
            async () => primary.execute(query),
          )
    const begin: QueryConnection['begin'] = (settings) => {
      begun = true
      return primary.begin(settings)
    }
    return { ...primary, execute, begin }
  }

  /**
   * Reads on a replica, and on the primary if that fails, or lacks a table yet; a read that asks too much fails as on the
   * primary.
   */
  async #either<T>(
    onReplica: (database: PooledDatabase) => Promise<T>,
    onPrimary: () => Promise<T>,
  ): Promise<T> {
    const reads = origins.getStore()?.reads
    const replica = reads === undefined ? null : await this.#replicas.for(reads)
    if (replica === null) return onPrimary()
    try {
      return await onReplica(replica.database)
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable) || isTooMuch(error)) throw error
      this.#replicas.leave(reads!, replica)
      return onPrimary()
    }
  }
}

/** Notes where the log stands after work that may have written. The answer waits for that, the work does not. */
function notingWrites(pool: ConnectionPool): ConnectionPool {
  return {
    patience: pool.patience,
    close: () => pool.close(),
    gauges: () => pool.gauges?.() ?? [],
    async connect(use) {
      const connection = await pool.connect(use)
      const reads = origins.getStore()?.reads
      if (use === 'write' && reads !== undefined) noteAtEnd(connection, reads)
      return connection
    },
  }
}

function noteAtEnd(connection: PooledConnection, reads: Reads): void {
  const release = connection.release.bind(connection)
  connection.release = (unusable) => {
    const asked = unusable ? Promise.resolve(UNKNOWN) : writtenOn(connection)
    reads.written = later(reads.written, asked)
    void asked.then(() => release(unusable))
  }
}

async function writtenOn(connection: PooledConnection): Promise<string> {
  try {
    const { values } = await connection.execute(WRITTEN)
    return String(values[0]![0])
  } catch {
    return UNKNOWN
  }
}

async function later(one: Promise<string> | null, other: Promise<string>): Promise<string> {
  const [first, second] = await Promise.all([one ?? '0/0', other])
  return placeOf(first)! > placeOf(second)! ? first : second
}

interface Replica {
  readonly database: PooledDatabase
  /** The place up to which it has followed; `null`: it is away, follows no server, or was not asked yet. */
  replayed: bigint | null
  /** The place at which it was ahead of the primary, as a follower never is; `null`: it was not, or has moved on. */
  ahead: bigint | null
}

/** The place of the primary's log at some moment of this process. */
interface Sample {
  readonly at: number
  readonly place: bigint
}

/**
 * Replicas, and how far they are behind. No clock of a server is asked: a replica that has what the primary had at some
 * moment is behind by less than the time since then, also where its connection to the primary is broken.
 */
class Replicas {
  readonly #all: readonly Replica[]
  readonly #primary: () => Promise<Rows>
  readonly #limits: Required<ReplicaLimits>
  readonly #chosen = new WeakMap<Reads, Promise<Replica | null>>()
  #samples: readonly Sample[] = []
  #looking: Promise<void> | null = null
  #lookedAt = -Infinity
  #turn = 0

  constructor(
    databases: readonly PooledDatabase[],
    primary: () => Promise<Rows>,
    limits: Required<ReplicaLimits>,
  ) {
    this.#all = databases.map((database) => ({ database, replayed: null, ahead: null }))
    this.#primary = primary
    this.#limits = limits
  }

  /**
   * The replica for all reads of a request, while it is recent; `null`: the primary answers, as after the request's first
   * write. No read comes back to a replica, where it could see less than before.
   */
  async for(reads: Reads): Promise<Replica | null> {
    if (!reads.fromReplica) return null
    if (performance.now() - this.#lookedAt > LOOK.again) void this.#look()
    const chosen = this.#chosen.get(reads) ?? this.#choose(reads.after)
    this.#chosen.set(reads, chosen)
    const replica = await chosen
    if (replica === null || reads.written !== null) return null
    if (this.#isRecent(replica)) return replica
    this.#chosen.set(reads, Promise.resolve(null))
    return null
  }

  /** Counts a replica as away until a look finds it. */
  leave(reads: Reads, replica: Replica): void {
    replica.replayed = null
    this.#chosen.set(reads, Promise.resolve(null))
  }

  async close(): Promise<void> {
    await Promise.all(this.#all.map(({ database }) => database.close()))
  }

  /** Chooses a replica; where a client has sent a text that is no place, the primary answers. */
  async #choose(after: string | null): Promise<Replica | null> {
    const wanted = after === null ? 0n : placeOf(after)
    const end = performance.now() + this.#limits.replicaWait
    if (wanted === null) return null
    for (let pause = PAUSES.first; ; pause = Math.min(2 * pause, PAUSES.longest)) {
      const recent = this.#all.filter((each) => this.#isRecent(each))
      const fit = recent.filter(({ replayed }) => replayed! >= wanted)
      if (fit.length > 0) return fit[this.#turn++ % fit.length]!
      const left = end - performance.now() - pause
      if (recent.length === 0 || left <= 0) return null
      await new Promise((resolve) => setTimeout(resolve, pause))
      await inTime(this.#look(), left, () => new Error('late')).catch(() => undefined)
    }
  }

  #isRecent({ replayed, ahead }: Replica): boolean {
    const since = performance.now() - this.#limits.maxLag
    const oldest = this.#samples.find(({ at }) => at >= since)
    return ahead === null && replayed !== null && oldest !== undefined && replayed >= oldest.place
  }

  /** Looks at the replicas; requests that look at the same moment look together. */
  #look(): Promise<void> {
    this.#looking ??= withReads(undefined, () => this.#lookNow()).finally(() => {
      this.#looking = null
    })
    return this.#looking
  }

  /** Asks the primary behind the replicas, so that each that follows it has no more than it. */
  async #lookNow(): Promise<void> {
    this.#lookedAt = performance.now()
    await Promise.all(
      this.#all.map(async (each) => {
        each.replayed = await placeIn(each.database.rows(REPLAYED))
      }),
    )
    const { maxLag } = this.#limits
    const at = performance.now()
    // A few samples will do: what is between two of them counts as the older one.
    if (at - (this.#samples.at(-1)?.at ?? -Infinity) < maxLag / 8) return
    const place = await placeIn(this.#primary())
    if (place === null) return
    const kept = this.#samples.filter((sample) => sample.at >= at - maxLag)
    this.#samples = [...kept, { at, place }]
    for (const each of this.#all) {
      const { replayed, ahead } = each
      if (replayed !== null && replayed !== ahead) each.ahead = replayed > place ? replayed : null
    }
  }
}

async function placeIn(answer: Promise<Rows>): Promise<bigint | null> {
  const late = () => new Error('late')
  const rows = await inTime(answer, LOOK.atMost, late).catch(() => null)
  return placeOf(rows?.values[0]?.[0])
}
