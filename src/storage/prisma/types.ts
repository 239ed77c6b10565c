// A model of Prisma as a program sees it, by the types of its client.
import { ConfigurationError } from '../../core/errors/configuration-error.ts'
import type {
  QuerySource,
  RowStore,
  RowsByKey,
  SeekableSource,
} from '../../core/ports/list-source.ts'
import type { JSONValue } from '../../core/std/json/exact-json.ts'
import type { MaybePromise } from '../../core/std/after.ts'
import type { RelationScope } from '../../resources/serializers/tenant-references.ts'
import type { ScopeOf } from '../../core/types/resources.ts'

/** A client of Prisma, also one with extensions. */
export interface PrismaInstance {
  readonly $transaction: (...given: never[]) => unknown
}

/** The client of one transaction: what `$transaction(async (tx) => …)` gives. */
export type PrismaTransaction<Client> = Omit<
  Client,
  '$connect' | '$disconnect' | '$on' | '$use' | '$extends' | '$transaction'
>

/** The names of the models of a client: `'ticket'`. */
export type PrismaModelName<Client> = {
  [Name in keyof Client]: Client[Name] extends TypedDelegate<unknown> ? Name : never
}[keyof Client] &
  string

/** The member in which the client has the types of a model. */
interface TypedDelegate<Types> {
  readonly [symbol: symbol]: { readonly types: Types }
}

type TypesOf<Client, Model extends keyof Client> =
  Client[Model] extends TypedDelegate<infer Types> ? Types : never

/** A row, with its own fields. */
export type PrismaRowOf<Client, Model extends keyof Client> =
  TypesOf<Client, Model> extends { readonly payload: { readonly scalars: infer Row } } ? Row : never

/** The values of a new row, in the form of `createMany`. */
export type PrismaValuesOf<Client, Model extends keyof Client> =
  TypesOf<Client, Model> extends {
    readonly operations: { readonly createMany: { readonly args: { data: infer Data } } }
  }
    ? TakingJson<Exclude<Data, readonly unknown[]>, PrismaRowOf<Client, Model>>
    : never

/** A field of Json takes what `field.json` gives: `null` is NULL. */
type TakingJson<Data, Row> = {
  [Name in keyof Data]:
    | Data[Name]
    | (Name extends keyof Row
        ? [string | number | boolean] extends [Row[Name]]
          ? JSONValue
          : never
        : never)
}

/** The values of a change, also for a model with a required field of an `Unsupported` type, which Prisma makes no rows of. */
type ChangesOf<Client, Model extends keyof Client> = [PrismaValuesOf<Client, Model>] extends [never]
  ? TypesOf<Client, Model> extends {
      readonly operations: { readonly updateMany: { readonly args: { data: infer Data } } }
    }
    ? Data
    : never
  : Partial<PrismaValuesOf<Client, Model>>

type WhereOf<Client, Model extends keyof Client> =
  TypesOf<Client, Model> extends {
    readonly operations: { readonly findMany: { readonly args: { where?: infer Asked } } }
  }
    ? NonNullable<Asked>
    : never

/** Rows of another model that belong to those of this one, by the name of the relation in the schema. */
export interface PrismaRelation {
  /** Their fields that a list may be searched and filtered by. */
  readonly columns: readonly string[]
  /** A `where` of Prisma for the rows that count. @default all */
  readonly only?: object
  /** The scope of a resource for these rows by fields, as for `sqlTable`. @default fields of the same names */
  readonly scope?: RelationScope
}

/** Relations by their names in the schema. */
export type PrismaRelations = Readonly<Record<string, PrismaRelation>>

/** Options for a model. */
export interface PrismaTableOptions<
  Client extends PrismaInstance,
  Model extends PrismaModelName<Client>,
  Key extends keyof PrismaRowOf<Client, Model> & string,
  Relations extends PrismaRelations = PrismaRelations,
> {
  /** The client, which runs all statements. */
  readonly prisma: Client
  /** The client's name of the model: `'ticket'` for `prisma.ticket`. */
  readonly model: Model
  /** A field with `@id` or `@unique`. */
  readonly key: Key
  /** A condition for the rows of the model: `{ deletedAt: null }`. @default all */
  readonly only?: WhereOf<Client, Model>
  /** Relations of the schema that lists can be searched and filtered by. @default none */
  readonly relations?: Relations
}

/** A text stands for the key that it writes out, as in an address. */
type KeyOf<Row, Key extends keyof Row> = Row[Key] | string

