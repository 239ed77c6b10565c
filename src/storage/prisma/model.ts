// A model of Prisma: its fields, what their values mean, and what the client says of it.
import { ConfigurationError } from '../../core/errors/configuration-error.ts'
import { uuidValue } from '../../resources/lists/filter-values.ts'
import { isInvalid, unlessAway } from './failures.ts'
import {
  type Delegate,
  type FieldData,
  type KnownClient,
  type ModelData,
  type PrismaRow,
  dataOf,
  propertyOf,
} from './types.ts'

export interface PrismaField {
  readonly name: string
  readonly type: string
  readonly column: string
  readonly isEnum: boolean
  /** The earliest point in time: adapters of MySQL read years that begin with zeros as others. */
  readonly earliest: number
}

/** A server's catalogue about a column. */
interface ColumnFacts {
  readonly type: string
  /** Digits of a second. */
  readonly digits: number | null
  readonly collation: string | null
  readonly length: number | null
  /** Does the column take different texts for the same, and refer to no key? */
  readonly isLoose: boolean
}

const COMPARED: ReadonlySet<string> = new Set(['Int', 'BigInt', 'Float', 'Decimal', 'DateTime'])
export const FILTERED: ReadonlySet<string> = new Set([...COMPARED, 'String', 'Boolean'])

export class PrismaModel {
  readonly name: string
  readonly provider: string
  /** The table as SQL writes it. */
  readonly table: string
  readonly fields: ReadonlyMap<string, PrismaField>
  readonly relations: ReadonlyMap<string, PrismaModel>
  readonly #client: KnownClient
  readonly #data: ModelData
  readonly #property: string
  readonly #answers = new Map<string, Promise<unknown>>()
  readonly #names = new Set<string>()

  /** @throws ConfigurationError it is no model of this client, or the client is of another kind */
  constructor(
    client: KnownClient,
    property: string,
    known: Map<string, PrismaModel> = new Map<string, PrismaModel>(),
  ) {
    const { data, provider } = dataOf(client)
    const name = Object.keys(data.models).find((each) => propertyOf(each) === property)
    if (name === undefined)
      throw new ConfigurationError(
        `prismaTable(): the client has no model "${property}". It has: ${Object.keys(data.models).map(propertyOf).join(', ')}.`,
      )
    known.set(name, this)
    this.name = name
    this.provider = provider
    this.#client = client
    this.#property = property
    this.#data = data.models[name]!
    this.table = this.#data.dbName ?? name
    const isScalar = ({ kind }: FieldData): boolean => kind === 'scalar' || kind === 'enum'
    this.fields = new Map(
      this.#data.fields.filter(isScalar).map((each) => [each.name, fieldOf(each, provider)]),
    )
    this.relations = new Map(
      this.#data.fields
        .filter(({ kind }) => kind === 'object')
        .map(({ name: relation, type }) => [
          relation,
          known.get(type) ?? new PrismaModel(client, propertyOf(type), known),
        ]),
    )
  }

  /** @throws ConfigurationError there is no such field */
  field(name: string): PrismaField {
    const field = this.fields.get(name)
    if (field !== undefined) return field
    throw new ConfigurationError(
      `The model "${this.name}" of Prisma has no field "${name}". It has: ${[...this.fields.keys()].join(', ')}.`,
    )
  }

  /** The field of a column, by its name in the database. */
  byColumn(column: string): PrismaField | undefined {
    return [...this.fields.values()].find((each) => each.column === column)
  }

