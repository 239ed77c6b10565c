import { BoundedMap } from '../../core/std/bounded-map.ts'
import type { Statement } from '../../core/ports/database.ts'
import type { WrittenColumn } from '../../core/ports/list-source.ts'
import { keptIn, oncePer } from '../../core/std/once.ts'
import { SentRows } from '../../core/std/row-objects.ts'
import { sha256 } from '../../core/secrets/digest.ts'
import type { Execution } from '../kysely.ts'
import { OutdatedPlan } from '../pooled/failures.ts'
import type { PoolOptions } from '../pooled/open.ts'
import type { ServerDriver } from '../pooled/server-connection.ts'
import {
  type ConnectionPool,
  LONGEST_PREPARED,
  MOST_PREPARED,
  ServerPool,
} from '../pooled/server-pool.ts'
import { INTEGERS, type TextColumns, TextLayouts, checkedValues, readIn } from '../values.ts'
import { isDeadlock, isOutdatedPlan, postgresFailures } from './failures.ts'
import { INT8, type ParserOf, writtenColumn } from './value-kinds.ts'
import { type PostgresClient, type PostgresPool, markHostsStale, lastOf } from './pool.ts'
import {
  type PostgresField,
  type PostgresQuery,
  type PostgresResult,
  asTexts,
  sendTogether,
} from './query.ts'
import { columnFacts } from './table-facts.ts'

/** Characters of all texts that have names, which bounds what a server keeps for a connection. */
const CHARACTERS = 256_000
/** Texts that were seen once. */
const REMEMBERED = 1000

const byLength = { most: CHARACTERS, of: (text: string): number => text.length }

/**
 * The server keeps what is prepared under a name for as long as the connection lives, so there are not many,
 * and a text gets one when it comes the second time. Connections cannot be made to forget, as another program
 * may have the session next; one that has prepared as much as it may is replaced.
 */
export class StatementNames {
  readonly #seen = new BoundedMap<string, true>(REMEMBERED, byLength)
  readonly #names = new BoundedMap<string, string>(MOST_PREPARED, byLength)
  readonly #preparedOn = oncePer((_connection: object) => {
    return { names: new Set<string>(), characters: 0, isFull: false }
  })
  #given = 0

  /** The name of a text on a connection; `undefined`: the text runs without a name, and is forgotten. */
  nameOf(text: string, connection: object): string | undefined {
    const name = this.#names.get(text) ?? this.#newName(text)
    if (name === undefined) return undefined
    const prepared = this.#preparedOn(connection)
    if (prepared.names.has(name)) return name
    const characters = prepared.characters + text.length
    prepared.isFull ||= prepared.names.size >= MOST_PREPARED || characters > CHARACTERS
    if (prepared.isFull) return undefined
    prepared.names.add(name)
    prepared.characters = characters
    return name
  }

  forget(text: string): void {
    this.#names.delete(text)
  }

  /** Has the connection prepared as much as it may, so that a new text does not fit? */
  isFull(connection: object): boolean {
    return this.#preparedOn(connection).isFull
  }

  #newName(text: string): string | undefined {
    if (text.length > LONGEST_PREPARED) return undefined
    if (this.#seen.get(text) !== true) {
      this.#seen.set(text, true)
      return undefined
    }
    // By the text, because a pool may have other users: one name for two texts is an error.
    const name = `colophon_${sha256(text).slice(0, 32)}_${this.#given++}`
    this.#names.set(text, name)
    return name
  }
}

/** The result of a statement, or the number of its changes. */
interface PostgresAnswer {
  readonly result: PostgresResult
  /** The meaning of its values, which are texts, but for NULL; `null`: the values are those of rows. */
  readonly texts: TextColumns | null
}

/** Types that stay known. */
const KNOWN = 500

/** Asks for answers as texts. Their meaning is that of the parsers which the pool has when a type first comes. */
class Texts {
  readonly #layouts = new TextLayouts<PostgresField>(({ dataTypeID }) => dataTypeID)
  readonly #types = new BoundedMap<number, { readonly column: WrittenColumn | null }>(KNOWN)

