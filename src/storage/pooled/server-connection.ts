import type { TransactionSettings } from 'kysely'
import type { ColumnFacts, Statement } from '../../core/ports/database.ts'
import { DatabaseUnavailable } from '../../core/errors/storage-errors.ts'
import { ConnectionLost } from '../sql/sql-database.ts'
import { origins } from '../../core/std/statements.ts'
import { tellingOf } from '../statement-reports.ts'
import { inTime } from '../../core/std/deadlines.ts'
import type { Execution } from '../kysely.ts'
import { ATTEMPTS, pauseBehind } from '../database.ts'
import { ConnectionSilent, type ServerFailures } from './failures.ts'

export interface Beginning extends TransactionSettings {
  /** It reads only, and all of its reads see the same state. */
  readonly snapshot?: boolean
}

const count = ({ changes, values }: Execution): number => changes ?? values.length

/** The differences between drivers. */
export interface ServerDriver<Pool, Client, Result> {
  /** Its name in `AskedStatement`. */
  readonly system: string
  acquire(pool: Pool): Promise<Client>
  /** Gives a connection back to the pool; an unusable one is closed at once. */
  release(client: Client, unusable: boolean): void
  /** An object that is the same whenever the same connection is acquired. */
  identity(client: Client): object
  /** Runs a statement, which is prepared where that is worth it. */
  run(client: Client, statement: Statement, inTransaction: boolean): Promise<Result>
  /** Sends commands as text, since not every command can be prepared. Returns the result of the last one. */
  send(client: Client, commands: string): Promise<Result>
  toExecution(result: Result, statement: Statement): Execution
  /** Describes the columns of a result; `execute` asks the catalogue. */
  columnsOf(
    result: Result,
    execute: (question: Statement) => Promise<Execution>,
  ): Promise<readonly ColumnFacts[]>
  beginning(beginning: Beginning): readonly string[]
  /** May several commands be sent as one? */
  readonly takesSeveral: boolean
  /** Do statements travel before those in front of them are answered? @default they do not */
  pipelines?(client: Client): boolean
  /** @throws Error the server undid the transaction instead */
  checkCommit?(result: Result): void
  /** The command that lifts all limits of time. */
  readonly unhurried: string
  /** Does the error say that the server has undone a statement, or its transaction, for another one? */
  gaveUp(error: object): boolean
  readonly failures: ServerFailures
}

/**
 * Outside of a transaction such a statement is undone as a whole where the server gives it up for another one, as in a deadlock or
 * when a cluster of Galera certifies it: it runs again. A procedure of an application may have committed a part before.
 */
const UNDONE_WHOLE = /^(?:select|insert|update|delete|replace|with)\b/i

interface Line {
  readonly place: string
  readonly patience: number
  readonly release: (unusable: boolean) => void
}

export type PooledConnection = Omit<ServerConnection<never, never>, 'lost' | 'asked' | 'answered'>

/** Every question is answered in time, or the connection is given up. */
export class ServerConnection<Client, Result> {
  readonly #client: Client
  readonly #driver: ServerDriver<never, Client, Result>
  readonly #line: Line
  #patience: number
  #unhurried = false
  #inTransaction = false
  /** Have all statements alone been such as are undone as a whole? Any other, such as `set`, may have begun a transaction. */
  #isPlain = true
  /** Did its transaction begin as one that reads only? */
  #readsOnly = false
  /** Questions that have no answer yet, and the last of them. */
  #underway = 0
  #last: Promise<unknown> | null = null
  /** Why nothing more can be asked. */
  lost: ConnectionLost | null = null
  /** When the last question was sent, and when the last answer came. */
  asked = 0
  answered = 0

  constructor(client: Client, driver: ServerDriver<never, Client, Result>, line: Line) {
    this.#client = client
    this.#driver = driver
    this.#line = line
    this.#patience = line.patience
  }

  get pipelines(): boolean {
    return this.#driver.pipelines?.(this.#client) === true
  }

  execute(statement: Statement): Promise<Execution> {
    this.#isPlain &&= UNDONE_WHOLE.test(statement.sql)
    return this.#attempt(statement, 1)
  }

