// Conditions of lists in the words of Prisma, and what Prisma cannot say.
import type { Condition, FilterOperator } from '../../core/ports/list-source.ts'
import { ConfigurationError, unfitValue } from '../../core/errors/configuration-error.ts'
import { operatorWritten } from '../../core/settings/field-lookups.ts'
import { anyText } from '../../resources/lists/filter-values.ts'
import { FILTERED, type PrismaField, type PrismaModel } from './model.ts'
import type { PrismaRelation } from './types.ts'
import { Beyond, exampleOf, isBetween, toPrisma } from './values.ts'

export type Where = Readonly<Record<string, unknown>>

/** A condition that no row fulfils. */
const NO_ROW: Where = { OR: [] }
const ALL: Where = {}

/** Prisma drops `OR: []` within `AND`, where it would be every row. */
const isNone = ({ OR }: Where): boolean => Array.isArray(OR) && OR.length === 0
const isSome = (where: Where): boolean => Object.keys(where).length > 0

export function allWhere(parts: readonly Where[]): Where {
  if (parts.some(isNone)) return NO_ROW
  const known = parts.filter(isSome)
  return known.length < 2 ? (known[0] ?? ALL) : { AND: known }
}

export function anyWhere(parts: readonly Where[]): Where {
  if (!parts.every(isSome)) return ALL
  const known = parts.filter((each) => !isNone(each))
  return known.length < 2 ? (known[0] ?? NO_ROW) : { OR: known }
}

/** The row of a unique key, where it fulfils all conditions. */
export function narrowed(key: Where, parts: readonly Where[]): Where {
  const inside = allWhere(parts)
  return { ...key, ...(inside === NO_ROW ? NO_ROW : { AND: inside }) }
}

const RANGES: ReadonlySet<string> = new Set(['lt', 'lte', 'gt', 'gte'])
const TEXTS: ReadonlySet<string> = new Set(['iequals', 'icontains', 'istartsWith'])
const KNOWN: ReadonlySet<string> = new Set(['equals', 'in', 'isNull', ...RANGES, ...TEXTS])

/** @throws ConfigurationError Prisma cannot compare the field like this */
export function checkCompared(model: PrismaModel, name: string, operator: FilterOperator): void {
  const field = model.field(name)
  const reason = problemOf(model, field, operator)
  if (reason === null) return
  throw new ConfigurationError(
    `The field "${name}" of the model "${model.name}" cannot be filtered by ${operatorWritten(operator)}: ${reason} Leave it out of filterFields and searchFields.`,
  )
}

function problemOf(
  { provider }: PrismaModel,
  { type, isEnum }: PrismaField,
  operator: FilterOperator,
): string | null {
  if (!KNOWN.has(operator)) return 'Prisma has nothing like it.'
  if (!isEnum && !FILTERED.has(type)) return `Prisma does not compare values of ${type}.`
  const isOrdered = !isEnum && type !== 'Boolean'
  if (RANGES.has(operator) && !isOrdered) return `Prisma has no order of ${type}.`
  if (!TEXTS.has(operator)) return null
  if (isEnum || type !== 'String') return `Prisma searches texts alone, and it is ${type}.`
  return operator === 'iequals' && provider === 'sqlite' ? 'Prisma cannot ignore case there.' : null
}

/** Types with values that Prisma cannot read exactly: two values would be one to a cursor. */
const COARSE: ReadonlySet<string> = new Set(['real', 'float', 'money', 'interval'])

/** @throws ConfigurationError values of the field have digits that Prisma does not read */
export async function checkExact(model: PrismaModel, name: string): Promise<void> {
  const { type, column } = model.field(name)
  const facts = (await model.columns()).get(column)
  if (facts === undefined) return
  const isCoarse = type === 'DateTime' ? (facts.digits ?? 0) > 3 : COARSE.has(facts.type)
  if (!isCoarse) return
  throw new ConfigurationError(
    `Lists of the model "${model.name}" cannot be ordered by "${name}": the column is ${facts.type}${facts.digits === null ? '' : `(${facts.digits})`}, of which Prisma reads fewer digits, so that a page could not continue exactly. Declare ${type === 'DateTime' ? '@db.Timestamp(3), @db.Timestamptz(3) or @db.DateTime(3)' : '@db.DoublePrecision or @db.Double'}.`,
  )
}

/** @throws ConfigurationError the collation of the column tells capitals from small letters, and only MySQL's would decide */
async function checkCollation(model: PrismaModel, field: PrismaField): Promise<void> {
  if (model.provider !== 'mysql') return
  const { collation = null } = (await model.columns()).get(field.column) ?? {}
  if (collation === null || collation.endsWith('_ci') || !/_(?:bin|cs)$/.test(collation)) return
  throw new ConfigurationError(
    `The field "${field.name}" of the model "${model.name}" cannot be searched: its collation ${collation} tells capitals from small letters, and Prisma cannot ignore them there. Give the column a collation that ends in _ci, or leave it out of searchFields and filterFields.`,
  )
}

