// Prisma models over the tables of a database: facts from their client, and further ones from the text of the schema.
import { ConfigurationError } from '../../../core/errors/configuration-error.ts'
import { checkInDatabase } from '../../../storage/prisma/conditions.ts'
import { PrismaModel } from '../../../storage/prisma/model.ts'
import { checkOrdered } from '../../../storage/prisma/steps.ts'
import { type KnownClient, modelsOf, propertyOf } from '../../../storage/prisma/types.ts'
import { FOREIGN, type FoundTable, plainly } from '../../../storage/sql/schema-reader.ts'
import { CommandFailed } from '../terminal.ts'
import { fileText, memberName, sourceLiteral, storeText } from './code.ts'
import {
  AS,
  type OverSchema,
  type OwnColumn,
  type OwnColumns,
  type TheirPlace,
  theirModule,
  madeBy,
  moduleBeside,
} from './over.ts'
import type { Plan } from './plan.ts'

/** The members of the client beside those that stores use. */
interface Client extends KnownClient {
  readonly _engineConfig?: { readonly inlineSchema?: string }
  $disconnect(): Promise<void>
}

/** A model, with facts that its client does not give. */
interface Described {
  readonly model: PrismaModel
  readonly property: string
  readonly columns: OwnColumns
  /** Fields that a store can find its rows by, the `@id` first. */
  readonly keys: readonly string[]
  readonly unordered: ReadonlySet<string>
}

/** @throws CommandFailed the module exports no client, or a client of another kind of database */
export async function overPrisma(place: TheirPlace): Promise<OverSchema> {
  const [name, client] = clientIn(await theirModule(place, UNMADE), place.path)
  const { _activeProvider: provider } = client
  if (provider !== place.dialect.toLowerCase())
    throw new CommandFailed(
      `The provider of the schema is ${provider}, and the database is ${place.dialect}.`,
    )
  const models = await describedIn(client)
  const of = (table: FoundTable) => models.get(table.name) ?? models.get(`public.${table.name}`)
  return {
    absenceOf: (table) => absenceOf(of(table)),
    columnsOf: (table) => checked(table, of(table)!),
    refined: (table) => refined(table, of(table)!),
    storesFile: (plan) => storesFile(plan, (table) => of(table)!.property, [name, place]),
  }
}

const UNMADE = ' If it is the client that is missing, make it first: npx prisma generate.'

function clientIn(
  module: Readonly<Record<string, unknown>>,
  path: string,
): readonly [string, Client] {
  const found = Object.entries(module).find(
    ([, value]) =>
      typeof value === 'object' &&
      value !== null &&
      Reflect.get(value, '_runtimeDataModel') !== undefined,
  )
  if (found !== undefined) return found as [string, Client]
  throw new CommandFailed(
    `${path} exports no client of Prisma, such as: export const prisma = new PrismaClient({ adapter }).`,
  )
}

/** The models by table. */
async function describedIn(client: Client): Promise<ReadonlyMap<string, Described>> {
  const known = modelsOf(client)
  const { _engineConfig: config } = client
  const schema = config?.inlineSchema?.replaceAll(COMMENTS, '$1')
  if (schema === undefined)
    throw new CommandFailed('The client does not have its schema, as those of Prisma 7.10 do.')
  try {
    const models = Object.entries(known).map(async ([name, data]) => {
      const model = new PrismaModel(client, propertyOf(name))
      const table = `${data.schema === null ? '' : `${data.schema}.`}${model.table}`
      return [table, await describe(model, schema)] as const
    })
    return new Map(await Promise.all(models))
  } finally {
    await client.$disconnect()
  }
}

const COMMENTS = /("(?:[^"\\\n]|\\.)*")|\/\/.*$/gm

async function describe(model: PrismaModel, schema: string): Promise<Described> {
  const declared = declaredIn(schema, model.name)
  const columns = declared.flatMap((each) => ownColumn(each, model, schema))
  const unordered = new Set<string>()
  for (const { name, attributes, type } of declared) {
    const isAsked = model.fields.has(name) && (type === 'DateTime' || SINGLE.test(attributes))
    if (isAsked && !(await isOrdered(model, name))) unordered.add(name)
  }
  const keys = declared
    .filter(({ name, type, form, attributes }) => {
      const isKey = SINGLE.test(attributes) && KEYS.has(type) && form === ''
      return isKey && !unordered.has(name)
    })
    .toSorted((one, other) => Number(isId(other)) - Number(isId(one)))
    .map(({ name }) => name)
  const property = propertyOf(model.name)
  return { model, property, columns: new Map(columns), keys, unordered }
}

const SINGLE = /(?:^|\s)@(?:id|unique)\b/
const KEYS: ReadonlySet<string> = new Set(['Int', 'BigInt', 'String'])
const isId = ({ attributes }: Declared): boolean => /(?:^|\s)@id\b/.test(attributes)

/** Runs the check of a store before the service starts. */
async function isOrdered(model: PrismaModel, name: string): Promise<boolean> {
  try {
    checkOrdered(model, name)
    await checkInDatabase(model, name, 'order')
    return true
  } catch (error) {
    if (error instanceof ConfigurationError) return false
    throw error
  }
}

/** A line of a model. */
interface Declared {
  readonly name: string
  readonly type: string
  readonly form: '' | '?' | '[]'
  /** The attributes, with their texts emptied. */
  readonly attributes: string
  /** The name in `@map`, else that of the field. */
  readonly column: string
}