  /** Asks a statement. The values are texts if the driver is `pg` in JavaScript; otherwise they are those of the driver. */
  async ask(client: PostgresClient, query: PostgresQuery): Promise<PostgresAnswer> {
    const answer = client.getTypeParser === undefined ? null : asTexts(client, query)
    if (answer === null) return { result: await client.query(query), texts: null }
    const result = await answer
    const columnOf = (type = 0): WrittenColumn | null => this.#columnOf(type, client)
    return { result, texts: this.#layouts.of(result.fields, columnOf) }
  }

  #columnOf(type: number, client: PostgresClient): WrittenColumn | null {
    const parserOf: ParserOf = (number, format) => client.getTypeParser!(number, format)
    return keptIn(this.#types, type, () => ({ column: writtenColumn(type, parserOf) })).column
  }
}

type NamingPoolOptions = PoolOptions<PostgresPool> & { readonly names: StatementNames | null }

/** Makes a pool. Its errors are ignored: the statement under way fails anyway. Without `names`, nothing is prepared. */
export function createServerPool({ names, ...options }: NamingPoolOptions): ConnectionPool {
  const open = async () => {
    const pool = await options.open()
    pool.on('error', ignore)
    return pool
  }
  return new ServerPool({ ...options, open }, driver(names))
}

function ignore(): void {}

function driver(
  names: StatementNames | null,
): ServerDriver<PostgresPool, PostgresClient, PostgresAnswer> {
  const texts = new Texts()
  const listened = oncePer((client: PostgresClient) => {
    client.on('error', ignore)
    return client
  })
  return {
    acquire: async (pool) => listened(await pool.connect()),
    release(client, unusable) {
      // In a pipeline `pg` waits for answers before it closes a connection, and a silent connection gives none.
      if (unusable && client.pipeline === true) client.connection?.stream.destroy()
      if (unusable) markHostsStale(client)
      client.release(unusable || names?.isFull(client) === true)
    },
    identity: (client) => client,
    run: (client, statement, inTransaction) =>
      asked(client, statement, names, inTransaction, (query) => texts.ask(client, query)),
    async send(client, text) {
      if (client.connection !== undefined) sendTogether(client.connection)
      const result = lastOf(await client.query({ text, values: [], rowMode: 'array' }))
      return { result, texts: null }
    },
    toExecution,
    columnsOf: ({ result: { fields } }, execute) => columnFacts(fields, execute),
    beginning({ isolationLevel, accessMode = '', snapshot = false }) {
      if (snapshot) return ['begin isolation level repeatable read read only']
      const isolation = isolationLevel === undefined ? '' : `isolation level ${isolationLevel}`
      return [`begin ${isolation} ${accessMode}`]
    },
    takesSeveral: true,
    pipelines: ({ pipeline }) => pipeline === true,
    checkCommit({ result: { command } }) {
      // PostgreSQL undoes a transaction in which a statement failed, and calls that a success.
      if (command === 'ROLLBACK') {
        throw new Error(
          'Nothing was kept: a statement of this transaction failed, and on PostgreSQL that undoes all of it, even where the error was caught.',
        )
      }
    },
    // Without names, a pooler may be in front, where others would get the setting. Migrations have their own connection.
    unhurried: names === null ? 'select 1' : 'set statement_timeout = 0',
    system: 'postgresql',
    gaveUp: isDeadlock,
    failures: postgresFailures,
  }
}

async function asked(
  client: PostgresClient,
  statement: Statement,
  names: StatementNames | null,
  inTransaction: boolean,
  ask: (query: PostgresQuery) => Promise<PostgresAnswer>,
): Promise<PostgresAnswer> {
  const { sql: text } = statement
  const query = { text, values: checkedValues(statement).slice(), rowMode: 'array' } as const
  const name = names?.nameOf(text, client)
  if (name === undefined) return ask(query)
  try {
    return await ask({ name, ...query })
  } catch (error) {
    if (!isOutdatedPlan(error)) throw error
    names?.forget(text)
    // Within a transaction, the statement cannot be asked again.
    if (inTransaction) throw new OutdatedPlan(error)
    return ask(query)
  }
}

function toExecution(
  { result: { command, rowCount, rows, fields, sent }, texts }: PostgresAnswer,
  { asWritten = false }: Pick<Statement, 'asWritten'>,
): Execution {
  const changes = CHANGING.has(command) ? rowCount : null
  if (texts !== null) {
    const { columns, written } = texts
    if (asWritten && sent) return Object.assign(new SentRows(columns, written, sent), { changes })
    if (asWritten) return { ...texts, values: rows, changes }
    const found = sent?.map(({ values }) => values) ?? rows
    return { columns, values: readIn(found, written, (column) => column), changes }
  }
  const columns = fields.map(({ name }) => name)
  const readingOf = ({ dataTypeID }: PostgresField) => (dataTypeID === INT8 ? INTEGERS : null)
  return { columns, values: readIn(rows, fields, readingOf), changes }
}

const CHANGING: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])
