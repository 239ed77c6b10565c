import { type OperationNode, TupleNode, ValueNode } from 'kysely'
import { type MaybePromise, recoverFrom } from '../../../core/std/after.ts'
import type { Condition, FilterOperator } from '../../../core/ports/list-source.ts'
import { ConfigurationError, unfitValue } from '../../../core/errors/configuration-error.ts'
import { anyText } from '../../../resources/lists/filter-values.ts'
import type { Dialect, TextOperators, ValueKind } from '../dialect.ts'
import { type Truth, and, filledUp, isNotNull, isNull, operation, or } from '../nodes.ts'
import { FIRST_VALUE, GivenValue } from './sql-list.ts'

export interface ConditionSubject {
  readonly node: OperationNode
  readonly kind: ValueKind
}

/** A row fulfils one of them. */
export type AlternativeConditions = readonly Condition[]

/** Conditions apart from their values. Shapes of one name have one text, which is compiled once for all values. */
export interface Shape {
  readonly name: string
  /** The conditions with a place for each value: no value of a client, and none of a tenant, is kept. */
  readonly conditions: readonly AlternativeConditions[]
  readonly values: readonly unknown[]
}

/**
 * The shape of conditions; `null`: the values decide on the text. The first place is `FIRST_VALUE`.
 *
 * @throws what `unfitValue` makes: a value is none of the field's type
 */
export function shapeOf(
  { text }: Dialect,
  conditions: readonly AlternativeConditions[],
  kindOf: (field: string) => ValueKind,
): Shape | null {
  const values: unknown[] = []
  const placed: AlternativeConditions[] = []
  let name = ''
  for (const anyOf of conditions) {
    const each: Condition[] = []
    for (const condition of anyOf) {
      const { field, exact = false } = condition
      const operator = isOneOfOne(condition) ? 'equals' : condition.operator
      if (operator === 'isNull' && typeof condition.value === 'boolean') {
        name += `${condition.value} ${field}\0`
        each.push(condition)
        continue
      }
      name += `${operator}${exact ? ' exactly' : ''} ${field}\0`
      const value = OPERATORS[operator].bound(condition, kindOf(field), text)
      if (value === undefined) return null
      each.push({ field, operator, exact, value: new GivenValue(FIRST_VALUE + values.length) })
      values.push(value)
    }
    placed.push(each)
    name += '\0'
  }
  return { name, conditions: placed, values }
}

/** @throws ConfigurationError the database has no such operator */
export function checkOperator({ name, text }: Dialect, { operator, field }: Condition): void {
  if (!Object.hasOwn(OPERATORS, operator)) {
    throw new ConfigurationError(`A condition on "${field}" has no operator "${operator}".`)
  }
  if ((operator === 'iregex' || operator === 'search') && text[operator] === null) {
    throw new ConfigurationError(
      `${name} has no ${OPTIONAL[operator]}, which the condition on "${field}" asks for (${operator}).`,
    )
  }
}

const OPTIONAL = { iregex: 'regular expressions', search: 'full text search of a column' } as const

/** @throws what `unfitValue` makes: the value is none of the field's type */
export function conditionNode(
  { text }: Dialect,
  condition: Condition,
  subject: ConditionSubject,
): Truth {
  const { toTruth } = OPERATORS[condition.operator]
  const truth = toTruth(condition, subject, text)
  const exact = condition.exact ? subject.kind.exact?.(subject.node) : undefined
  if (exact === undefined) return truth
  const [node, kind] = exact
  return and(truth, toTruth(condition, { node, kind }, text))
}

/** A condition of a scope: has the column exactly this value, or one of these? NULL is one of the values like others. */
export function scopeNode(
  dialect: Dialect,
  field: string,
  value: unknown,
  subject: ConditionSubject,
): Truth {
  const values = [value].flat()
  const condition = { field, operator: 'in', value: values, exact: true } as const
  const isOne = conditionNode(dialect, condition, subject)
  return values.includes(null) ? or(isOne, isNull(subject.node)) : isOne
}

interface Operator {
  readonly toTruth: (condition: Condition, subject: ConditionSubject, text: TextOperators) => Truth
  /** The value of the one parameter; `undefined`: there is no parameter, or its value decides on the text. */
  readonly bound: (condition: Condition, kind: ValueKind, text: TextOperators) => unknown
}

const UNBOUND = (): undefined => undefined

const OPERATORS: Readonly<Record<FilterOperator, Operator>> = {
  equals: comparedBy('='),
  lt: comparedBy('<'),
  lte: comparedBy('<='),
  gt: comparedBy('>'),
  gte: comparedBy('>='),
  in: { toTruth: oneOf, bound: listOf },
  isNull: { toTruth: nullCondition, bound: UNBOUND },
  iequals: matching('like', literal),
  icontains: {
    toTruth: (condition, subject, text) =>
      containing(text, condition).toTruth(condition, subject, text),
    bound(condition, kind, text) {
      const operator = containing(text, condition)
      return operator === CONTAINS && text.containsFrom
        ? undefined
        : operator.bound(condition, kind, text)
    },
  },
  istartsWith: matching('like', (value) => `${literal(value)}%`),
  // One database takes the pattern apart, so the text depends on the value.
  iregex: { ...matching('iregex', asItIs), bound: UNBOUND },
  search: matching('search', asItIs),
}

