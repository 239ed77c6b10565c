import { type OperationNode, TupleNode, ValueNode } from 'kysely'
import type { MaybePromise } from '../../../core/std/after.ts'
import type { Condition, FilterOperator } from '../../../core/ports/list-source.ts'
import { ConfigurationError, unfitValue } from '../../../core/errors/configuration-error.ts'
import { anyText } from '../../../resources/lists/filter-values.ts'
import type { Dialect, TextOperators, ValueKind } from '../dialect.ts'
import { type Truth, filledUp, isNotNull, isNull, operation } from '../nodes.ts'

export interface ConditionSubject {
  readonly node: OperationNode
  readonly kind: ValueKind
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
  return OPERATORS[condition.operator](condition, subject, text)
}

type ToTruth = (condition: Condition, subject: ConditionSubject, text: TextOperators) => Truth

const OPERATORS: Readonly<Record<FilterOperator, ToTruth>> = {
  equals: comparedBy('='),
  lt: comparedBy('<'),
  lte: comparedBy('<='),
  gt: comparedBy('>'),
  gte: comparedBy('>='),
  in: oneOf,
  isNull: nullCondition,
  iequals: matching('like', literal),
  icontains: matching('like', (value) => `%${literal(value)}%`),
  istartsWith: matching('like', (value) => `${literal(value)}%`),
  iregex: matching('iregex', (value) => value),
  search: matching('search', (value) => value),
}

/** Nothing is equal to NULL, nor before or behind it. */
function comparedBy(operator: '=' | '<' | '<=' | '>' | '>='): ToTruth {
  return (condition, subject) => {
    if (condition.value === null) return false
    const parameter = parameterOf(subject, meantBy(condition, subject, condition.value))
    return operation(subject.node, operator, parameter)
  }
}

function nullCondition(condition: Condition, { node }: ConditionSubject): Truth {
  if (typeof condition.value !== 'boolean') throw unfitValue(condition)
  return condition.value ? isNull(node) : isNotNull(node)
}

function oneOf(condition: Condition, subject: ConditionSubject): Truth {
  if (!Array.isArray(condition.value)) throw unfitValue(condition)
  const values = condition.value
    .filter((value) => value !== null)
    .map((value) => meantBy(condition, subject, value))
  if (values.length === 0) return false
  const { node, kind } = subject
  const listed = kind.oneOf?.(node, values) ?? null
  if (listed !== null) return listed
  const parameters = filledUp(values).map((value) => parameterOf(subject, value, values))
  return operation(node, 'in', TupleNode.create(parameters))
}

function meantBy(condition: Condition, { kind }: ConditionSubject, value: unknown): unknown {
  const meant = kind.meant(value)
  if (meant === undefined) throw unfitValue(condition)
  return meant
}

function parameterOf(
  { node, kind }: ConditionSubject,
  value: unknown,
  values = [value],
): OperationNode {
  const parameter = ValueNode.create(value)
  if (kind.boundInCondition) return kind.boundInCondition(parameter, node, values)
  return kind.bound?.(parameter) ?? parameter
}

/** A condition on the text of a value, whatever its type. */
function matching(operator: keyof TextOperators, toPattern: (value: string) => string): ToTruth {
  return (condition, { node }, text) => {
    if (condition.value === null) return false
    const value = anyText(condition.value)
    if (value === undefined) throw unfitValue(condition)
    return text[operator]!(node, ValueNode.create(toPattern(value)))
  }
}

function literal(value: string): string {
  return value.replaceAll(/[!%_]/g, '!$&')
}

/** Where the database refuses a value, what `refused` makes of it is thrown. */
export function refusing<T>(
  dialect: Dialect,
  work: () => MaybePromise<T>,
  refused: () => Error,
): MaybePromise<T> {
  const explain = (error: unknown): never => {
    throw error instanceof Error && dialect.refusesValue(error) ? refused() : error
  }
  try {
    const result = work()
    return result instanceof Promise ? result.catch(explain) : result
  } catch (error) {
    return explain(error)
  }
}

/** The database names no value: a pattern, which it alone can judge, else one of a client's. */
export function blamed(conditions: readonly Condition[]): Error {
  const fromClient = conditions.filter(({ parameter }) => parameter !== undefined)
  const suspects = fromClient.length > 0 ? fromClient : conditions
  return unfitValue(suspects.find(({ operator }) => operator === 'iregex') ?? suspects[0]!)
}