  async #attempt(statement: Statement, attempt: number): Promise<Execution> {
    const isAlone = this.#isPlain && !this.#inTransaction
    try {
      return await this.#telling(statement, async () =>
        this.#driver.toExecution(await this.#run(statement), statement),
      )
    } catch (error) {
      if (!isAlone || attempt === ATTEMPTS || !this.#gaveUp(error)) throw error
    }
    await pauseBehind(attempt)
    return this.#attempt(statement, attempt + 1)
  }

  #gaveUp(error: unknown): boolean {
    const cause = error instanceof DatabaseUnavailable ? error.cause : error
    return cause instanceof Error && this.#driver.gaveUp(cause)
  }

  async describe(statement: Statement): Promise<readonly ColumnFacts[]> {
    const result = await this.#run(statement)
    return this.#driver.columnsOf(result, (question) => this.execute(question))
  }

  async begin(beginning: Beginning): Promise<void> {
    this.#inTransaction = true
    this.#readsOnly = beginning.snapshot === true || beginning.accessMode === 'read only'
    for (const command of this.#driver.beginning(beginning)) await this.#send(command)
  }

  /** Begins a snapshot with its first statement, in one trip where the server takes both at once. */
  async beginWith(first: Statement): Promise<Execution> {
    if (this.#driver.takesSeveral && first.parameters.length === 0) {
      this.#inTransaction = true
      this.#readsOnly = true
      const commands = [...this.#driver.beginning({ snapshot: true }), first.sql]
      return this.#telling(first, async () =>
        this.#driver.toExecution(await this.#send(commands.join('; ')), first),
      )
    }
    await this.begin({ snapshot: true })
    return this.execute(first)
  }

  /** Commits; rejects where nothing, or not everything, was kept. */
  async commit(): Promise<void> {
    const result = await this.#send('commit')
    this.#end()
    this.#driver.checkCommit?.(result)
  }

  async rollback(): Promise<void> {
    await this.#send('rollback')
    this.#end()
  }

  #end(): void {
    this.#inTransaction = false
    this.#readsOnly = false
  }

  /** Lifts all limits of time for migrations. The connection is closed when it is released. */
  async unhurry(): Promise<void> {
    await this.#send(this.#driver.unhurried)
    this.#patience = Infinity
    this.#unhurried = true
  }

  /** Gives later questions up after so many milliseconds, unless they would be given up sooner. */
  hurry(milliseconds: number): void {
    this.#patience = Math.min(this.#patience, milliseconds)
  }

  /** Gives the connection back; one that is broken, or in an unknown state, is closed instead. */
  release(unusable = false): void {
    this.#line.release(unusable || this.lost !== null || this.#unhurried)
  }

  #telling({ sql }: Statement, ask: () => Promise<Execution>): Promise<Execution> {
    const tell = origins.getStore()?.tell
    const { system } = this.#driver
    return tell === undefined ? ask() : tellingOf(tell, { system, sql, count }, ask)
  }

  #run(statement: Statement): Promise<Result> {
    return this.#ask(() => this.#driver.run(this.#client, statement, this.#inTransaction))
  }

  #send(commands: string): Promise<Result> {
    return this.#ask(() => this.#driver.send(this.#client, commands))
  }

  async #ask<T>(question: () => Promise<T>): Promise<T> {
    if (this.lost !== null) throw this.lost
    this.asked = performance.now()
    const before = this.#underway++ === 0 ? null : this.#last
    try {
      const answer = await (this.#last = this.#patiently(question(), before))
      this.answered = performance.now()
      return answer
    } catch (error) {
      const options = { readsOnly: this.#readsOnly }
      const failure = this.#driver.failures.translated(error, this.#line.place, options)
      if (failure instanceof ConnectionLost) this.lost = failure
      throw failure
    } finally {
      this.#underway--
    }
  }

  /** Limits the time of a question, which begins when the server has answered the question before. */
  #patiently<T>(answer: Promise<T>, before: Promise<unknown> | null): Promise<T> {
    const patience = this.#patience
    const late = () => new ConnectionSilent(this.#line.place, patience)
    const watched = (): Promise<T> => inTime(answer, patience, late)
    if (before === null) return watched()
    // The failure is thrown once the time of the question has begun.
    answer.catch(() => undefined)
    return before.then(watched, (error: unknown) => {
      if (error instanceof ConnectionSilent) throw error
      return watched()
    })
  }
}