const CONTAINS = matching('contains', asItIs)
const LIKE_PART = matching('like', (value) => `%${literal(value)}%`)

function containing({ contains, containsFrom = 0 }: TextOperators, { value }: Condition): Operator {
  const isLong = typeof value === 'string' && value.length >= containsFrom
  return contains !== undefined && (isLong || containsFrom === 0) ? CONTAINS : LIKE_PART
}

/** A comparison. No row is equal to NULL, or before or behind it. */
function comparedBy(operator: '=' | '<' | '<=' | '>' | '>='): Operator {
  return {
    bound(condition, kind) {
      const value = oneValueOf(condition)
      return value === null || kind.boundByValue ? undefined : meantBy(condition, kind, value)
    },
    toTruth(condition, subject) {
      if (condition.value === null) return false
      const parameter = parameterOf(subject, meantBy(condition, subject.kind, condition.value))
      return operation(subject.node, operator, parameter)
    },
  }
}

function nullCondition(condition: Condition, { node }: ConditionSubject): Truth {
  if (typeof condition.value !== 'boolean') throw unfitValue(condition)
  return condition.value ? isNull(node) : isNotNull(node)
}

/**
 * Is the list one value? Then a range of an index is read in the order of the index, which a list does not do on every
 * database.
 */
function isOneOfOne({ operator, value }: Condition): boolean {
  return operator === 'in' && Array.isArray(value) && value.length === 1
}

function oneValueOf({ operator, value }: Condition): unknown {
  return operator === 'in' ? (value as readonly unknown[])[0] : value
}

function valuesOf(condition: Condition, kind: ValueKind): readonly unknown[] {
  if (!Array.isArray(condition.value)) throw unfitValue(condition)
  return condition.value
    .filter((value) => value !== null)
    .map((value) => meantBy(condition, kind, value))
}

function listOf(condition: Condition, kind: ValueKind): unknown {
  const values = valuesOf(condition, kind)
  return values.length < 2 ? undefined : (kind.list?.of(values) ?? undefined)
}

function oneOf(condition: Condition, subject: ConditionSubject): Truth {
  const { node, kind } = subject
  if (condition.value instanceof GivenValue)
    return kind.list!.has(node, ValueNode.create(condition.value))
  const values = valuesOf(condition, kind)
  if (values.length === 0) return false
  // If the value decides on the text, a list finds rows that one value does not: 7 is among the texts, too.
  if (values.length === 1 && !kind.boundByValue)
    return operation(node, '=', parameterOf(subject, values[0]))
  const list = kind.list?.of(values) ?? null
  if (list !== null) return kind.list!.has(node, ValueNode.create(list))
  const listed = kind.oneOf?.(node, values) ?? null
  if (listed !== null) return listed
  const parameters = filledUp(values).map((value) => parameterOf(subject, value, values))
  return operation(node, 'in', TupleNode.create(parameters))
}

function meantBy(condition: Condition, kind: ValueKind, value: unknown): unknown {
  const meant = value instanceof GivenValue ? value : kind.meant(value)
  if (meant === undefined) throw unfitValue(condition)
  return meant
}

function parameterOf(
  { node, kind }: ConditionSubject,
  value: unknown,
  values: readonly unknown[] = [value],
): OperationNode {
  const parameter = ValueNode.create(value)
  if (kind.boundInCondition) return kind.boundInCondition(parameter, node, values)
  return kind.bound?.(parameter) ?? parameter
}

/** A condition on the text of a value of any type. */
function matching(
  operator: Exclude<keyof TextOperators, 'containsFrom'>,
  toPattern: (value: string) => string,
): Operator {
  const patternOf = (condition: Condition): unknown => {
    if (condition.value instanceof GivenValue) return condition.value
    const value = anyText(condition.value)
    if (value === undefined) throw unfitValue(condition)
    return toPattern(value)
  }
  return {
    bound: (condition) => (condition.value === null ? undefined : patternOf(condition)),
    toTruth: (condition, { node }, text) =>
      condition.value === null
        ? false
        : text[operator]!(node, ValueNode.create(patternOf(condition))),
  }
}

function asItIs(value: string): string {
  return value
}

function literal(value: string): string {
  return value.replaceAll(/[!%_]/g, '!$&')
}

/** Does work, and throws what `refused` makes where the database refuses a value. */
export function catchRefusal<T>(
  dialect: Dialect,
  work: () => MaybePromise<T>,
  refused: () => Error,
): MaybePromise<T> {
  return recoverFrom(work, (error) => {
    throw error instanceof Error && dialect.refusesValue(error) ? refused() : error
  })
}

/**
 * An error about the value that the database refused without a name: a pattern, which the database alone can judge, else a
 * value of a client.
 */
export function valueError(conditions: readonly Condition[]): Error {
  const fromClient = conditions.filter(({ parameter }) => parameter !== undefined)
  const suspects = fromClient.length > 0 ? fromClient : conditions
  return unfitValue(suspects.find(({ operator }) => operator === 'iregex') ?? suspects[0]!)
}