/**
 * Checks a field of a scope, which Prisma compares as the column does. @throws ConfigurationError the column takes different
 * texts for the same
 */
export async function checkScope(model: PrismaModel, name: string): Promise<void> {
  const { type, column } = model.field(name)
  if (type !== 'String') return
  const facts = (await model.columns()).get(column)
  if (facts === undefined)
    throw new ConfigurationError(
      `A scope by "${name}" of the model "${model.name}" cannot be checked: the catalogue of the database has no column ${model.table}.${column}, as of a table that is not there yet and of materialized views, so its collation may take different texts for the same. Scope by a field that is no text, or by a table that the catalogue shows.`,
    )
  if (!facts.isLoose) return
  const collation = facts.collation === null ? 'collation' : `collation ${facts.collation}`
  throw new ConfigurationError(
    `A scope by "${name}" of the model "${model.name}" would show rows of others: the ${collation} of its column takes different texts for the same, such as "Ada" and "ada", and Prisma compares by it. Scope by a key instead, give this column alone a foreign key to a key of the same type and collation, or ${EXACT[model.provider]}.`,
  )
}

const EXACT: Readonly<Record<string, string>> = {
  mysql: 'the collation utf8mb4_nopad_bin (MySQL: utf8mb4_0900_bin)',
  postgresql: 'the type text and a deterministic collation',
  sqlite: 'no collation of its own',
}

/** The fields of a model. @throws ConfigurationError a scope by one of these would not be exact */
export async function scopedFields(
  model: PrismaModel,
  scoped: readonly string[],
): Promise<readonly string[]> {
  await model.columns()
  for (const name of scoped) if (model.fields.has(name)) await checkScope(model, name)
  return [...model.fields.keys()]
}

/** Checks what only the database knows of a declared field. @throws ConfigurationError the database cannot do it */
export async function checkInDatabase(
  model: PrismaModel,
  name: string,
  operator: FilterOperator | 'order',
): Promise<void> {
  const field = model.field(name)
  await checkTaken(model, field, operator)
  if (operator === 'order') await checkExact(model, name)
  else if (TEXTS.has(operator)) await checkCollation(model, field)
  const isRead = operator === 'isNull' || field.type !== 'DateTime'
  if (isRead || (await model.isUniform(field))) return
  throw new ConfigurationError(
    `The field "${name}" of the model "${model.name}" cannot be compared: SQLite compares points in time as they are written, and its column has some that Prisma has not written, as by DEFAULT CURRENT_TIMESTAMP. Write them all as the adapter does, such as 2026-11-29T01:00:00.000+00:00, or leave it out of the order, filterFields and searchFields.`,
  )
}

/**
 * Asks Prisma whether it compares the field: a list has the type of its values, and @db.Uuid is a text, so only Prisma knows
 * them apart. @throws ConfigurationError Prisma refuses the question
 */
async function checkTaken(
  model: PrismaModel,
  { name, type }: PrismaField,
  operator: FilterOperator | 'order',
): Promise<void> {
  const example = exampleOf(model, name)
  const isRange = operator === 'order' || RANGES.has(operator)
  const asked = isRange ? { gt: example } : TEXTS.has(operator) ? { contains: '' } : { in: [] }
  if (await model.takes({ where: { [name]: type === 'Boolean' ? true : asked } })) return
  throw new ConfigurationError(
    `The field "${name}" of the model "${model.name}" cannot be ${operator === 'order' ? 'ordered by' : `filtered by ${operatorWritten(operator)}`}: Prisma does not compare it like this, as it does not with lists and with a search of @db.Uuid. Leave it out.`,
  )
}

/** @throws what `unfitValue` makes: the value is none of the field's type */
export async function whereOf(
  model: PrismaModel,
  name: string,
  condition: Condition,
): Promise<Where> {
  const { operator, value } = condition
  const field = model.field(name)
  if (condition.exact) await checkScope(model, name)
  if (operator === 'isNull') {
    if (typeof value !== 'boolean') throw unfitValue(condition)
    if (!(await model.isNullable(field))) return value ? NO_ROW : ALL
    return { [name]: value ? null : { not: null } }
  }
  if (field.isEnum)
    for (const each of [value].flat())
      if (each !== null && !(await model.hasName(field, each))) throw unfitValue(condition)
  if (operator === 'in') {
    if (!Array.isArray(value)) throw unfitValue(condition)
    const given: readonly unknown[] = value
    return listed(
      field,
      given.filter((each) => each !== null),
      condition,
    )
  }
  if (value === null) return NO_ROW
  if (TEXTS.has(operator)) {
    await checkCollation(model, field)
    return textWhere(model, field, condition)
  }
  return compared(field, condition)
}