/** A list of a model. */
export type PrismaSource<Row, Field extends string> = QuerySource<Row, Field> &
  SeekableSource<Row, Field>

/** A model of Prisma, for resources and for code of your own. */
export interface PrismaTable<
  Client,
  Model extends keyof Client,
  Key extends keyof PrismaRowOf<Client, Model> & string,
  Related extends string = never,
> extends RowStore<
  PrismaRowOf<Client, Model>,
  KeyOf<PrismaRowOf<Client, Model>, Key>,
  PrismaValuesOf<Client, Model>,
  ChangesOf<Client, Model>,
  PrismaSource<PrismaRowOf<Client, Model>, (keyof PrismaRowOf<Client, Model> & string) | Related>
> {
  readonly key: Key
  readonly find: (
    key: KeyOf<PrismaRowOf<Client, Model>, Key>,
  ) => Promise<PrismaRowOf<Client, Model> | null>
  /** Finds rows to embed in others, as for `sqlTable`. */
  readonly manyByKey: RowsByKey<PrismaRowOf<Client, Model>>['manyByKey']
  /** The same model with fewer rows: written rows must be among them. */
  only(where: WhereOf<Client, Model>): PrismaTable<Client, Model, Key, Related>
  /** The same model within a transaction of Prisma. */
  in(transaction: PrismaTransaction<Client>): PrismaTable<Client, Model, Key, Related>
  /** Works on the same model in a transaction of its own. */
  inTransaction<Result>(
    work: (
      transaction: PrismaTransaction<Client>,
      table: PrismaTable<Client, Model, Key, Related>,
    ) => MaybePromise<Result>,
  ): Promise<Result>
  /** The rows that have these values, as of `sqlTable`: a list is "one of these". */
  within<V extends ScopeOf<PrismaRowOf<Client, Model>>>(
    values: V,
  ): PrismaTable<Client, Model, Key, Related>
}

export type PrismaRow = Readonly<Record<string, unknown>>

/** The client's operations on a model. */
export interface Delegate {
  findFirst(given: PrismaRow): Promise<PrismaRow | null>
  findMany(given: PrismaRow): Promise<readonly PrismaRow[]>
  count(given: PrismaRow): Promise<number>
  create(given: PrismaRow): Promise<PrismaRow>
  createMany(given: PrismaRow): Promise<unknown>
  update(given: PrismaRow): Promise<PrismaRow>
  delete(given: PrismaRow): Promise<PrismaRow>
}

/** The client of Prisma, or of one of its transactions, with the names that are used here. */
export interface KnownClient {
  readonly _clientVersion?: string
  readonly _activeProvider?: string
  readonly _runtimeDataModel?: {
    readonly models: Readonly<Record<string, ModelData>>
  }
  $transaction?<T>(work: (client: KnownClient) => Promise<T>): Promise<T>
  $queryRawUnsafe(sql: string, ...values: readonly unknown[]): Promise<readonly PrismaRow[]>
}

export interface ModelData {
  readonly dbName: string | null
  readonly schema: string | null
  readonly fields: readonly FieldData[]
}

export interface FieldData {
  readonly name: string
  readonly kind: string
  readonly type: string
  readonly dbName?: string
}

const PROVIDERS = ['sqlite', 'postgresql', 'mysql']

export function dataOf(client: KnownClient): {
  readonly data: NonNullable<KnownClient['_runtimeDataModel']>
  readonly provider: string
} {
  const {
    _clientVersion: version,
    _activeProvider: provider = '',
    _runtimeDataModel: data,
  } = client
  if (data === undefined || version?.startsWith('7.') !== true)
    throw new ConfigurationError(
      `prismaTable(): "prisma" is ${version === undefined ? 'no client' : `a client of Prisma ${version}`}. It takes a PrismaClient of Prisma 7.`,
    )
  if (PROVIDERS.includes(provider)) return { data, provider }
  throw new ConfigurationError(
    `prismaTable(): the provider of the schema is "${provider}". It takes: ${PROVIDERS.join(', ')}.`,
  )
}

/** The models by their names in the schema. @throws ConfigurationError the client is of another kind */
export function modelsOf(client: KnownClient): Readonly<Record<string, ModelData>> {
  return dataOf(client).data.models
}

/** `prisma.ticket` is the model `Ticket`. */
export function propertyOf(model: string): string {
  return model.slice(0, 1).toLowerCase() + model.slice(1)
}
