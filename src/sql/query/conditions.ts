import { type OperationNode, RawNode, TupleNode, ValueNode } from 'kysely'
import type { Condition, Operator } from '../../contract/source.ts'
import { ConfigurationError } from '../../errors/configuration-error.ts'
import { unfitValue } from '../../errors/unfit-value.ts'
import { filledUp } from '../kinds/lists.ts'
import { anyText } from '../../lists/meanings.ts'
import type { ValueKind } from '../kinds/value-kind.ts'
import { type Truth, call, enclosed, isNotNull, isNull, operation } from './nodes.ts'
import type { Dialect } from '../dialect.ts'

/** Something that a condition is about. */
export interface Subject {
  readonly node: OperationNode
  readonly kind: ValueKind
}

/** @throws ConfigurationError the database has no such operator */
export function checkOperator(dialect: Dialect, { operator, field }: Condition): void {
  if (!OPERATORS.has(operator)) {
    throw new ConfigurationError(`A condition on "${field}" has no operator "${operator}".`)
  }
  const missing = dialect.id === 'sqlite' ? MISSING.get(operator) : undefined
  if (missing !== undefined) {
    throw new ConfigurationError(
      `SQLite has no ${missing}, which the condition on "${field}" asks for (${operator}).`,
    )
  }
}

const MISSING: ReadonlyMap<Operator, string> = new Map([
  ['iregex', 'regular expressions'],
  ['search', 'full text search of a column'],
])

/** A condition in SQL. @throws what `unfitValue` makes: the value is none of the field's type */
export function conditionNode(dialect: Dialect, condition: Condition, subject: Subject): Truth {
  const { operator, value } = condition
  if (operator === 'isNull') return nullCondition(condition, subject)
  if (operator === 'in') return oneOf(condition, subject)
  // Nothing is equal to NULL, nor before or behind it.
  if (value === null) return false
  const comparison = COMPARISONS.get(operator)
  if (comparison !== undefined) {
    const meant = meantBy(condition, subject, value)
    return operation(subject.node, comparison, parameterOf(subject, meant, [meant]))
  }
  return textCondition(dialect, condition, subject)
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
function textCondition(dialect: Dialect, condition: Condition, { node }: Subject): OperationNode {
  const { operator } = condition
  const value = anyText(condition.value)
  if (value === undefined) throw unfitValue(condition)
  if (operator === 'iregex') return matching(dialect, node, value)
  if (operator === 'search') return found(dialect, node, value)
  return like(dialect, node, patternOf(operator, value))
}

function patternOf(operator: Operator, value: string): string {
  const literal = value.replaceAll(/[!%_]/g, '!$&')
  if (operator === 'icontains') return `%${literal}%`
  return operator === 'istartsWith' ? `${literal}%` : literal
}

/** LIKE of SQLite and ILIKE of PostgreSQL ignore case; MySQL compares small letters. */
function like(dialect: Dialect, node: OperationNode, pattern: string): OperationNode {
  const value = ValueNode.create(pattern)
  const [operands, operator] = LIKES[dialect.id](node, value)
  return RawNode.create(['', ` ${operator} `, " escape '!'"], operands)
}

const LIKES: {
  readonly [D in Dialect['id']]: (
    node: OperationNode,
    value: OperationNode,
  ) => readonly [readonly OperationNode[], string]
} = {
  sqlite: (node, value) => [[enclosed(node), value], 'like'],
  postgres: (node, value) => [[asPostgresText(node), value], 'ilike'],
  mysql: (node, value) => [
    [call('lower', asMysqlText(node)), call('lower', asMysqlText(value))],
    'like',
  ],
}

/**
 * In a collation that can match parts of a text, and in which letters with and without accents differ:
 * that of the column may be another one.
 */
function toText(dialect: Dialect, node: OperationNode): OperationNode {
  return dialect.id === 'postgres' ? asPostgresText(node) : asMysqlText(node)
}

function asPostgresText(node: OperationNode): OperationNode {
  return RawNode.create(['cast(', ' as text) collate "default"'], [node])
}

function asMysqlText(node: OperationNode): OperationNode {
  return RawNode.create(['convert(', ' using utf8mb4) collate utf8mb4_bin'], [node])
}

function matching(dialect: Dialect, node: OperationNode, pattern: string): OperationNode {
  if (dialect.id === 'postgres')
    return operation(toText(dialect, node), '~*', ValueNode.create(pattern))
  return operation(toText(dialect, node), 'regexp', ValueNode.create(`(?i)${pattern}`))
}

function found(dialect: Dialect, node: OperationNode, words: string): OperationNode {
  const value = ValueNode.create(words)
  if (dialect.id === 'mysql') return RawNode.create(['match(', ') against (', ')'], [node, value])
  return operation(call('to_tsvector', toText(dialect, node)), '@@', call('plainto_tsquery', value))
}