function meantBy(field: PrismaField, value: unknown, condition: Condition): unknown {
  const found = toPrisma(field, value)
  if (found === undefined) throw unfitValue(condition)
  return found
}

function listed(field: PrismaField, values: readonly unknown[], condition: Condition): Where {
  const known = values
    .map((each) => [each, meantBy(field, each, condition)] as const)
    .filter(([each, found]) => !(found instanceof Beyond) && !isInexact(field, each))
    .map(([, found]) => found)
  if (known.length === 0) return NO_ROW
  return { [field.name]: known.length === 1 ? known[0] : { in: known } }
}

/** Does the point in time lie between two that rows of Prisma can have? */
function isInexact({ type }: PrismaField, value: unknown): boolean {
  return type === 'DateTime' && isBetween(value)
}

function compared(field: PrismaField, condition: Condition): Where {
  const { operator, value } = condition
  const found = meantBy(field, value, condition)
  if (operator === 'equals') return listed(field, [value], condition)
  const isUp = operator === 'gt' || operator === 'gte'
  if (found instanceof Beyond)
    return found.isAbove === isUp ? NO_ROW : { [field.name]: allWith(found) }
  if (!isInexact(field, value)) return { [field.name]: { [operator]: found } }
  // The value lies between two values of Prisma: the range begins behind the first one, or ends with it.
  return { [field.name]: isUp ? { gt: found } : { lte: found } }
}

/** A condition that every number fulfils, and NULL does not. */
function allWith({ isAbove }: Beyond): Where {
  const most = 2 ** 31
  return isAbove ? { lte: most - 1 } : { gte: -most }
}

function textWhere({ provider }: PrismaModel, { name }: PrismaField, condition: Condition): Where {
  const text = anyText(condition.value)
  // Prisma writes the text into LIKE as it is, and SQLite has no sign that takes the meaning of another away.
  if (text === undefined || (provider === 'sqlite' && /[%_]/.test(text)))
    throw unfitValue(condition)
  const isEqual = condition.operator === 'iequals'
  const mode = provider === 'postgresql' ? { mode: 'insensitive' } : {}
  const pattern = provider === 'sqlite' ? text : text.replaceAll(/[\\%_]/g, String.raw`\$&`)
  if (isEqual) return { [name]: { equals: provider === 'mysql' ? text : pattern, ...mode } }
  const word = condition.operator === 'icontains' ? 'contains' : 'startsWith'
  return { [name]: { [word]: pattern, ...mode } }
}

export async function scopeWhere(model: PrismaModel, anyOf: readonly Condition[]): Promise<Where> {
  return anyWhere(
    await Promise.all(anyOf.map((condition) => whereOf(model, condition.field, condition))),
  )
}

const WITHIN_AND = /\.AND(?:\.(?:\d+|AND))*$/

/**
 * Prisma asks nothing of a field whose value is undefined, nor of an empty `OR` within `AND`, and so would show every row.
 *
 * @throws ConfigurationError there is one
 */
export function checkDefined(model: PrismaModel, where: unknown, path = 'only'): void {
  if (where === undefined)
    throw new ConfigurationError(
      `prismaTable(): "${path}" of the model "${model.name}" is undefined, which is every row to Prisma. Give a value or null.`,
    )
  if (WITHIN_AND.test(path) && isNone(Object(where)))
    throw new ConfigurationError(
      `prismaTable(): "${path}.OR" of the model "${model.name}" is an empty list, and within AND that is every row to Prisma. Write OR beside AND.`,
    )
  const isPlain =
    Array.isArray(where) ||
    (typeof where === 'object' &&
      where !== null &&
      Object.getPrototypeOf(where) === Object.prototype)
  if (!isPlain) return
  for (const [field, value] of Object.entries(where as object))
    checkDefined(model, value, `${path}.${field}`)
}

/** @throws ConfigurationError there is no such relation, or no such field */
export function checkRelation(
  model: PrismaModel,
  name: string,
  { columns, scope, only }: PrismaRelation,
): void {
  checkDefined(model, only ?? {}, `relations.${name}.only`)
  const theirs = model.relations.get(name)
  if (theirs === undefined)
    throw new ConfigurationError(
      `prismaTable(): the model "${model.name}" has no relation "${name}". It has: ${[...model.relations.keys()].join(', ')}.`,
    )
  for (const column of columns) theirs.field(column)
  for (const [ours, other] of Object.entries(scope ?? {})) {
    model.field(ours)
    if (other !== null) theirs.field(other)
  }
}