  in(client: KnownClient): Delegate {
    const delegate = (client as unknown as Readonly<Record<string, Delegate>>)[this.#property]!
    return new Proxy(delegate, {
      get:
        (_, verb: keyof Delegate) =>
        (given: PrismaRow): Promise<unknown> =>
          unlessAway(delegate[verb](given)),
    })
  }

  /** Keeps an answer, but no failure: the client may be out of reach only now. */
  #once<T>(question: string, ask: () => Promise<T>): Promise<T> {
    const known = this.#answers.get(question) as Promise<T> | undefined
    if (known !== undefined) return known
    const asked = ask()
    this.#answers.set(question, asked)
    asked.catch(() => this.#answers.delete(question))
    return asked
  }

  /** Does Prisma take the question? Nothing is read (`take: 0`). */
  takes(question: PrismaRow): Promise<boolean> {
    return this.#once(JSON.stringify(question), () => this.#try(question))
  }

  isNullable({ name }: PrismaField): Promise<boolean> {
    return this.takes({ where: { [name]: null } })
  }

  /** Has the enumeration this name? A client of Prisma does not know them, but refuses others. */
  async hasName({ name, type }: PrismaField, value: unknown): Promise<boolean> {
    const known = `${type} ${String(value)}`
    if (this.#names.has(known)) return true
    const isName = typeof value === 'string' && (await this.#try({ where: { [name]: value } }))
    if (isName) this.#names.add(known)
    return isName
  }

  async #try(question: PrismaRow): Promise<boolean> {
    try {
      await this.in(this.#client).findMany({ ...question, take: 0 })
      return true
    } catch (error) {
      if (isInvalid(error)) return false
      throw error
    }
  }

  /** A transaction is asked for all of the catalogue before it can have failed, on what may be the only connection. */
  async learn(client: KnownClient): Promise<void> {
    if (client === this.#client) return
    await this.columns(client)
    await this.constraints(client)
  }

  /** The declared types of SQLite's columns. */
  columns(client: KnownClient = this.#client): Promise<ReadonlyMap<string, ColumnFacts>> {
    return this.#once('columns', () => this.#readColumns(client))
  }

  /** Columns of the constraints of a server, by their names. */
  constraints(client: KnownClient = this.#client): Promise<ReadonlyMap<string, readonly string[]>> {
    return this.#once('constraints', () => this.#readConstraints(client))
  }

  /** Can the column have it? PostgreSQL has types that Prisma does not tell apart, and fails on other values. */
  async holds({ column }: PrismaField, value: unknown): Promise<boolean> {
    if (this.provider !== 'postgresql') return true
    const type = (await this.columns()).get(column)?.type
    if (type === 'uuid') return uuidValue(value) !== undefined
    return type !== 'smallint' || Math.abs(Number(value) + 0.5) < 2 ** 15
  }

  /** Are all points in time written as the adapter does it? SQLite compares them as they are written. */
  async isUniform({ column }: PrismaField): Promise<boolean> {
    if (this.provider !== 'sqlite') return true
    const name = this.quoted(column)
    const digits = (count: number): string => '[0-9]'.repeat(count)
    const form = `${digits(4)}-${digits(2)}-${digits(2)}T${digits(2)}:${digits(2)}:${digits(2)}.${digits(3)}+00:00`
    const asked = this.#client.$queryRawUnsafe(
      `select 1 as one from ${this.quoted(this.table)} where ${name} is not null
        and (typeof(${name}) <> typeof(?) or (typeof(${name}) = 'text' and ${name} not glob '${form}')) limit 1`,
      new Date(0),
    )
    // A table that is not there yet has no point in time of another form.
    const rows = await asked.catch((error: unknown) => {
      if (/no such (?:table|column)/.test(String(error))) return []
      throw error
    })
    return rows.length === 0
  }

  async #readConstraints(client: KnownClient): Promise<ReadonlyMap<string, readonly string[]>> {
    if (this.provider === 'sqlite') return new Map()
    const asked = client.$queryRawUnsafe(
      `select constraint_name as name, column_name as part from information_schema.key_column_usage
        where table_name = ${this.place} and table_schema = ${this.schema} order by ordinal_position`,
      this.table,
    )
    const parts = Map.groupBy(await unlessAway(asked), ({ name }) => String(name))
    return new Map([...parts].map(([name, rows]) => [name, rows.map(({ part }) => String(part))]))
  }

  async #readColumns(client: KnownClient): Promise<ReadonlyMap<string, ColumnFacts>> {
    const asked = client.$queryRawUnsafe(
      this.provider === 'sqlite'
        ? COLUMNS_OF_SQLITE
        : `select column_name as name, data_type as type, datetime_precision as digits, collation_name as collation,
            character_maximum_length as length, ${LOOSE[this.provider]} and not exists ${KEYS[this.provider]} as loose
          from information_schema.columns as c
          where table_name = ${this.place} and table_schema = ${this.schema}`,
      this.table,
    )
    const rows = await unlessAway(asked)
    if (rows.length === 0) this.#answers.delete('columns')
    return new Map(
      rows.map(({ name, type, digits, collation, length, loose }) => [
        String(name),
        {
          type: String(type),
          digits: numberOr(digits),
          collation: typeof collation === 'string' ? collation : null,
          length: numberOr(length),
          isLoose: Number(loose) === 1,
        },
      ]),
    )
  }

  /** The placeholder for the one value of a statement. */
  get place(): string {
    return this.provider === 'postgresql' ? '$1' : '?'
  }

  /** The schema that the table is in, as an expression. */
  get schema(): string {
    const { schema } = this.#data
    if (this.provider === 'mysql') return 'database()'
    return schema === null ? 'current_schema()' : `'${schema.replaceAll("'", "''")}'`
  }

  quoted(name: string): string {
    return this.provider === 'mysql'
      ? `\`${name.replaceAll('`', '``')}\``
      : `"${name.replaceAll('"', '""')}"`
  }

  /** Locks the row, so that nothing else changes it before the transaction is over. */
  async lock(client: KnownClient, field: PrismaField, value: unknown): Promise<void> {
    // A transaction of SQLite writes alone.
    if (this.provider === 'sqlite') return
    const { schema } = this.#data
    const table = [...(schema === null ? [] : [schema]), this.table].map((each) =>
      this.quoted(each),
    )
    // Asked before the transaction began: within it, each would wait for one more connection.
    const isCast =
      this.provider === 'postgresql' && (await this.columns()).get(field.column)?.type === 'uuid'
    await client.$queryRawUnsafe(
      `select 1 as one from ${table.join('.')} where ${this.quoted(field.column)} = ${this.place}${isCast ? '::uuid' : ''} for update`,
      value,
    )
  }
}

/** Its collation takes different texts for the same, or ignores spaces at the end; of PostgreSQL, also texts like citext. */
const LOOSE: Readonly<Record<string, string>> = {
  mysql: `(collation_name not like '%nopad\\_bin' and collation_name not like '%0900\\_bin')`,
  postgresql: `(data_type = 'USER-DEFINED' and exists (select from pg_catalog.pg_type where typname = c.udt_name and typcategory = 'S')
    or exists (select from pg_catalog.pg_collation where collname = c.collation_name and not collisdeterministic))`,
}

/** The column alone is a key, or refers to one by the same collation, which then has one of those texts at most. */
const KEYS: Readonly<Record<string, string>> = {
  mysql: `(select 1 from information_schema.key_column_usage as k
    where k.table_name = c.table_name and k.table_schema = c.table_schema and k.column_name = c.column_name
      and 1 = (select count(*) from information_schema.key_column_usage as o where o.table_name = k.table_name and o.table_schema = k.table_schema
        and o.constraint_name = k.constraint_name)
      and exists (select 1 from information_schema.statistics as s
        where s.table_schema = coalesce(k.referenced_table_schema, k.table_schema)
          and s.table_name = coalesce(k.referenced_table_name, k.table_name) and s.non_unique = 0
        group by s.index_name having count(*) = 1 and min(s.column_name) = coalesce(k.referenced_column_name, k.column_name)))`,
  postgresql: `(select from pg_catalog.pg_constraint as k
    join pg_catalog.pg_attribute as a on a.attrelid = k.conrelid and k.conkey = array[a.attnum]
    left join pg_catalog.pg_attribute as r on r.attrelid = k.confrelid and k.confkey = array[r.attnum]
    where k.conrelid = to_regclass(format('%I.%I', c.table_schema, c.table_name)) and a.attname = c.column_name
      and (k.contype in ('p', 'u') or k.contype = 'f' and k.convalidated and r.atttypid = a.atttypid and r.attcollation = a.attcollation))`,
}

/** Only what is declared with another collation than that of bytes: the words of the table show it. A view has those of any. */
const COLUMNS_OF_SQLITE = `select t.name, '' as type, exists (select 1 from sqlite_schema as o where case s.type
    when 'view' then o.type <> 'index' and o.sql like '%collate%'
    else o.rowid = s.rowid and o.sql like '%' || t.name || '%collate%' end) as loose
  from sqlite_schema as s, pragma_table_info(s.name) as t where s.name = ? collate nocase and s.type in ('table', 'view')`

function fieldOf({ name, type, kind, dbName = name }: FieldData, provider: string): PrismaField {
  const earliest = provider === 'mysql' ? Date.UTC(1000, 0, 1) : -Infinity
  return { name, type, column: dbName, isEnum: kind === 'enum', earliest }
}

function numberOr(value: unknown): number | null {
  return value == null ? null : Number(value)
}
