import { type OperationNode, TupleNode, ValueNode } from 'kysely'
import type { Condition, Operator } from '../../contract/list-source.ts'
import { ConfigurationError } from '../../errors/configuration-error.ts'
import { unfitValue } from '../../errors/unfit-value.ts'
import { anyText } from '../../lists/meanings.ts'
import type { Dialect, ValueKind } from '../dialect.ts'
import { filledUp } from '../filled-up.ts'
import { type Truth, isNotNull, isNull, operation } from '../nodes.ts'

/** Something that a condition is about. */
export interface Subject {
  readonly node: OperationNode
  readonly kind: ValueKind
}

/** @throws ConfigurationError the database has no such operator */
export function checkOperator({ name, text }: Dialect, { operator, field }: Condition): void {
  if (!OPERATORS.has(operator)) {
    throw new ConfigurationError(`A condition on "${field}" has no operator "${operator}".`)
  }
  if ((operator === 'iregex' || operator === 'search') && text[operator] === null) {
    throw new ConfigurationError(
      `${name} has no ${OPTIONAL[operator]}, which the condition on "${field}" asks for (${operator}).`,
    )
  }
}

/** What not every database has. */
const OPTIONAL = { iregex: 'regular expressions', search: 'full text search of a column' } as const

/** A condition in SQL. @throws what `unfitValue` makes: the value is none of the field's type */
export function conditionNode(dialect: Dialect, condition: Condition, subject: Subject): Truth {
  const { operator, value } = condition
  if (operator === 'isNull') return nullCondition(condition, subject)
  if (operator === 'in') return oneOf(condition, subject)
  // Nothing is equal to NULL, nor before or behind it.
  if (value === null) return false
  const comparison = COMPARISONS.get(operator)
  if (comparison === undefined) return textCondition(dialect, condition, subject)
  const meant = meantBy(condition, subject, value)
  return operation(subject.node, comparison, parameterOf(subject, meant, [meant]))
}

const COMPARISONS: ReadonlyMap<Operator, '=' | '<' | '<=' | '>' | '>='> = new Map([
  ['equals', '='],
  ['lt', '<'],
  ['lte', '<='],
  ['gt', '>'],
  ['gte', '>='],
])

const OPERATORS: ReadonlySet<Operator> = new Set([
  ...COMPARISONS.keys(),
  'in',
  'isNull',
  'iequals',
  'icontains',
  'istartsWith',
  'iregex',
  'search',
])

function nullCondition(condition: Condition, { node }: Subject): Truth {
  if (typeof condition.value !== 'boolean') throw unfitValue(condition)
  return condition.value ? isNull(node) : isNotNull(node)
}

function oneOf(condition: Condition, subject: Subject): Truth {
  if (!Array.isArray(condition.value)) throw unfitValue(condition)
  const { node, kind } = subject
  const values = condition.value
    .filter((value) => value !== null)
    .map((value) => meantBy(condition, subject, value))
  if (values.length === 0) return false
  return kind.oneOf?.(node, values) ?? among(subject, values)
}

function among(subject: Subject, values: readonly unknown[]): OperationNode {
  const parameters = filledUp(values).map((value) => parameterOf(subject, value, values))
  return operation(subject.node, 'in', TupleNode.create(parameters))
}

function meantBy(condition: Condition, { kind }: Subject, value: unknown): unknown {
  const meant = kind.meant(value)
  if (meant === undefined) throw unfitValue(condition)
  return meant
}

function parameterOf(
  { node, kind }: Subject,
  value: unknown,
  values: readonly unknown[],
): OperationNode {
  const parameter = ValueNode.create(value)
  if (kind.boundInCondition) return kind.boundInCondition(parameter, node, values)
  return kind.bound?.(parameter) ?? parameter
}

/** A condition on the text of a value, whatever its type. */
function textCondition({ text }: Dialect, condition: Condition, { node }: Subject): OperationNode {
  const { operator } = condition
  const value = anyText(condition.value)
  if (value === undefined) throw unfitValue(condition)
  if (operator === 'iregex' || operator === 'search')
    return text[operator]!(node, ValueNode.create(value))
  return text.like(node, ValueNode.create(patternOf(operator, value)))
}

function patternOf(operator: Operator, value: string): string {
  const literal = value.replaceAll(/[!%_]/g, '!$&')
  if (operator === 'icontains') return `%${literal}%`
  return operator === 'istartsWith' ? `${literal}%` : literal
}