function declaredIn(schema: string, model: string): readonly Declared[] {
  return linesOf(schema, 'model', model).flatMap((line) => {
    const [, name, type, form = '', rest = ''] = DECLARED.exec(line) ?? []
    if (name === undefined || type === undefined) return []
    const [, column = name] = /@map\((?:name:\s*)?"([^"]*)"/.exec(rest) ?? []
    const attributes = rest.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""')
    return { name, type, form: form as Declared['form'], attributes, column }
  })
}

const DECLARED = /^(\w+)\s+(\w+)(?:\("[^"]*"\))?(\[\]|\?)?(.*)$/

function linesOf(schema: string, kind: 'model' | 'enum', name: string): readonly string[] {
  const block = new RegExp(String.raw`^\s*${kind}\s+${name}\s*\{([^]*?)^\s*\}`, 'm')
  const [, body = ''] = block.exec(schema) ?? []
  return body.split('\n').map((line) => line.trim())
}

/** A field of a type that Prisma does not support counts too, as new rows may need it. */
function ownColumn(
  { name, type, form, attributes, column }: Declared,
  model: PrismaModel,
  schema: string,
): readonly [string, OwnColumn][] {
  const field = model.fields.get(name)
  if (field === undefined && type !== 'Unsupported') return []
  const values = field?.isEnum ? namesIn(schema, type) : null
  const scalar: OwnColumn['valueOf'] = (value) => {
    if (values !== null) return { ...CHOICE, values }
    // SQLite has columns of this type with points in time.
    return value.kind === 'date' && DAY.test(attributes) ? value : (OF[type]?.(value) ?? FOREIGN)
  }
  const isMade = /@(?:default|updatedAt)\b/.test(attributes)
  const own: OwnColumn = {
    property: name,
    nullable: form === '?',
    // A missing list is an empty one. A row needs a value for a field that Prisma does not support, and no one can give it.
    filledAs:
      field === undefined && form === '' && !isMade ? () => 'no' : madeBy(isMade || form === '[]'),
    valueOf(value) {
      if (form !== '[]') return scalar(value)
      return value.kind === 'list' ? { ...value, of: scalar(value.of) } : FOREIGN
    },
  }
  return [[field?.column ?? column, own]]
}

const DAY = /@db\.Date\b/
const CHOICE = { kind: 'choice', read: '', written: '' } as const

function namesIn(schema: string, type: string): readonly string[] {
  return linesOf(schema, 'enum', type).flatMap((line) => /^\w+/.exec(line) ?? [])
}

const OF: Readonly<Record<string, OwnColumn['valueOf']>> = {
  String: AS.string,
  Int: (value) =>
    value.kind === 'integer' || value.kind === 'bigInteger'
      ? AS.number(value)
      : plainly({ kind: 'integer' }, 'number'),
  BigInt: AS.bigint,
  Float: () => plainly({ kind: 'float' }, 'number'),
  Decimal: (value) =>
    value.kind === 'decimal'
      ? value
      : plainly({ kind: 'decimal', digits: null, places: null }, 'string'),
  Boolean: AS.boolean,
  Json: AS.json,
  DateTime: (value) => (value.kind === 'time' ? FOREIGN : AS.date(value)),
}

/** The reason why `prismaTable` would refuse the model. */
function absenceOf(described: Described | undefined): string | null {
  if (described === undefined) return 'the schema has no such model'
  return described.keys.length > 0
    ? null
    : 'prismaTable needs a single field with @id or @unique, of Int, BigInt or String'
}

function checked({ name, columns }: FoundTable, { columns: own }: Described): OwnColumns {
  for (const [column, { property }] of own)
    if (columns.every((each) => each.name !== column))
      throw new CommandFailed(
        `The field "${property}" of the schema is not in the table ${name} of the database. Bring both together, with prisma db pull for one.`,
      )
  return own
}

/** The table with the keys that Prisma knows. */
function refined(table: FoundTable, { keys, unordered }: Described): FoundTable {
  const [id, ...others] = keys
  const together = [table.primaryKey, ...table.unique].filter(({ length }) => length > 1)
  const coarse = table.columns.filter(({ name }) => unordered.has(name)).map(({ name }) => name)
  return {
    ...table,
    columns: table.columns.map((column) =>
      unordered.has(column.name) ? { ...column, isOrdered: false } : column,
    ),
    primaryKey: [id!],
    unique: [...others.map((name) => [name]), ...together],
    notes: [
      ...table.notes,
      ...(coarse.length === 0 ? [] : [`Prisma cannot order by ${coarse.join(', ')} exactly`]),
    ],
  }
}

function storesFile(
  { resources }: Plan,
  modelOf: (table: FoundTable) => string,
  [name, place]: readonly [string, TheirPlace],
): string {
  const as = name === 'prisma' ? '' : `${memberName(name)} as `
  const what = name === 'default' ? 'prisma' : `{ ${as}prisma }`
  return fileText(
    [
      "import { prismaTable } from 'colophon/prisma'",
      "import { openDatabase } from 'colophon/sql'",
      `import ${what} from ${sourceLiteral(moduleBeside(place))}`,
    ],
    [
      '/** Of users and tokens: the database that `DATABASE_URL` names. A file is another one than that of Prisma. */',
      'export const database = openDatabase()',
    ],
    resources.map((resource) =>
      storeText(
        resource,
        ['', 'prismaTable'],
        ['prisma', `model: ${sourceLiteral(modelOf(resource.table))}`],
      ),
    ),
  )
}
